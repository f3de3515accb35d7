package tidegauge.flink;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** An instance of a component. What comes out of a step is added to the {@link Outputs} it was made with. */
interface Engine {
    void step(String name, JsonNode step) throws Throwable;

    /** Whether an exception may refuse the step; if not, each is a failure. */
    default boolean refuses() {
        return true;
    }

    default void close() throws Exception {}
}
