package tidegauge.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.streams.internals.metrics.ClientMetrics;
import tidegauge.driver.Conversation;
import tidegauge.driver.Engine;
import tidegauge.driver.EngineUnderTest;
import tidegauge.driver.Fields;
import tidegauge.driver.Outputs;
import tidegauge.driver.UnknownStep;

/**
 * Stock Kafka Streams as an engine of the process protocol. The arguments say when the topology emits results, and what
 * stores retain: {@code all} windows, or what the DSL computes ({@code dsl}).
 */
public final class Driver implements EngineUnderTest {
    /** Longer than all timestamps of the protocol are apart. */
    private static final Duration ALL = Duration.ofMillis(1L << 53);

    private final Emit emit;
    private final Duration kept;

    private Driver(Emit emit, Duration kept) {
        this.emit = emit;
        this.kept = kept;
    }

    public static void main(String[] arguments) throws IOException {
        Conversation.hold(new Driver(Emit.of(arguments[0]), arguments[1].equals("all") ? ALL : Duration.ZERO));
    }

    @Override
    public String name() {
        return "Kafka Streams";
    }

    @Override
    public String version() {
        return ClientMetrics.version();
    }

    @Override
    public List<String> capabilities() {
        return List.of("window");
    }

    @Override
    public Engine made(String component, Fields setup, Outputs outputs) {
        if (!component.equals("window")) {
            throw new UnknownStep(component);
        }
        return new WindowEngine(setup, emit, kept, outputs);
    }
}
