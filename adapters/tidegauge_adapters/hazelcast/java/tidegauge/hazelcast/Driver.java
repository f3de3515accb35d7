package tidegauge.hazelcast;

import com.hazelcast.instance.BuildInfoProvider;
import java.io.IOException;
import java.util.List;
import tidegauge.driver.Conversation;
import tidegauge.driver.Engine;
import tidegauge.driver.EngineUnderTest;
import tidegauge.driver.Fields;
import tidegauge.driver.Outputs;
import tidegauge.driver.UnknownStep;

/** Stock classes of Hazelcast Jet as an engine of the process protocol. */
public final class Driver implements EngineUnderTest {
    private Driver() {}

    public static void main(String[] arguments) throws IOException {
        Conversation.hold(new Driver());
    }

    @Override
    public String name() {
        return "Hazelcast Jet";
    }

    @Override
    public String version() {
        return BuildInfoProvider.getBuildInfo().getVersion();
    }

    @Override
    public List<String> capabilities() {
        return List.of("valve", "window", "int64");
    }

    @Override
    public Engine made(String component, Fields setup, Outputs outputs) throws Exception {
        return switch (component) {
            case "valve" -> new ValveEngine(setup, outputs);
            case "window" -> new WindowEngine(setup, outputs);
            default -> throw new UnknownStep(component);
        };
    }
}
