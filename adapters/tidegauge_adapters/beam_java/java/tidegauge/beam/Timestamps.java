package tidegauge.beam;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.joda.time.Instant;

/** Timestamps (ms) as the protocol writes them: plain numbers within 53 bits, else "MIN" or "MAX". */
final class Timestamps {
    private static final String MIN = "MIN";
    private static final String MAX = "MAX";

    private Timestamps() {}

    static boolean isMax(JsonNode written) {
        return MAX.equals(written.textValue());
    }

    static long read(JsonNode written) {
        if (!written.isIntegralNumber()) {
            throw new IllegalArgumentException("the driver does not know the timestamp " + written);
        }
        return written.longValue();
    }

    /** The watermark t of the protocol, all up to t has arrived, is t + 1 in Beam: nothing before it will come. */
    static Instant watermark(JsonNode written) {
        return new Instant(read(written) + 1);
    }

    static JsonNode write(Instant watermark) {
        if (!watermark.isBefore(BoundedWindow.TIMESTAMP_MAX_VALUE)) {
            return JsonNodeFactory.instance.textNode(MAX);
        }
        return watermark.isAfter(BoundedWindow.TIMESTAMP_MIN_VALUE)
                ? JsonNodeFactory.instance.numberNode(watermark.getMillis() - 1)
                : JsonNodeFactory.instance.textNode(MIN);
    }
}
