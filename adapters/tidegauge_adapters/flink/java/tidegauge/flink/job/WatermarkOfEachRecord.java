package tidegauge.flink.job;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * The watermarks of Flink's bounded out-of-orderness, with each record instead of at an interval on the wall: how far a
 * subtask runs past its bound must not depend on how fast this machine reads.
 */
final class WatermarkOfEachRecord implements WatermarkGenerator<Long> {
    private final long maxOutOfOrderness;
    private long largest;

    WatermarkOfEachRecord(long maxOutOfOrderness) {
        this.maxOutOfOrderness = maxOutOfOrderness;
        this.largest = Long.MIN_VALUE + maxOutOfOrderness + 1;
    }

    @Override
    public void onEvent(Long event, long timestamp, WatermarkOutput output) {
        largest = Math.max(largest, timestamp);
        output.emitWatermark(new Watermark(largest - maxOutOfOrderness - 1));
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {}
}
