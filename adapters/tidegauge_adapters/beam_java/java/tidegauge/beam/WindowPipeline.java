package tidegauge.beam;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.beam.runners.direct.DirectOptions;
import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.runners.direct.PipelineProbe;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.AfterPane;
import org.apache.beam.sdk.transforms.windowing.AfterWatermark;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.DefaultTrigger;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.Repeatedly;
import org.apache.beam.sdk.transforms.windowing.Sessions;
import org.apache.beam.sdk.transforms.windowing.SlidingWindows;
import org.apache.beam.sdk.transforms.windowing.Trigger;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** A scenario as a whole pipeline on the direct runner: TestStream, Window, GroupByKey, and what records the panes. */
final class WindowPipeline {
    private static final int RECORD = -1;
    private static final int KEY = 0;
    private static final ExecutorService ENDS = Executors.newCachedThreadPool();

    private final JsonNode setup;
    private final JsonNode steps;
    private final String eventTimeTrigger;

    WindowPipeline(JsonNode scenario, String eventTimeTrigger) {
        setup = scenario.get("setup");
        steps = scenario.get("history");
        this.eventTimeTrigger = eventTimeTrigger;
    }

    /** Run the pipeline until all steps have ended. After the last step, it ends in the background. */
    void run(Transcript transcript) throws Throwable {
        DirectRunner.DirectPipelineResult result = (DirectRunner.DirectPipelineResult) pipeline(transcript).run();
        transcript.running(new PipelineProbe(result));
        ENDS.submit(() -> {
            try {
                result.waitUntilFinish();
                // Steps after the end of the input have no events: the state of the pipeline is read after its end.
                for (int step = stepsOfTheStream(); hasEnd() && step <= steps.size(); step++) {
                    transcript.begin(step);
                }
            } catch (Exception | LinkageError | AssertionError failure) {
                transcript.failed(failure);
            } finally {
                transcript.close();
            }
        });
        transcript.await();
    }

    private Pipeline pipeline(Transcript transcript) {
        DirectOptions options = PipelineOptionsFactory.create().as(DirectOptions.class);
        options.setRunner(DirectRunner.class);
        options.setTargetParallelism(1);
        options.setBlockOnRun(false);
        Pipeline pipeline = Pipeline.create(options);
        long number = transcript.number();
        pipeline.apply(stream())
                .apply("Marks", ParDo.of(new Marks(number)))
                .apply("Windows", windows())
                .apply("Assigned", ParDo.of(new Assigned(number)))
                .apply("Groups", GroupByKey.create())
                .apply("Panes", ParDo.of(new Panes(number)));
        return pipeline;
    }

    static Duration allowedLateness(JsonNode setup) {
        return Duration.millis(setup.path("allowed_lateness").longValue());
    }

    /** The events of the steps, each after an element that marks the step. The end of the input comes last. */
    private TestStream<KV<Integer, Long>> stream() {
        TestStream.Builder<KV<Integer, Long>> builder =
                TestStream.create(KvCoder.of(VarIntCoder.of(), VarLongCoder.of()));
        for (int index = 0; index < stepsOfTheStream(); index++) {
            JsonNode step = steps.get(index);
            switch (step.get("step").asText()) {
                case "record" -> {
                    Instant time = new Instant(Timestamps.read(step.get("timestamp")));
                    long value = step.get("value").longValue();
                    // One bundle, in this order: the mark ends the step before while the pipeline is quiescent.
                    builder = builder.addElements(mark(index), TimestampedValue.of(KV.of(RECORD, value), time));
                }
                case "watermark" -> {
                    builder = builder.addElements(mark(index));
                    if (!Timestamps.isMax(step.get("timestamp"))) {
                        builder = builder.advanceWatermarkTo(Timestamps.watermark(step.get("timestamp")));
                    }
                }
                case "expired-state" -> builder = builder.addElements(mark(index));
                default -> throw new IllegalArgumentException("the driver does not know " + step.get("step"));
            }
        }
        if (!hasEnd()) {
            builder = builder.addElements(mark(steps.size()));
        }
        return builder.advanceWatermarkToInfinity();
    }

    private static TimestampedValue<KV<Integer, Long>> mark(int step) {
        return TimestampedValue.of(KV.of(step, 0L), new Instant(0));
    }

    private boolean hasEnd() {
        return stepsOfTheStream() < steps.size()
                || steps.size() > 0 && Timestamps.isMax(steps.get(steps.size() - 1).path("timestamp"));
    }

    /** The number of steps up to the end of the input, that step included. */
    private int stepsOfTheStream() {
        for (int index = 0; index < steps.size(); index++) {
            JsonNode step = steps.get(index);
            if (step.get("step").asText().equals("watermark") && Timestamps.isMax(step.get("timestamp"))) {
                return index + 1;
            }
        }
        return steps.size();
    }

    private Window<KV<Integer, Long>> windows() {
        Window<KV<Integer, Long>> windows = Window.<KV<Integer, Long>>into(windowFn())
                .triggering(trigger())
                .withAllowedLateness(allowedLateness(setup), Window.ClosingBehavior.FIRE_IF_NON_EMPTY)
                .withOnTimeBehavior(Window.OnTimeBehavior.FIRE_IF_NON_EMPTY);
        return switch (setup.path("accumulation").asText("accumulating")) {
            case "discarding" -> windows.discardingFiredPanes();
            case "accumulating" -> windows.accumulatingFiredPanes();
            default -> throw new IllegalArgumentException("Beam has no mode " + setup.get("accumulation"));
        };
    }

    private Trigger trigger() {
        if (setup.path("trigger").asText("event-time").equals("per-record")) {
            return Repeatedly.forever(AfterPane.elementCountAtLeast(1));
        }
        return eventTimeTrigger.equals("default")
                ? DefaultTrigger.of()
                : AfterWatermark.pastEndOfWindow().withLateFirings(AfterPane.elementCountAtLeast(1));
    }

    private WindowFn<Object, IntervalWindow> windowFn() {
        JsonNode assigner = setup.get("assigner");
        if (assigner.get("assigner").asText().equals("session")) {
            return Sessions.withGapDuration(Duration.millis(assigner.get("gap").longValue()));
        }
        long size = assigner.get("size").longValue();
        long slide = assigner.path("slide").asLong(size);
        // Beam takes offsets in [0, slide): an offset and its remainder give the same windows.
        Duration offset = Duration.millis(Math.floorMod(assigner.path("offset").longValue(), slide));
        return assigner.has("slide")
                ? SlidingWindows.of(Duration.millis(size)).every(Duration.millis(slide)).withOffset(offset)
                : FixedWindows.of(Duration.millis(size)).withOffset(offset);
    }

    /** Notes the marks of steps, and passes on the records. */
    private static final class Marks extends DoFn<KV<Integer, Long>, KV<Integer, Long>> {
        private final long number;

        Marks(long number) {
            this.number = number;
        }

        @ProcessElement
        public void process(@Element KV<Integer, Long> element, OutputReceiver<KV<Integer, Long>> records)
                throws Exception {
            if (element.getKey() == RECORD) {
                records.output(KV.of(KEY, element.getValue()));
            } else {
                Transcript.numbered(number).begin(element.getKey());
            }
        }
    }

    /** Counts the windows of a record. */
    private static final class Assigned extends DoFn<KV<Integer, Long>, KV<Integer, Long>> {
        private final long number;

        Assigned(long number) {
            this.number = number;
        }

        @ProcessElement
        public void process(
                @Element KV<Integer, Long> element, BoundedWindow window, OutputReceiver<KV<Integer, Long>> records) {
            Transcript.numbered(number).assigned();
            records.output(element);
        }
    }

    /** Notes the panes. */
    private static final class Panes extends DoFn<KV<Integer, Iterable<Long>>, Void> {
        private final long number;

        Panes(long number) {
            this.number = number;
        }

        @ProcessElement
        public void process(@Element KV<Integer, Iterable<Long>> pane, BoundedWindow window) {
            List<Long> values = new ArrayList<>();
            pane.getValue().forEach(values::add);
            Transcript.numbered(number).pane((IntervalWindow) window, values);
        }
    }
}
