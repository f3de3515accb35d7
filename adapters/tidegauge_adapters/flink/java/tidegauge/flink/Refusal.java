package tidegauge.flink;

/** Whether an exception of Flink refuses a step, and by which error code of the protocol. */
final class Refusal {
    private Refusal() {}

    /** The code; null for an exception that is a failure of the engine. */
    static String code(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnsupportedOperationException) {
                return "unsupported";
            }
            if (cause instanceof IllegalStateException) {
                return "illegal-state";
            }
            if (cause instanceof IllegalArgumentException
                    || cause instanceof IndexOutOfBoundsException
                    || cause instanceof NullPointerException
                    || cause instanceof ArithmeticException) {
                return "illegal-argument";
            }
        }
        return null;
    }
}
