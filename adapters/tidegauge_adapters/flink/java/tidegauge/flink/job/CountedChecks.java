package tidegauge.flink.job;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/** A generator whose periodic calls are counted: it becomes idle in one of these. */
record CountedChecks(WatermarkGenerator<Long> generator, AtomicLong checks) implements WatermarkGenerator<Long> {
    @Override
    public void onEvent(Long event, long timestamp, WatermarkOutput output) {
        generator.onEvent(event, timestamp, output);
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
        generator.onPeriodicEmit(output);
        checks.incrementAndGet();
    }
}
