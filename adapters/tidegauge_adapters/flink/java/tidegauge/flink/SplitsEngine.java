package tidegauge.flink;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkOutputMultiplexer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.operators.source.TimestampsAndWatermarks;
import org.apache.flink.streaming.api.operators.source.WatermarkToDataOutput;

/** A WatermarkOutputMultiplexer; in front of a WatermarkToDataOutput, as in a task, or {@code bare}. */
final class SplitsEngine implements Engine {
    private final WatermarkOutputMultiplexer multiplexer;

    SplitsEngine(Outputs outputs, boolean bare) {
        multiplexer =
                new WatermarkOutputMultiplexer(
                        bare
                                ? new Downstream.ToWatermarks(outputs)
                                : new WatermarkToDataOutput(new Downstream.ToData<>(outputs), new NotListening()));
    }

    @Override
    public void step(String name, JsonNode step) {
        if (name.equals("tick")) {
            multiplexer.onPeriodicEmit();
            return;
        }
        String split = step.get("split").asText();
        switch (name) {
            case "add-split" -> multiplexer.registerNewOutput(split, new NotListening());
            case "remove-split" -> multiplexer.unregisterOutput(split);
            case "watermark" ->
                    output(split, step).emitWatermark(new Watermark(Timestamps.read(step.get("timestamp"))));
            case "idle" -> output(split, step).markIdle();
            case "active" -> output(split, step).markActive();
            default -> throw new UnknownStep(name);
        }
    }

    private WatermarkOutput output(String split, JsonNode step) {
        return step.path("deferred").asBoolean()
                ? multiplexer.getDeferredOutput(split)
                : multiplexer.getImmediateOutput(split);
    }

    /** Alignment and metrics, which hear of watermarks, are not part of the component. */
    static final class NotListening
            implements WatermarkOutputMultiplexer.WatermarkUpdateListener,
                    TimestampsAndWatermarks.WatermarkUpdateListener {
        @Override
        public void onWatermarkUpdate(long watermark) {}

        /** Overrides a method of Flink 2.1 and later. */
        public void onIdleUpdate(boolean idle) {}

        @Override
        public void updateIdle(boolean idle) {}

        @Override
        public void updateCurrentEffectiveWatermark(long watermark) {}

        @Override
        public void updateCurrentSplitWatermark(String split, long watermark) {}

        /** Overrides a method of Flink 2.1 and later. */
        public void updateCurrentSplitIdle(String split, boolean idle) {}

        @Override
        public void splitFinished(String split) {}
    }
}
