package tidegauge.driver;

import java.util.List;

/** What a driver says of its engine, and how it makes instances of a component. */
public interface EngineUnderTest {
    String name();

    String version();

    /** The components, and what the engine can do beside their steps. */
    List<String> capabilities();

    /**
     * Make an instance.
     *
     * @throws UnknownStep if the engine has no class for the component
     */
    Engine made(String component, Fields setup, Outputs outputs) throws Exception;
}
