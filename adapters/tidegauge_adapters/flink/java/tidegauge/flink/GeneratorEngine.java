package tidegauge.flink;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.SerializableTimestampAssigner;
import org.apache.flink.api.common.eventtime.WatermarkAlignmentParams;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.operators.TimestampsAndWatermarksProbe;
import org.apache.flink.streaming.api.operators.source.SourceOutputWithWatermarks;
import org.apache.flink.streaming.api.operators.util.PausableRelativeClock;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.clock.RelativeClock;

/** A WatermarkStrategy, in a SourceOutputWithWatermarks or in a TimestampsAndWatermarksOperator. */
final class GeneratorEngine implements Engine {
    private final Outputs outputs;
    private final ManualTime time;
    private final boolean isAtSource;
    private WatermarkStrategy<Long> strategy;
    private TimestampsAndWatermarksProbe operator;
    private SourceOutputWithWatermarks<Long> sourceOutput;

    GeneratorEngine(JsonNode setup, Outputs outputs) throws Exception {
        this.outputs = outputs;
        time = new ManualTime(setup.path("processing_time").asLong());
        isAtSource = setup.get("place").asText().equals("source");
        strategy =
                ofKind(setup.get("kind").asText(), setup.path("max_out_of_orderness").asLong())
                        .withTimestampAssigner(assigner(setup.path("assigner").asText("record-time")));
        if (setup.hasNonNull("idle_timeout")) {
            strategy = strategy.withIdleness(Duration.ofMillis(setup.get("idle_timeout").asLong()));
        }
        start();
    }

    @Override
    public void step(String name, JsonNode step) throws Exception {
        if (isAtSource ? stepsAtSource(name, step) : stepsInMidPipeline(name, step)) {
            return;
        }
        switch (name) {
            case "advance" -> time.clock.advance(step.get("milliseconds").asLong() * 1_000_000);
            case "start" -> start();
            case "alignment" -> alignment();
            default -> strategy = built(name, step);
        }
    }

    private boolean stepsAtSource(String name, JsonNode step) throws Exception {
        switch (name) {
            case "record" -> {
                long timestamp = Timestamps.read(step.get("timestamp"));
                if (timestamp == Long.MIN_VALUE) {
                    sourceOutput.collect(0L);
                } else {
                    sourceOutput.collect(0L, timestamp);
                }
            }
            case "tick", "finish" -> sourceOutput.emitPeriodicWatermark();
            case "watermark" -> { // nothing is upstream of a source but its end, which its task sends
                if (Timestamps.read(step.get("timestamp")) == Long.MAX_VALUE) {
                    outputs.watermark(Long.MAX_VALUE);
                }
            }
            case "idle", "active" -> {}
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean stepsInMidPipeline(String name, JsonNode step) throws Exception {
        switch (name) {
            case "record" -> {
                long timestamp = Timestamps.read(step.get("timestamp"));
                operator.processElement(
                        timestamp == Long.MIN_VALUE ? new StreamRecord<>(0L) : new StreamRecord<>(0L, timestamp));
            }
            case "tick" -> operator.onProcessingTime(time.getCurrentProcessingTime());
            case "finish" -> operator.finish();
            case "watermark" -> operator.processWatermark(new Watermark(Timestamps.read(step.get("timestamp"))));
            case "idle" -> operator.processWatermarkStatus(WatermarkStatus.IDLE);
            case "active" -> operator.processWatermarkStatus(WatermarkStatus.ACTIVE);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void start() throws Exception {
        if (!isAtSource) {
            operator = new TimestampsAndWatermarksProbe(strategy, time, new Downstream.ToOperator<>(outputs));
            return;
        }
        PausableRelativeClock activity = new PausableRelativeClock(time.clock);
        Downstream.ToWatermarks watermarks = new Downstream.ToWatermarks(outputs);
        sourceOutput =
                SourceOutputWithWatermarks.createWithSeparateOutputs(
                        new Downstream.ToData<>(outputs),
                        watermarks,
                        watermarks,
                        strategy.createTimestampAssigner(() -> null),
                        strategy.createWatermarkGenerator(
                                new WatermarkGeneratorSupplier.Context() {
                                    @Override
                                    public MetricGroup getMetricGroup() {
                                        return null;
                                    }

                                    @Override
                                    public RelativeClock getInputActivityClock() {
                                        return activity;
                                    }
                                }));
    }

    /** The strategy after a builder call. Flink looks at a bound when the generator is made, so one is made. */
    private WatermarkStrategy<Long> built(String name, JsonNode step) {
        return switch (name) {
            case "no-watermarks" -> WatermarkStrategy.noWatermarks();
            case "for-monotonous-timestamps" -> WatermarkStrategy.forMonotonousTimestamps();
            case "for-bounded-out-of-orderness" -> {
                WatermarkStrategy<Long> bounded =
                        WatermarkStrategy.forBoundedOutOfOrderness(duration(step.get("max_out_of_orderness")));
                bounded.createWatermarkGenerator(null);
                yield bounded;
            }
            case "for-generator" -> {
                String kind = text(step.get("supplier"));
                yield WatermarkStrategy.forGenerator(kind == null ? null : supplier(kind));
            }
            case "with-timestamp-assigner" -> {
                String kind = text(step.get("assigner"));
                yield strategy.withTimestampAssigner(kind == null ? null : assigner(kind));
            }
            case "with-idleness" -> strategy.withIdleness(duration(step.get("timeout")));
            case "with-watermark-alignment" -> {
                String group = text(step.get("watermark_group"));
                Duration drift = duration(step.get("max_allowed_watermark_drift"));
                Duration interval = duration(step.path("update_interval"));
                yield interval == null
                        ? strategy.withWatermarkAlignment(group, drift)
                        : strategy.withWatermarkAlignment(group, drift, interval);
            }
            default -> throw new UnknownStep(name);
        };
    }

    private void alignment() {
        WatermarkAlignmentParams alignment = strategy.getAlignmentParameters();
        if (alignment.isEnabled()) {
            outputs.add("alignment")
                    .put("watermark_group", alignment.getWatermarkGroup())
                    .put("max_allowed_watermark_drift", alignment.getMaxAllowedWatermarkDrift())
                    .put("update_interval", alignment.getUpdateInterval());
        }
    }

    private WatermarkStrategy<Long> ofKind(String kind, long bound) {
        return switch (kind) {
            case "no-watermarks" -> WatermarkStrategy.noWatermarks();
            case "bounded-out-of-orderness" ->
                    bound == 0
                            ? WatermarkStrategy.forMonotonousTimestamps()
                            : WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(bound));
            default -> WatermarkStrategy.forGenerator(supplier(kind));
        };
    }

    private WatermarkGeneratorSupplier<Long> supplier(String kind) {
        return context -> Generators.make(kind, 0, null, time.clock);
    }

    private SerializableTimestampAssigner<Long> assigner(String kind) {
        return kind.equals("record-time")
                ? (event, timestamp) -> timestamp
                : (event, timestamp) -> time.getCurrentProcessingTime();
    }

    private static Duration duration(JsonNode milliseconds) {
        return milliseconds.isNumber() ? Duration.ofMillis(milliseconds.asLong()) : null;
    }

    private static String text(JsonNode node) {
        return node.isNull() ? null : node.asText();
    }
}
