package tidegauge.kafka;

import static java.time.Duration.ofMillis;
import static org.apache.kafka.streams.kstream.Suppressed.BufferConfig.unbounded;
import static org.apache.kafka.streams.kstream.Suppressed.untilWindowCloses;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.ForeachAction;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import tidegauge.driver.Fields;
import tidegauge.driver.UnknownStep;

/** A topology that aggregates the values of each key and window to a list, from the classes of the DSL. */
final class WindowTopology {
    static final String INPUT = "in";

    @SuppressWarnings("unchecked") // the serde of a list takes a class without its type argument
    private static final Serde<List<Long>> VALUES = Serdes.ListSerde(ArrayList.class, Serdes.Long());

    private final Emit emit;
    private final Duration grace;
    private final Duration kept;

    /**
     * @param emit when a window emits results
     * @param grace the grace period of the windows
     * @param kept how long the store retains a window after it has closed
     */
    WindowTopology(Emit emit, Duration grace, Duration kept) {
        this.emit = emit;
        this.grace = grace;
        this.kept = kept;
    }

    /**
     * Build the topology.
     *
     * @param assigner the windows, as the setup of a scenario describes them
     * @param streamTime accepts the stream time (ms) with each record, before the record is aggregated
     * @param results accepts the results; a value of null deletes the result of a session that was merged
     */
    Topology of(Fields assigner, LongConsumer streamTime, ForeachAction<Windowed<String>, List<Long>> results) {
        StreamsBuilder builder = new StreamsBuilder();
        KGroupedStream<String, Long> records =
                builder.stream(INPUT, Consumed.with(Serdes.String(), Serdes.Long()))
                        .processValues(() -> new StreamTimeProbe(streamTime))
                        .groupByKey(Grouped.with(Serdes.String(), Serdes.Long()));
        KTable<Windowed<String>, List<Long>> table =
                switch (assigner.text("assigner")) {
                    case "session" -> sessions(records, assigner);
                    case "tumbling", "sliding" -> windows(records, assigner);
                    default -> throw new UnknownStep(assigner.text("assigner"));
                };
        if (emit == Emit.SUPPRESS) {
            table = table.suppress(untilWindowCloses(unbounded()));
        }
        table.toStream().foreach(results);
        return builder.build();
    }

    private KTable<Windowed<String>, List<Long>> sessions(KGroupedStream<String, Long> records, Fields assigner) {
        Duration gap = ofMillis(assigner.number("gap", 0));
        SessionWindows windows = SessionWindows.ofInactivityGapAndGrace(gap, grace);
        return records.windowedBy(windows)
                .emitStrategy(strategy())
                .aggregate(ArrayList::new, WindowTopology::with, (key, one, other) -> both(one, other), stored(gap));
    }

    private KTable<Windowed<String>, List<Long>> windows(KGroupedStream<String, Long> records, Fields assigner) {
        Duration size = ofMillis(assigner.number("size", 0));
        TimeWindows windows =
                TimeWindows.ofSizeAndGrace(size, grace)
                        .advanceBy(ofMillis(assigner.number("slide", size.toMillis())));
        return records.windowedBy(windows)
                .emitStrategy(strategy())
                .aggregate(ArrayList::new, WindowTopology::with, stored(size));
    }

    private EmitStrategy strategy() {
        return emit == Emit.CLOSE ? EmitStrategy.onWindowClose() : EmitStrategy.onWindowUpdate();
    }

    /** The store of an aggregation, in memory. By default, the retention is the size and the grace period. */
    private <S extends StateStore> Materialized<String, List<Long>, S> stored(Duration size) {
        return Materialized.<String, List<Long>, S>with(Serdes.String(), VALUES)
                .withStoreType(BuiltInDslStoreSuppliers.IN_MEMORY)
                .withRetention(size.plus(grace).plus(kept));
    }

    private static List<Long> with(String key, Long value, List<Long> values) {
        return both(values, List.of(value));
    }

    private static List<Long> both(List<Long> one, List<Long> other) {
        List<Long> values = new ArrayList<>(one);
        values.addAll(other);
        return values;
    }

    /** Reads the stream time of the task, and forwards each record. */
    private static final class StreamTimeProbe extends ContextualFixedKeyProcessor<String, Long, Long> {
        private final LongConsumer streamTime;

        StreamTimeProbe(LongConsumer streamTime) {
            this.streamTime = streamTime;
        }

        @Override
        public void process(FixedKeyRecord<String, Long> record) {
            streamTime.accept(context().currentStreamTimeMs());
            context().forward(record);
        }
    }
}
