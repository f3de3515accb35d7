package tidegauge.hazelcast;

/** A step, a component or a choice of a setup that Jet has no class for: an error of this driver. */
final class UnknownStep extends RuntimeException {
    UnknownStep(String name) {
        super("the driver does not know " + name);
    }
}
