package tidegauge.flink;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.AscendingTimestampsWatermarks;
import org.apache.flink.api.common.eventtime.BoundedOutOfOrdernessWatermarks;
import org.apache.flink.api.common.eventtime.NoWatermarksGenerator;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.util.clock.Clock;
import org.apache.flink.util.clock.RelativeClock;

/** Watermark generators: Flink's own, and those that a user writes by the examples of its documentation. */
final class Generators {
    private Generators() {}

    /**
     * {@code bound} (ms): how far out of order; of {@code after-silence} the silence. {@code activity}: the clock
     * of the input; {@code wall}: processing time.
     */
    static WatermarkGenerator<Long> make(String kind, long bound, RelativeClock activity, Clock wall) {
        return switch (kind) {
            case "bounded-out-of-orderness" ->
                    bound == 0
                            ? new AscendingTimestampsWatermarks<>()
                            : new BoundedOutOfOrdernessWatermarks<>(Duration.ofMillis(bound));
            case "none", "no-watermarks" -> new NoWatermarksGenerator<>();
            case "punctuated" -> new Punctuated();
            case "processing-time" -> new ProcessingTime(wall);
            case "after-silence" -> new AfterSilence(activity, bound);
            default -> throw new UnknownStep(kind);
        };
    }

    /** A watermark with each record. */
    private static final class Punctuated implements WatermarkGenerator<Long> {
        @Override
        public void onEvent(Long event, long timestamp, WatermarkOutput output) {
            output.emitWatermark(new Watermark(timestamp));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    /** The watermark is what the wall shows. */
    private record ProcessingTime(Clock wall) implements WatermarkGenerator<Long> {
        @Override
        public void onEvent(Long event, long timestamp, WatermarkOutput output) {}

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            output.emitWatermark(new Watermark(wall.absoluteTimeMillis() - 1));
        }
    }

    /** Says how far it is when nothing has come for a while, by the clock of the input. */
    private static final class AfterSilence implements WatermarkGenerator<Long> {
        private final RelativeClock activity;
        private final long silence;
        private long largest = Long.MIN_VALUE;
        private long heard;

        AfterSilence(RelativeClock activity, long milliseconds) {
            this.activity = activity;
            silence = milliseconds * 1_000_000;
            heard = activity.relativeTimeNanos();
        }

        @Override
        public void onEvent(Long event, long timestamp, WatermarkOutput output) {
            largest = Math.max(largest, timestamp);
            heard = activity.relativeTimeNanos();
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            if (activity.relativeTimeNanos() - heard > silence) {
                output.emitWatermark(new Watermark(largest));
            }
        }
    }
}
