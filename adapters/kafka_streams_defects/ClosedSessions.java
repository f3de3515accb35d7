import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.DslStoreSuppliers;
import org.apache.kafka.streams.state.SessionStore;

/** Shows final results of sessions (gap of 10 s, no grace period) that are emitted twice, too soon, or never. */
public final class ClosedSessions {
    private static final DslStoreSuppliers IN_MEMORY = BuiltInDslStoreSuppliers.IN_MEMORY;
    private static final DslStoreSuppliers ROCKS_DB = BuiltInDslStoreSuppliers.ROCKS_DB;

    private record Event(String key, String value, int second) {}

    public static void main(String[] arguments) {
        List<Event> late =
                List.of(new Event("k", "A", 26), new Event("other", "-", 40), new Event("k", "B", 36), new Event("other", "-", 60));
        print("suppress, RocksDB: a late record joins a session that is final", true, ROCKS_DB, late);
        List<Event> atTheEnd =
                List.of(new Event("k", "A", 26), new Event("other", "-", 36), new Event("k", "B", 36), new Event("other", "-", 60));
        print("suppress, RocksDB: final before the session is closed", true, ROCKS_DB, atTheEnd);
        List<Event> plain = List.of(new Event("k", "A", 26), new Event("k", "B", 60), new Event("k", "C", 100));
        print("onWindowClose, in memory: never final", false, IN_MEMORY, plain);
        List<Event> pause = List.of(new Event("k", "A", 26), new Event("k", "B", 300), new Event("k", "C", 600));
        print("onWindowClose, RocksDB: lost after a pause", false, ROCKS_DB, pause);
        print("suppress, RocksDB: the same pause", true, ROCKS_DB, pause);
        System.exit(0);
    }

    private static void print(String title, boolean isSuppressed, DslStoreSuppliers stores, List<Event> events) {
        List<String> results = new ArrayList<>();
        StreamsBuilder builder = new StreamsBuilder();
        KTable<Windowed<String>, String> table =
                builder.stream("in", Consumed.with(Serdes.String(), Serdes.String()))
                        .groupByKey()
                        .windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofSeconds(10)))
                        .emitStrategy(isSuppressed ? EmitStrategy.onWindowUpdate() : EmitStrategy.onWindowClose())
                        .aggregate(
                                () -> "",
                                (key, value, values) -> values + value,
                                (key, one, other) -> one + other,
                                Materialized.<String, String, SessionStore<Bytes, byte[]>>with(
                                                Serdes.String(), Serdes.String())
                                        .withStoreType(stores));
        if (isSuppressed) {
            table = table.suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()));
        }
        table.toStream()
                .filter((window, values) -> window.key().equals("k"))
                .foreach((window, values) -> results.add(described(window, values)));
        Properties properties = new Properties();
        properties.put("application.id", "closed-sessions-" + System.nanoTime());
        properties.put("bootstrap.servers", "none:1");
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), properties)) {
            var input = driver.createInputTopic("in", new StringSerializer(), new StringSerializer());
            for (Event event : events) {
                driver.advanceWallClockTime(Duration.ofSeconds(1)); // onWindowClose emits once a second
                input.pipeInput(event.key(), event.value(), event.second() * 1000L);
            }
        }
        System.out.println(title + ": " + results);
    }

    private static String described(Windowed<String> window, String values) {
        return "[" + window.window().start() / 1000 + " s, " + window.window().end() / 1000 + " s] " + values;
    }
}
