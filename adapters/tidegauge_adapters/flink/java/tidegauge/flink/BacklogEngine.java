package tidegauge.flink;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.runtime.io.RecordAttributesCombiner;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;

/** A RecordAttributesCombiner. It cannot be told on which channels no strategy is declared. */
final class BacklogEngine implements Engine {
    private final RecordAttributesCombiner combiner;
    private final Downstream.ToData<Object> out;

    BacklogEngine(JsonNode setup, Outputs outputs) {
        combiner = new RecordAttributesCombiner(setup.get("channels").asInt());
        out = new Downstream.ToData<>(outputs);
    }

    @Override
    public void step(String name, JsonNode step) throws Exception {
        if (!name.equals("attributes")) {
            throw new UnknownStep(name);
        }
        RecordAttributes attributes = new RecordAttributes(step.get("backlog").asBoolean());
        combiner.inputRecordAttributes(attributes, step.get("channel").asInt(), out);
    }
}
