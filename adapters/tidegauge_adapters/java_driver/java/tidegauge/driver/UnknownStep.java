package tidegauge.driver;

/** A step, a component or a choice of a setup that the engine has no class for: an error of its driver. */
public final class UnknownStep extends RuntimeException {
    public UnknownStep(String name) {
        super("the driver does not know " + name);
    }
}
