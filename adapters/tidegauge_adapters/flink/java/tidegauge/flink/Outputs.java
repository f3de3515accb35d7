package tidegauge.flink;

import java.util.Collection;
import java.util.TreeSet;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** What came out of the current step, in the protocol's words. */
final class Outputs {
    private ArrayNode ofThisStep = JsonNodeFactory.instance.arrayNode();

    /** The outputs since the last call. */
    ArrayNode taken() {
        ArrayNode taken = ofThisStep;
        ofThisStep = JsonNodeFactory.instance.arrayNode();
        return taken;
    }

    ObjectNode add(String output) {
        return ofThisStep.addObject().put("output", output);
    }

    void watermark(long timestamp) {
        add("watermark").set("timestamp", Timestamps.write(timestamp));
    }

    void status(boolean idle) {
        add(idle ? "idle" : "active");
    }

    /** {@code timestamp}: MIN_VALUE if it has none. */
    void record(long timestamp) {
        add("record").set("timestamp", Timestamps.write(timestamp));
    }

    void report(long watermark) {
        add("report").set("watermark", Timestamps.write(watermark));
    }

    void announcement(String to, long bound) {
        add("announcement").put("to", to).set("bound", Timestamps.write(bound));
    }

    void error(String code) {
        add("error").put("error", code);
    }

    /** Flink calls the reader once for each split; the protocol says it once for calls in a row. */
    void splits(String output, Collection<String> splits) {
        TreeSet<String> all = new TreeSet<>(splits);
        int last = ofThisStep.size() - 1;
        while (last >= 0 && !ofThisStep.get(last).get("output").asText().startsWith("splits-")) {
            last--;
        }
        if (last >= 0 && ofThisStep.get(last).get("output").asText().equals(output)) {
            ofThisStep.get(last).get("splits").forEach(split -> all.add(split.asText()));
            ofThisStep.remove(last);
        }
        all.forEach(add(output).putArray("splits")::add);
    }
}
