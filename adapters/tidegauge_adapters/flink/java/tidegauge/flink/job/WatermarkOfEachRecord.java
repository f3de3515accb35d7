package tidegauge.flink.job;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.BoundedOutOfOrdernessWatermarks;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * Flink's own generator, asked for its watermark after each record instead of at an interval on the wall: how far a
 * subtask runs past its bound must not depend on how fast this machine reads.
 */
final class WatermarkOfEachRecord extends BoundedOutOfOrdernessWatermarks<Long> {
    WatermarkOfEachRecord(long maxOutOfOrderness) {
        super(Duration.ofMillis(maxOutOfOrderness));
    }

    @Override
    public void onEvent(Long event, long timestamp, WatermarkOutput output) {
        super.onEvent(event, timestamp, output);
        super.onPeriodicEmit(output);
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {}
}
