package tidegauge.hazelcast;

import com.hazelcast.internal.json.JsonArray;
import com.hazelcast.internal.json.JsonObject;
import java.util.Collection;

/** The outputs of the current step, in the words of the protocol. */
final class Outputs {
    private JsonArray ofThisStep = new JsonArray();

    /** The outputs since the last call. */
    JsonArray taken() {
        JsonArray taken = ofThisStep;
        ofThisStep = new JsonArray();
        return taken;
    }

    void watermark(long timestamp) {
        add("watermark").add("timestamp", Timestamps.write(timestamp));
    }

    void idle() {
        add("idle");
    }

    void active() {
        add("active");
    }

    void drop() {
        add("drop");
    }

    void fire(long start, long end, Collection<Long> values) {
        JsonArray inOrder = new JsonArray();
        values.stream().sorted().forEach(inOrder::add);
        add("fire").add("start", Timestamps.write(start)).add("end", Timestamps.write(end)).add("values", inOrder);
    }

    void stateSize(long records) {
        add("state-size").add("records", records);
    }

    private JsonObject add(String output) {
        JsonObject added = new JsonObject().add("output", output);
        ofThisStep.add(added);
        return added;
    }
}
