import java.time.Duration;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.clock.RelativeClock;

/**
 * A connector or a library returns a strategy with an idle timeout of 10 s, and the job sets 60 s on it. A reader
 * of the job expects 60 s, as a second withTimestampAssigner replaces the first. The second withIdleness wraps the
 * first one: both timeouts run, the shorter one marks the output idle, and later the longer one does so again.
 */
public class SecondIdleTimeoutDoesNotReplaceFirst {
    public static void main(String[] arguments) {
        StringBuilder got = new StringBuilder();
        long[] seconds = {1};
        RelativeClock clock =
                new RelativeClock() {
                    @Override
                    public long relativeTimeMillis() {
                        return seconds[0] * 1_000;
                    }

                    @Override
                    public long relativeTimeNanos() {
                        return seconds[0] * 1_000_000_000;
                    }
                };
        WatermarkOutput out =
                new WatermarkOutput() {
                    @Override
                    public void emitWatermark(Watermark watermark) {}

                    @Override
                    public void markIdle() {
                        got.append(" idle after ").append(seconds[0] - 1).append(" s;");
                    }

                    @Override
                    public void markActive() {}
                };
        WatermarkGenerator<Long> generator =
                WatermarkStrategy.<Long>forMonotonousTimestamps()
                        .withIdleness(Duration.ofSeconds(10))
                        .withIdleness(Duration.ofSeconds(60))
                        .createWatermarkGenerator(
                                new WatermarkGeneratorSupplier.Context() {
                                    @Override
                                    public MetricGroup getMetricGroup() {
                                        return null;
                                    }

                                    @Override
                                    public RelativeClock getInputActivityClock() {
                                        return clock;
                                    }
                                });
        generator.onEvent(1L, 1L, out);
        for (; seconds[0] <= 100; seconds[0]++) {
            generator.onPeriodicEmit(out);
        }

        System.out.println("sent:     one record, then 100 periodic emits, one a second");
        System.out.println("expected: idle after 61 s;");
        System.out.println("got:     " + got);
    }
}
