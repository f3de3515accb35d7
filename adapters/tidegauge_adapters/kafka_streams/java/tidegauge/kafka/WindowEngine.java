package tidegauge.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import tidegauge.driver.Engine;
import tidegauge.driver.Fields;
import tidegauge.driver.Outputs;
import tidegauge.driver.UnknownStep;

/**
 * The windows of a topology, for the records of one key.
 *
 * <p>Kafka Streams has no watermark: the records move the stream time. A watermark t of the protocol says that all
 * records up to t have arrived; here, a record of another key at t + 1 says so, whose own windows are no output. The
 * watermark that goes downstream is the stream time minus 1 ms, when the stream time has risen.
 */
final class WindowEngine implements Engine {
    private static final String KEY = "key";
    private static final String TICK = "tick";

    /** The aggregation emits at most once per second of wall-clock time if it emits closed windows itself. */
    private static final Duration BETWEEN_STEPS = Duration.ofSeconds(1);

    private final Outputs outputs;
    private final TopologyTestDriver driver;
    private final TestInputTopic<String, Long> input;
    private final long gap;
    private final TimeWindows windows;
    private List<? extends Metric> dropped = List.of();
    private long streamTime = Long.MIN_VALUE;

    WindowEngine(Fields setup, Emit emit, Duration kept, Outputs outputs) {
        this.outputs = outputs;
        Fields assigner = setup.fields("assigner");
        Duration grace = Duration.ofMillis(setup.number("allowed_lateness", 0));
        gap = assigner.number("gap", 0);
        long size = assigner.number("size", 1);
        windows =
                TimeWindows.ofSizeAndGrace(Duration.ofMillis(size), grace)
                        .advanceBy(Duration.ofMillis(assigner.number("slide", size)));
        WindowTopology topology = new WindowTopology(emit, grace, kept);
        driver =
                new TopologyTestDriver(
                        topology.of(assigner, time -> streamTime = time, this::result), configuration(), Instant.EPOCH);
        input = driver.createInputTopic(WindowTopology.INPUT, new StringSerializer(), new LongSerializer());
    }

    @Override
    public void step(String name, Fields step) {
        long before = streamTime;
        driver.advanceWallClockTime(BETWEEN_STEPS);
        switch (name) {
            case "record" -> record(step.timestamp("timestamp"), step.number("value", 0));
            case "watermark" -> input.pipeInput(TICK, 0L, step.timestamp("timestamp") + 1);
            default -> throw new UnknownStep(name);
        }
        if (streamTime > before) {
            outputs.watermark(streamTime - 1);
        }
    }

    @Override
    public void close() {
        driver.close();
    }

    /** A record counts as dropped if none of its windows took it: the metric counts closed windows, not records. */
    private void record(long timestamp, long value) {
        double before = droppedSoFar();
        input.pipeInput(KEY, value, timestamp);
        int ownWindows = gap > 0 ? 1 : windows.windowsFor(timestamp).size();
        if (droppedSoFar() - before == ownWindows) {
            outputs.drop();
        }
    }

    private double droppedSoFar() {
        if (dropped.isEmpty()) {
            dropped =
                    driver.metrics().values().stream()
                            .filter(metric -> metric.metricName().name().equals("dropped-records-total"))
                            .toList();
        }
        return dropped.stream().mapToDouble(metric -> ((Number) metric.metricValue()).doubleValue()).sum();
    }

    private void result(Windowed<String> window, List<Long> values) {
        if (window.key().equals(KEY) && values != null) {
            // The end of a session is its last timestamp in Kafka Streams, and the gap later in the protocol.
            outputs.fire(window.window().start(), window.window().end() + gap, values);
        }
    }

    private static Properties configuration() {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "tidegauge");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        return properties;
    }
}
