package tidegauge.flink;

/** A step, a component or a choice of a setup that Flink has no class for: an error of this driver. */
final class UnknownStep extends RuntimeException {
    UnknownStep(String name) {
        super("the driver does not know " + name);
    }
}
