package tidegauge.flink;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** A PausableRelativeClock. */
final class ClockEngine implements Engine {
    private final ActivityClock activity;
    private final Outputs outputs;

    ClockEngine(JsonNode setup, Outputs outputs) {
        activity = new ActivityClock(setup);
        this.outputs = outputs;
    }

    @Override
    public void step(String name, JsonNode step) {
        if (activity.step(name, step)) {
            return;
        }
        if (!name.equals("read")) {
            throw new UnknownStep(name);
        }
        outputs.add("reading").put("nanoseconds", activity.clock.relativeTimeNanos());
    }
}
