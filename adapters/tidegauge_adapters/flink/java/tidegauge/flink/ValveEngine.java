package tidegauge.flink;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** A StatusWatermarkValve. */
final class ValveEngine implements Engine {
    private final StatusWatermarkValve valve;
    private final Downstream.ToData<Object> out;

    ValveEngine(JsonNode setup, Outputs outputs) {
        valve = new StatusWatermarkValve(setup.get("channels").asInt());
        out = new Downstream.ToData<>(outputs);
    }

    @Override
    public void step(String name, JsonNode step) throws Exception {
        int channel = step.get("channel").asInt();
        switch (name) {
            case "watermark" ->
                    valve.inputWatermark(new Watermark(Timestamps.read(step.get("timestamp"))), channel, out);
            case "idle" -> valve.inputWatermarkStatus(WatermarkStatus.IDLE, channel, out);
            case "active" -> valve.inputWatermarkStatus(WatermarkStatus.ACTIVE, channel, out);
            default -> throw new UnknownStep(name);
        }
    }
}
