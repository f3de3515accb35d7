package tidegauge.flink;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;

/** Timestamps (ms) as the protocol writes them: plain numbers within 53 bits, else "MIN", "MAX" or a string. */
final class Timestamps {
    private static final long LARGEST_PLAIN = (1L << 53) - 1;

    private Timestamps() {}

    static long read(JsonNode written) {
        if (written.isNumber()) {
            return written.asLong();
        }
        return switch (written.asText()) {
            case "MIN" -> Long.MIN_VALUE;
            case "MAX" -> Long.MAX_VALUE;
            default -> Long.parseLong(written.asText());
        };
    }

    static JsonNode write(long timestamp) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        if (-LARGEST_PLAIN <= timestamp && timestamp <= LARGEST_PLAIN) {
            return nodes.numberNode(timestamp);
        }
        if (timestamp == Long.MIN_VALUE) {
            return nodes.textNode("MIN");
        }
        return nodes.textNode(timestamp == Long.MAX_VALUE ? "MAX" : Long.toString(timestamp));
    }
}
