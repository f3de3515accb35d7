package tidegauge.flink;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.operators.util.PausableRelativeClock;

/**
 * A PausableRelativeClock and what stops it in a task: backpressure and alignment. Nobody tells it of operators
 * that are busy downstream, nor of an input without data.
 */
final class ActivityClock {
    final PausableRelativeClock clock;
    private final ManualClock base = new ManualClock();

    ActivityClock(JsonNode setup) {
        base.set(setup.path("nanoseconds").asLong());
        clock = new PausableRelativeClock(base);
    }

    /** Whether the step was one of a clock. */
    boolean step(String name, JsonNode step) {
        String reason = step.path("reason").asText("backpressure");
        boolean isTold = reason.equals("backpressure") || reason.equals("alignment");
        switch (name) {
            case "advance" -> base.advance(step.get("nanoseconds").asLong());
            case "pause" -> {
                if (isTold) {
                    clock.pause();
                }
            }
            case "resume" -> {
                if (isTold) {
                    clock.unPause();
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }
}
