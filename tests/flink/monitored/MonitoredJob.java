import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/**
 * A job on a cluster with a REST interface, whose source does what standard input says. The first line of standard
 * output is the URL.
 *
 * <p>Commands: `records SUBTASK TIME...` emits a record for each event time; `fail SUBTASK` makes the subtask fail once;
 * `end` ends the source. Arguments: `idle`: the source has an idle timeout; `aligned`: its subtasks are aligned, at most
 * a minute apart.
 */
public class MonitoredJob {
    private static final int SUBTASKS = 2;
    private static final List<Queue<Long>> RECORDS =
            List.of(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
    private static final long FAILURE = Long.MIN_VALUE;
    private static volatile boolean isOver;

    public static void main(String[] arguments) throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("rest.bind-port", "0");
        configuration.setString("metrics.fetcher.update-interval", "1");
        configuration.setString("web.refresh-interval", "1");
        configuration.setString("taskmanager.memory.managed.size", "1m");
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(SUBTASKS)
                                .build());
        cluster.start();
        submit(cluster, Set.of(arguments));
        System.out.println(cluster.getRestAddress().get());
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "records" -> {
                    for (int number = 2; number < words.length; number++) {
                        RECORDS.get(Integer.parseInt(words[1])).add(Long.parseLong(words[number]));
                    }
                }
                case "fail" -> RECORDS.get(Integer.parseInt(words[1])).add(FAILURE);
                case "end" -> isOver = true;
                default -> throw new IllegalArgumentException(line);
            }
        }
        System.exit(0);
    }

    private static void submit(MiniCluster cluster, Set<String> arguments) throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.delay", "0 s");
        StreamExecutionEnvironment job = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        job.setParallelism(SUBTASKS);
        WatermarkStrategy<Long> strategy =
                WatermarkStrategy.<Long>forGenerator(context -> new EachRecord())
                        .withTimestampAssigner((record, timestamp) -> record);
        if (arguments.contains("idle")) {
            strategy = strategy.withIdleness(Duration.ofMillis(500));
        }
        if (arguments.contains("aligned")) {
            strategy = strategy.withWatermarkAlignment("group", Duration.ofMinutes(1), Duration.ofMillis(50));
        }
        job.fromSource(new Fed(), strategy, "orders")
                .keyBy(record -> record / 1000 % 8)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                .reduce(Long::sum)
                .name("sums")
                .sinkTo(new DiscardingSink<>());
        StreamGraph graph = job.getStreamGraph();
        graph.setJobName("shop");
        cluster.submitJob(graph.getJobGraph()).get();
    }

    /** A watermark with each record. */
    private static final class EachRecord implements WatermarkGenerator<Long> {
        private long greatest = Long.MIN_VALUE + 1;

        @Override
        public void onEvent(Long record, long timestamp, WatermarkOutput output) {
            greatest = Math.max(greatest, timestamp);
            output.emitWatermark(new Watermark(greatest - 1));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    /** One split a subtask. */
    private static final class Fed implements Source<Long, NumberSequenceSplit, Void> {
        @Override
        public Boundedness getBoundedness() {
            return Boundedness.CONTINUOUS_UNBOUNDED;
        }

        @Override
        public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
            return new Reader(RECORDS.get(context.getIndexOfSubtask()));
        }

        @Override
        public SplitEnumerator<NumberSequenceSplit, Void> createEnumerator(
                SplitEnumeratorContext<NumberSequenceSplit> context) {
            return new Splits(context);
        }

        @Override
        public SplitEnumerator<NumberSequenceSplit, Void> restoreEnumerator(
                SplitEnumeratorContext<NumberSequenceSplit> context, Void checkpoint) {
            return new Splits(context);
        }

        @Override
        public SimpleVersionedSerializer<NumberSequenceSplit> getSplitSerializer() {
            return new NumberSequenceSource(0, 1).getSplitSerializer();
        }

        @Override
        public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
            return new Nothing();
        }
    }

    private static final class Nothing implements SimpleVersionedSerializer<Void> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(Void state) {
            return new byte[0];
        }

        @Override
        public Void deserialize(int version, byte[] serialized) {
            return null;
        }
    }

    private record Splits(SplitEnumeratorContext<NumberSequenceSplit> context)
            implements SplitEnumerator<NumberSequenceSplit, Void> {
        @Override
        public void start() {}

        @Override
        public void addReader(int subtask) {
            context.assignSplit(new NumberSequenceSplit("partition-" + subtask, 0, 1), subtask);
        }

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<NumberSequenceSplit> splits, int subtask) {}

        @Override
        public Void snapshotState(long checkpoint) {
            return null;
        }

        @Override
        public void close() {}
    }

    /** Emits the records of a queue. While the queue is empty it is polled again and again, which is enough for a test. */
    private static final class Reader implements SourceReader<Long, NumberSequenceSplit> {
        private final Queue<Long> records;
        private NumberSequenceSplit split;

        private Reader(Queue<Long> records) {
            this.records = records;
        }

        @Override
        public void start() {}

        @Override
        public InputStatus pollNext(ReaderOutput<Long> output) {
            Long record = split == null ? null : records.poll();
            if (record != null && record == FAILURE) {
                throw new IllegalStateException("asked to fail");
            }
            if (record != null) {
                output.createOutputForSplit(split.splitId()).collect(record, record);
                return InputStatus.MORE_AVAILABLE;
            }
            return isOver ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            if (!records.isEmpty() || isOver) {
                return CompletableFuture.completedFuture(null);
            }
            return CompletableFuture.runAsync(
                    () -> {}, CompletableFuture.delayedExecutor(5, java.util.concurrent.TimeUnit.MILLISECONDS));
        }

        @Override
        public void addSplits(List<NumberSequenceSplit> splits) {
            split = splits.get(0);
        }

        @Override
        public void pauseOrResumeSplits(Collection<String> toPause, Collection<String> toResume) {}

        @Override
        public List<NumberSequenceSplit> snapshotState(long checkpoint) {
            return List.of();
        }

        @Override
        public void notifyNoMoreSplits() {}

        @Override
        public void close() {}
    }
}
