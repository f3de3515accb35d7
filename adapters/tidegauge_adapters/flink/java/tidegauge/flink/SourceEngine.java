package tidegauge.flink;

import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.metrics.TimerGauge;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.source.event.AddSplitEvent;
import org.apache.flink.runtime.source.event.ReportedWatermarkEvent;
import org.apache.flink.runtime.source.event.WatermarkAlignmentEvent;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.operators.AlignmentSamples;
import org.apache.flink.streaming.api.operators.SourceOperatorProbe;
import org.apache.flink.streaming.api.watermark.Watermark;

/** A SourceOperator around a reader that does what the steps say. */
final class SourceEngine implements Engine {
    private static final long PERIOD_OF_WATERMARKS = 7_777;
    private static final long PERIOD_OF_REPORTS = 8_888;

    private final Outputs outputs;
    private final ManualTime time;
    private final ScriptedReader reader;
    private final boolean hasSplitOutputs;
    private final NumberSequenceSource numbers = new NumberSequenceSource(0, 1);
    private final SourceOperatorProbe<Long, NumberSequenceSplit> operator;
    private final Downstream.ToData<Long> out;
    private boolean isWaiting;
    private boolean hasEnded;
    private boolean isBackpressured;

    SourceEngine(JsonNode setup, Outputs outputs) throws Exception {
        this.outputs = outputs;
        time = new ManualTime(setup.path("start").asLong());
        reader = new ScriptedReader(outputs, setup.path("can_pause").asBoolean(true));
        hasSplitOutputs = setup.path("per_split_outputs").asBoolean(true);
        operator =
                new SourceOperatorProbe<>(
                        reader,
                        this::said,
                        numbers.getSplitSerializer(),
                        strategy(setup),
                        time,
                        configuration(setup),
                        PERIOD_OF_WATERMARKS);
        out =
                new Downstream.ToData<>(outputs) {
                    @Override
                    public void emitWatermark(Watermark watermark) {
                        operator.getSourceMetricGroup().watermarkEmitted(watermark.getTimestamp());
                        super.emitWatermark(watermark);
                    }
                };
        operator.emitNext(out); // a task polls at once: outputs and timers are made
        outputs.taken();
    }

    /** After each step the runtime asks the operator whether it may be polled. */
    @Override
    public void step(String name, JsonNode step) throws Exception {
        try {
            happens(name, step);
        } finally {
            if (operator.isWaitingForAlignment() != isWaiting) {
                isWaiting = !isWaiting;
                outputs.add(isWaiting ? "blocked" : "unblocked");
            }
        }
    }

    private void happens(String name, JsonNode step) throws Exception {
        switch (name) {
            case "assign" -> {
                NumberSequenceSplit split = new NumberSequenceSplit(step.get("split").asText(), 0, 1);
                operator.handleOperatorEvent(new AddSplitEvent<>(List.of(split), numbers.getSplitSerializer()));
            }
            case "finish" -> reader.finished(step.get("split").asText());
            case "record" -> {
                long timestamp = Timestamps.read(step.get("timestamp"));
                reads(step, output -> collect(output, timestamp));
            }
            case "watermark" -> {
                long timestamp = Timestamps.read(step.get("timestamp"));
                reads(
                        step,
                        output ->
                                output.emitWatermark(
                                        new org.apache.flink.api.common.eventtime.Watermark(timestamp)));
            }
            case "idle" -> reads(step, SourceOutput::markIdle);
            case "active" -> reads(step, SourceOutput::markActive);
            case "tick" -> time.fire(PERIOD_OF_WATERMARKS);
            case "report" -> time.fire(PERIOD_OF_REPORTS);
            case "announcement" ->
                    operator.handleOperatorEvent(new WatermarkAlignmentEvent(Timestamps.read(step.get("bound"))));
            case "backpressure" -> backpressure(step.get("on").asBoolean());
            case "advance" -> time.clock.advance(step.get("milliseconds").asLong() * 1_000_000);
            case "end-of-input" -> end();
            default -> throw new UnknownStep(name);
        }
    }

    private void reads(JsonNode step, java.util.function.Consumer<SourceOutput<Long>> write) throws Exception {
        boolean isMain = step.get("split").isNull() || !hasSplitOutputs;
        reader.writes(isMain ? null : step.get("split").asText(), write);
        operator.emitNext(out);
        reader.wasPolled();
    }

    private static void collect(SourceOutput<Long> output, long timestamp) {
        if (timestamp == Long.MIN_VALUE) {
            output.collect(timestamp);
        } else {
            output.collect(timestamp, timestamp);
        }
    }

    /** The gauge that a task keeps, to which the clocks listen. */
    private void backpressure(boolean on) {
        if (on == isBackpressured) {
            return;
        }
        isBackpressured = on;
        TimerGauge gauge = operator.taskMetrics().getIOMetricGroup().getHardBackPressuredTimePerSecond();
        if (on) {
            gauge.markStart();
        } else {
            gauge.markEnd();
        }
    }

    /** What a SourceOperatorStreamTask does at the end: MAX, no timers, and one more poll. */
    private void end() throws Exception {
        reader.ends();
        operator.emitNext(out);
        if (reader.wasPolled() && !hasEnded) {
            hasEnded = true;
            out.emitWatermark(Watermark.MAX_WATERMARK);
            time.stop(PERIOD_OF_WATERMARKS);
            operator.emitNext(out);
        }
    }

    private void said(OperatorEvent event) {
        if (event instanceof ReportedWatermarkEvent report) {
            outputs.report(report.getWatermark());
        }
    }

    private WatermarkStrategy<Long> strategy(JsonNode setup) {
        String kind = setup.path("generator").asText("bounded-out-of-orderness");
        long bound = setup.path("max_out_of_orderness").asLong();
        WatermarkStrategy<Long> strategy =
                WatermarkStrategy.forGenerator(context -> Generators.make(kind, bound, null, time.clock));
        if (setup.hasNonNull("idle_timeout")) {
            strategy = strategy.withIdleness(Duration.ofMillis(setup.get("idle_timeout").asLong()));
        }
        if (setup.path("aligned").asBoolean(true)) {
            strategy = strategy.withWatermarkAlignment("group", Duration.ZERO, Duration.ofMillis(PERIOD_OF_REPORTS));
        }
        return strategy;
    }

    private static Configuration configuration(JsonNode setup) {
        Configuration configuration = new Configuration();
        AlignmentSamples.use(setup.path("buffer_size").asInt(0), configuration);
        configuration.set(
                PipelineOptions.ALLOW_UNALIGNED_SOURCE_SPLITS, setup.path("allow_unaligned_splits").asBoolean(false));
        return configuration;
    }
}
