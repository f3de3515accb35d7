package tidegauge.flink;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarksWithIdleness;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** A generator in a WatermarksWithIdleness, on the clock of the input. */
final class IdlenessEngine implements Engine {
    private final ActivityClock activity;
    private final WatermarkGenerator<Long> generator;
    private final WatermarkOutput out;

    IdlenessEngine(JsonNode setup, Outputs outputs) {
        activity = new ActivityClock(setup);
        out = new Downstream.ToWatermarks(outputs);
        String kind = setup.get("generator").asText();
        long bound = setup.path("max_out_of_orderness").asLong();
        generator =
                new WatermarksWithIdleness<>(
                        Generators.make(kind, bound, activity.clock, null),
                        Duration.ofNanos(setup.get("timeout").asLong()),
                        activity.clock);
    }

    @Override
    public void step(String name, JsonNode step) {
        if (activity.step(name, step)) {
            return;
        }
        switch (name) {
            case "record" -> generator.onEvent(null, Timestamps.read(step.get("timestamp")), out);
            case "tick" -> generator.onPeriodicEmit(out);
            default -> throw new UnknownStep(name);
        }
    }
}
