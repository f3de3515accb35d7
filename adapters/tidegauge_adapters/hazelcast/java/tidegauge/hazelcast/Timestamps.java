package tidegauge.hazelcast;

import com.hazelcast.internal.json.Json;
import com.hazelcast.internal.json.JsonValue;

/** Timestamps (ms) as the protocol writes them: plain numbers within 53 bits, else "MIN", "MAX" or a string. */
final class Timestamps {
    private static final long LARGEST_PLAIN = (1L << 53) - 1;

    private Timestamps() {}

    static long read(JsonValue written) {
        if (written.isNumber()) {
            return written.asLong();
        }
        return switch (written.asString()) {
            case "MIN" -> Long.MIN_VALUE;
            case "MAX" -> Long.MAX_VALUE;
            default -> Long.parseLong(written.asString());
        };
    }

    static JsonValue write(long timestamp) {
        if (-LARGEST_PLAIN <= timestamp && timestamp <= LARGEST_PLAIN) {
            return Json.value(timestamp);
        }
        if (timestamp == Long.MIN_VALUE) {
            return Json.value("MIN");
        }
        return Json.value(timestamp == Long.MAX_VALUE ? "MAX" : Long.toString(timestamp));
    }
}
