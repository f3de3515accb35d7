package tidegauge.flink;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.operators.coordination.CoordinatorStoreImpl;
import org.apache.flink.runtime.source.coordinator.CoordinatorProbe;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** The SourceCoordinators of a job, over the store that they share. */
final class CoordinatorEngine implements Engine {
    private final Outputs outputs;
    private final CoordinatorStoreImpl store = new CoordinatorStoreImpl();
    private final Map<String, Started> sources = new LinkedHashMap<>();

    CoordinatorEngine(JsonNode setup, Outputs outputs) throws Exception {
        this.outputs = outputs;
        for (JsonNode source : setup.path("sources")) {
            String id = source.get("source").asText();
            sources.put(id, new Started(source));
            for (int subtask = 0; subtask < source.get("subtasks").asInt(); subtask++) {
                ready(id, subtask);
            }
        }
    }

    @Override
    public void step(String name, JsonNode step) throws Throwable {
        String id = step.get("source").asText();
        if (name.equals("start")) {
            sources.put(id, new Started(step));
            return;
        }
        Started source = sources.get(id);
        int subtask = step.path("subtask").asInt();
        switch (name) {
            case "report" -> source.coordinator.report(subtask, Timestamps.read(step.get("watermark")));
            case "finish" -> source.coordinator.report(subtask, Long.MAX_VALUE); // as a SourceOperator says it
            case "ready" -> ready(id, subtask);
            case "failed" -> {
                source.running.remove(subtask);
                source.coordinator.failed(subtask);
            }
            case "reset" -> {
                source.running.remove(subtask);
                source.coordinator.reset(subtask);
            }
            case "restart" -> { // RecreateOnResetOperatorCoordinator makes a new one over the same store
                source.coordinator.close();
                sources.put(id, new Started(source.how));
            }
            case "announce" -> {
                if (source.group() != null) { // without a group nothing is scheduled
                    source.coordinator.announce();
                }
            }
            default -> throw new UnknownStep(name);
        }
    }

    @Override
    public void close() throws Exception {
        for (Started source : sources.values()) {
            source.coordinator.close();
        }
    }

    /** An attempt is ready once: what is said of one that runs is no event of Flink's. */
    private void ready(String id, int subtask) throws Exception {
        Started source = sources.get(id);
        if (source.running.add(subtask)) {
            source.coordinator.ready(subtask, bound -> outputs.announcement(id + "/" + subtask, bound));
        }
    }

    private final class Started {
        final JsonNode how;
        final CoordinatorProbe coordinator;
        final Set<Integer> running = new HashSet<>();

        Started(JsonNode how) throws Exception {
            this.how = how;
            coordinator =
                    new CoordinatorProbe(
                            how.get("name").asText(),
                            group(how),
                            how.get("max_allowed_watermark_drift").asLong(),
                            how.get("subtasks").asInt(),
                            store);
        }

        String group() {
            return group(how);
        }

        private static String group(JsonNode how) {
            return how.get("watermark_group").isNull() ? null : how.get("watermark_group").asText();
        }
    }
}
