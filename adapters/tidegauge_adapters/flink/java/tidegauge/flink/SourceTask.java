package tidegauge.flink;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * A SourceEngine in a task that fails where the operator raises something. The next task goes on from where the
 * failed one was before the step, as from a checkpoint; what the failed one sent in that step is lost.
 */
final class SourceTask implements Engine {
    private final JsonNode setup;
    private final Outputs outputs;
    private final List<JsonNode> done = new ArrayList<>();
    private SourceEngine source;

    SourceTask(JsonNode setup, Outputs outputs) throws Exception {
        this.setup = setup;
        this.outputs = outputs;
        source = new SourceEngine(setup, outputs);
    }

    @Override
    public void step(String name, JsonNode step) throws Exception {
        try {
            source.step(name, step);
            done.add(step);
        } catch (UnknownStep error) {
            throw error;
        } catch (Exception failed) {
            source = new SourceEngine(setup, outputs);
            for (JsonNode earlier : done) {
                source.step(earlier.get("step").asText(), earlier);
            }
            outputs.taken();
            throw failed;
        }
    }
}
