package tidegauge.driver;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The outputs of the current step, in the words of the protocol. */
public final class Outputs {
    private List<Map<String, Object>> ofThisStep = new ArrayList<>();

    /** The outputs since the last call. */
    List<Map<String, Object>> taken() {
        List<Map<String, Object>> taken = ofThisStep;
        ofThisStep = new ArrayList<>();
        return taken;
    }

    public void watermark(long timestamp) {
        add("watermark").put("timestamp", Timestamps.write(timestamp));
    }

    public void idle() {
        add("idle");
    }

    public void active() {
        add("active");
    }

    public void drop() {
        add("drop");
    }

    public void fire(long start, long end, Collection<Long> values) {
        Map<String, Object> fire = add("fire");
        fire.put("start", Timestamps.write(start));
        fire.put("end", Timestamps.write(end));
        fire.put("values", values.stream().sorted().toList());
    }

    public void stateSize(long records) {
        add("state-size").put("records", records);
    }

    private Map<String, Object> add(String output) {
        Map<String, Object> added = Json.object("output", output);
        ofThisStep.add(added);
        return added;
    }
}
