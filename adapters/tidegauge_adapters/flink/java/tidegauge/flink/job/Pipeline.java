package tidegauge.flink.job;

import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import tidegauge.flink.job.JobDescription.SourceDescription;

/** The graph of a job, written as users of Flink write theirs. */
final class Pipeline {
    /**
     * How often subtasks report and coordinators announce, on the wall. In virtual time all of that happens at each
     * instant.
     */
    private static final Duration UPDATE_INTERVAL = Duration.ofMillis(2);

    /** How often generators look whether they are idle, and markers are sent, on the wall. */
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(1);

    private Pipeline() {}

    /** {@code key}: by which the parts of the job find the {@link RunningJob}. */
    static JobGraph graph(String key, JobDescription description) {
        Configuration configuration = new Configuration();
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        configuration.set(PipelineOptions.AUTO_WATERMARK_INTERVAL, CHECK_INTERVAL);
        configuration.set(ExecutionOptions.BUFFER_TIMEOUT, Duration.ZERO);
        configuration.set(MetricOptions.LATENCY_INTERVAL, CHECK_INTERVAL);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        List<SourceDescription> sources = description.sources();
        DataStream<Long> all = null;
        for (int index = 0; index < sources.size(); index++) {
            SourceDescription source = sources.get(index);
            int subtasks = source.feeds().size();
            DataStream<Long> left =
                    environment
                            .fromSource(new FeedSource(key, index), strategy(key, index, source), source.name(), Types.LONG)
                            .setParallelism(subtasks)
                            .map(new Logging(key, index))
                            .setParallelism(subtasks);
            if (description.window() == null) {
                left.sinkTo(new DiscardingSink<>()).setParallelism(subtasks);
            } else {
                all = all == null ? left : all.union(left);
            }
        }
        if (all != null) {
            Windows.behind(all, Duration.ofMillis(description.window()), key);
        }
        return environment.getStreamGraph().getJobGraph();
    }

    private static WatermarkStrategy<Long> strategy(String key, int index, SourceDescription source) {
        long maxOutOfOrderness = source.maxOutOfOrderness();
        WatermarkStrategy<Long> watermarks =
                WatermarkStrategy.forGenerator(context -> new WatermarkOfEachRecord(maxOutOfOrderness));
        WatermarkStrategy<Long> idling =
                source.idleTimeout() == null
                        ? watermarks
                        : watermarks.withIdleness(Duration.ofMillis(source.idleTimeout()));
        WatermarkStrategy<Long> counted =
                WatermarkStrategy.forGenerator(context -> counted(key, index, idling, context));
        return source.group() == null
                ? counted
                : counted.withWatermarkAlignment(source.group(), Duration.ofMillis(source.drift()), UPDATE_INTERVAL);
    }

    private static WatermarkGenerator<Long> counted(
            String key, int index, WatermarkStrategy<Long> strategy, WatermarkGeneratorSupplier.Context context) {
        int subtask = Integer.parseInt(context.getMetricGroup().getAllVariables().get("<subtask_index>"));
        WatermarkGenerator<Long> generator = strategy.createWatermarkGenerator(context);
        return new CountedChecks(generator, RunningJob.of(key).checksOf(index, subtask));
    }

    /** Chained to a source: what leaves it goes to the log, in the same thread. */
    private static final class Logging extends RichMapFunction<Long, Long> {
        private static final long serialVersionUID = 1;

        private final String key;
        private final int source;
        private transient LongConsumer log;

        Logging(String key, int source) {
            this.key = key;
            this.source = source;
        }

        @Override
        public Long map(Long timestamp) {
            if (log == null) { // the reader is made after this function is opened
                log = RunningJob.of(key).logOf(source, getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
            }
            log.accept(timestamp);
            return timestamp;
        }
    }
}
