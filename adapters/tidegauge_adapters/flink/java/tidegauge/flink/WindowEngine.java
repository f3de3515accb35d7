package tidegauge.flink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;
import org.apache.flink.streaming.api.windowing.triggers.EventTimeTrigger;
import org.apache.flink.streaming.api.windowing.triggers.PurgingTrigger;
import org.apache.flink.streaming.api.windowing.triggers.Trigger;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.operators.windowing.WindowProbe;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** A WindowOperator on a heap state backend. Its watermark only rises, as behind a valve. */
final class WindowEngine implements Engine {
    private final Outputs outputs;
    private final WindowProbe operator;
    private long watermark = Long.MIN_VALUE;

    WindowEngine(JsonNode setup, Outputs outputs) throws Exception {
        this.outputs = outputs;
        operator =
                new WindowProbe(
                        assigner(setup.get("assigner")),
                        trigger(setup),
                        setup.path("allowed_lateness").asLong(),
                        setup.path("late_output").asBoolean(true),
                        this::fired,
                        new Downstream.ToOperator<>(outputs) {
                            @Override
                            public void collect(StreamRecord<Object> result) {} // `fired` says it
                        },
                        new ManualTime(0));
    }

    @Override
    public void step(String name, JsonNode step) throws Exception {
        switch (name) {
            case "record" -> record(Timestamps.read(step.get("timestamp")), step.get("value").asLong());
            case "watermark" -> {
                long timestamp = Timestamps.read(step.get("timestamp"));
                if (timestamp > watermark) {
                    watermark = timestamp;
                    operator.processWatermark(new Watermark(timestamp));
                }
            }
            case "idle" -> operator.processWatermarkStatus(WatermarkStatus.IDLE);
            case "active" -> operator.processWatermarkStatus(WatermarkStatus.ACTIVE);
            case "expired-state" -> outputs.add("state-size").put("records", operator.expired());
            default -> throw new UnknownStep(name);
        }
    }

    @Override
    public void close() {
        operator.dispose();
    }

    private void record(long timestamp, long value) throws Exception {
        long before = operator.dropped();
        try {
            operator.record(timestamp, value);
        } catch (RuntimeException error) { // an assigner refuses a record without timestamp by no class of its own
            boolean isUntimed = String.valueOf(error.getMessage()).contains("no timestamp marker");
            throw isUntimed ? new IllegalArgumentException(error) : error;
        }
        if (operator.dropped() > before) {
            outputs.add("drop");
        }
    }

    private void fired(TimeWindow window, Iterable<Long> values) {
        List<Long> inOrder = new ArrayList<>();
        values.forEach(inOrder::add);
        Collections.sort(inOrder);
        ObjectNode fire = outputs.add("fire");
        fire.set("start", Timestamps.write(window.getStart()));
        fire.set("end", Timestamps.write(window.getEnd()));
        ArrayNode array = fire.putArray("values");
        inOrder.forEach(array::add);
    }

    private static WindowAssigner<Object, TimeWindow> assigner(JsonNode setup) {
        return switch (setup.get("assigner").asText()) {
            case "tumbling" -> TumblingEventTimeWindows.of(length(setup, "size"), offset(setup, "size"));
            case "sliding" ->
                    SlidingEventTimeWindows.of(length(setup, "size"), length(setup, "slide"), offset(setup, "slide"));
            case "session" -> EventTimeSessionWindows.withGap(length(setup, "gap"));
            default -> throw new UnknownStep(setup.get("assigner").asText());
        };
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Trigger<Object, TimeWindow> trigger(JsonNode setup) {
        Trigger trigger =
                setup.path("trigger").asText("event-time").equals("event-time")
                        ? EventTimeTrigger.create()
                        : CountTrigger.of(1);
        return switch (setup.path("accumulation").asText("accumulating")) {
            case "discarding" -> PurgingTrigger.of(trigger);
            case "accumulating" -> trigger;
            default -> throw new UnknownStep(setup.get("accumulation").asText());
        };
    }

    private static Duration length(JsonNode setup, String name) {
        return Duration.ofMillis(setup.get(name).asLong());
    }

    /** Flink refuses an offset that is no less than the distance of two windows; the same windows have one. */
    private static Duration offset(JsonNode setup, String distance) {
        return Duration.ofMillis(setup.path("offset").asLong() % setup.get(distance).asLong());
    }
}
