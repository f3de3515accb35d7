package tidegauge.driver;

/** Timestamps (ms) as the protocol writes them: plain numbers within 53 bits, else "MIN", "MAX" or a string. */
final class Timestamps {
    private static final long LARGEST_PLAIN = (1L << 53) - 1;

    private Timestamps() {}

    static long read(Object written) {
        if (written instanceof Long plain) {
            return plain;
        }
        String text = (String) written;
        return switch (text) {
            case "MIN" -> Long.MIN_VALUE;
            case "MAX" -> Long.MAX_VALUE;
            default -> Long.parseLong(text);
        };
    }

    static Object write(long timestamp) {
        if (-LARGEST_PLAIN <= timestamp && timestamp <= LARGEST_PLAIN) {
            return timestamp;
        }
        if (timestamp == Long.MIN_VALUE) {
            return "MIN";
        }
        return timestamp == Long.MAX_VALUE ? "MAX" : Long.toString(timestamp);
    }
}
