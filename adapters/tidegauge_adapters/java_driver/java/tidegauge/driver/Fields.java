package tidegauge.driver;

import java.util.List;
import java.util.Map;

/** The fields of an object of the protocol: a setup, a step or a request. A missing field has a default. */
public record Fields(Map<String, Object> named) {
    public String text(String name) {
        return (String) named.getOrDefault(name, "");
    }

    public long number(String name, long otherwise) {
        return (Long) named.getOrDefault(name, otherwise);
    }

    public long timestamp(String name) {
        return Timestamps.read(named.get(name));
    }

    @SuppressWarnings("unchecked") // the protocol says which fields are objects
    public Fields fields(String name) {
        return new Fields((Map<String, Object>) named.get(name));
    }

    @SuppressWarnings("unchecked") // the protocol says which fields are lists of objects
    List<Fields> list(String name) {
        return ((List<Map<String, Object>>) named.get(name)).stream().map(Fields::new).toList();
    }
}
