package tidegauge.beam;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.runners.direct.PipelineProbe;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.joda.time.Duration;
import org.joda.time.Instant;

/**
 * What a pipeline shows of the steps of a scenario. The functions of the pipeline, which the runner serializes, find
 * it by its number.
 *
 * <p>Before each step the stream has an element that marks it. {@link org.apache.beam.sdk.testing.TestStream}
 * delivers an event when the pipeline has processed all events before it: when the mark of a step arrives, the panes,
 * the counter and the watermark of the step before are complete.
 */
final class Transcript {
    private static final Map<Long, Transcript> OPEN = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Comparator<Pane> BY_END =
            Comparator.comparing((Pane pane) -> pane.window.end()).thenComparing(pane -> pane.window.start());

    private record Pane(IntervalWindow window, List<Long> values) {}

    private final long number = NUMBERS.incrementAndGet();
    private final JsonNode steps;
    private final Duration allowedLateness;
    private final CompletableFuture<PipelineProbe> probe = new CompletableFuture<>();
    private final CompletableFuture<Void> complete = new CompletableFuture<>();
    private final ArrayNode outputs = JsonNodeFactory.instance.arrayNode();
    private final List<Pane> panes = new ArrayList<>();
    private int current = -1;
    private int windowsOfRecord;
    private long dropped;
    private Instant watermark = BoundedWindow.TIMESTAMP_MIN_VALUE;

    Transcript(JsonNode steps, Duration allowedLateness) {
        this.steps = steps;
        this.allowedLateness = allowedLateness;
        OPEN.put(number, this);
    }

    static Transcript numbered(long number) {
        return OPEN.get(number);
    }

    long number() {
        return number;
    }

    /** The pipeline runs. The first mark waits for this. */
    void running(PipelineProbe started) {
        probe.complete(started);
    }

    /** A step begins, and the one before has ended. The mark after the last step only ends it. */
    synchronized void begin(int step) throws Exception {
        if (current >= 0 && current < steps.size()) {
            end();
        }
        current = step;
        windowsOfRecord = 0;
        panes.clear();
        if (step == steps.size()) {
            complete.complete(null);
        }
    }

    /** The pipeline has failed. */
    void failed(Throwable failure) {
        complete.completeExceptionally(failure);
    }

    /** Wait for the mark after the last step. */
    void await() throws Throwable {
        try {
            complete.get();
        } catch (ExecutionException failure) {
            throw failure.getCause();
        }
    }

    /** The record of this step was assigned to a window. */
    synchronized void assigned() {
        windowsOfRecord++;
    }

    /** A pane of a window left the GroupByKey. */
    synchronized void pane(IntervalWindow window, List<Long> values) {
        panes.add(new Pane(window, values));
    }

    /** The outputs of the steps that have ended. */
    synchronized ArrayNode outputs() {
        return outputs;
    }

    void close() {
        OPEN.remove(number);
    }

    private void end() throws Exception {
        ArrayNode ofStep = outputs.addArray();
        PipelineProbe known = probe.get();
        panes.sort(BY_END); // the elements of a PCollection have no order
        for (Pane pane : panes) {
            ObjectNode fire = ofStep.addObject().put("output", "fire");
            fire.put("start", pane.window.start().getMillis()).put("end", pane.window.end().getMillis());
            ArrayNode values = fire.putArray("values");
            pane.values.stream().sorted().forEach(values::add);
        }
        long before = dropped;
        dropped = known.droppedDueToLateness();
        // Beam counts a late record once for each window from which it is dropped.
        if (windowsOfRecord > 0 && dropped - before == windowsOfRecord) {
            ofStep.addObject().put("output", "drop");
        }
        Instant reached = known.outputWatermark();
        if (reached.isAfter(watermark)) {
            watermark = reached;
            ofStep.addObject().put("output", "watermark").set("timestamp", Timestamps.write(watermark));
        }
        if (steps.get(current).path("step").asText().equals("expired-state")) {
            ofStep.addObject()
                    .put("output", "state-size")
                    .put("records", known.expiredRecords(allowedLateness, watermark));
        }
    }
}
