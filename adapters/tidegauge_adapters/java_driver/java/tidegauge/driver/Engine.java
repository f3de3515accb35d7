package tidegauge.driver;

/** An instance of a component. The outputs of a step are added to the {@link Outputs} that it was made with. */
public interface Engine extends AutoCloseable {
    void step(String name, Fields step) throws Exception;

    /** Release what the instance holds. */
    @Override
    default void close() {}
}
