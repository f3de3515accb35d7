package tidegauge.flink;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.operators.InputsProbe;

/** The inputs of an AbstractStreamOperatorV2. */
final class InputsEngine implements Engine {
    private final InputsProbe operator;

    InputsEngine(JsonNode setup, Outputs outputs) throws Exception {
        operator = InputsProbe.make(setup.get("inputs").asInt(), new Downstream.ToOperator<>(outputs));
    }

    @Override
    public void step(String name, JsonNode step) throws Exception {
        int input = step.get("input").asInt();
        switch (name) {
            case "input-watermark" -> operator.watermark(input, Timestamps.read(step.get("timestamp")));
            case "input-idle" -> operator.status(input, true);
            case "input-active" -> operator.status(input, false);
            default -> throw new UnknownStep(name);
        }
    }
}
