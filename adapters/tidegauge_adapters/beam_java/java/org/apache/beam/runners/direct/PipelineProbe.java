package org.apache.beam.runners.direct;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import org.apache.beam.runners.core.StateNamespace;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.runners.core.StateNamespaces.WindowNamespace;
import org.apache.beam.runners.core.StateTable;
import org.apache.beam.runners.core.StateTag;
import org.apache.beam.sdk.metrics.MetricNameFilter;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.MetricsFilter;
import org.apache.beam.sdk.runners.AppliedPTransform;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.State;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Reads what the direct runner knows about a pipeline with one GroupByKey: counter, watermark and state. */
public final class PipelineProbe {
    private static final String GROUPING = GroupAlsoByWindowEvaluatorFactory.class.getName();
    private static final MetricsFilter LATE = MetricsFilter.builder()
            .addNameFilter(MetricNameFilter.named(
                    GROUPING + "$GroupAlsoByWindowEvaluator", "DroppedDueToLateness"))
            .build();
    private static final String BUFFER = "buf"; // of SystemReduceFn: the records of a window
    private static final String ACTIVE_WINDOWS = "tree"; // of MergingActiveWindowSet: where they are kept

    private final EvaluationContext context;
    private final AppliedPTransform<?, ?, ?> grouping;
    private final WatermarkManager<AppliedPTransform<?, ?, ?>, ?> watermarks;
    private final ConcurrentMap<StepAndKey, CopyOnAccessInMemoryStateInternals<?>> states;

    /** The probe of a pipeline that runs, or that has ended. */
    @SuppressWarnings("unchecked")
    public PipelineProbe(DirectRunner.DirectPipelineResult result) throws ReflectiveOperationException {
        context = (EvaluationContext) field(result, DirectRunner.DirectPipelineResult.class, "evaluationContext");
        watermarks = (WatermarkManager<AppliedPTransform<?, ?, ?>, ?>)
                field(context, EvaluationContext.class, "watermarkManager");
        states = (ConcurrentMap<StepAndKey, CopyOnAccessInMemoryStateInternals<?>>)
                field(context, EvaluationContext.class, "applicationStateInternals");
        grouping = context.getSteps().stream()
                .filter(step -> step.getTransform() instanceof DirectGroupByKey.DirectGroupAlsoByWindow)
                .findFirst()
                .orElseThrow();
    }

    /** How often a record was dropped from one of its windows, because it was late for this window. */
    public long droppedDueToLateness() {
        long dropped = 0;
        for (MetricResult<Long> counter : context.getMetrics().queryMetrics(LATE).getCounters()) {
            dropped += counter.getCommitted();
        }
        return dropped;
    }

    /** The output watermark of the GroupByKey. */
    public Instant outputWatermark() {
        return watermarks.getWatermarks(grouping).getOutputWatermark();
    }

    /** How many records are kept of windows that are over: the watermark is after their end plus the lateness. */
    public long expiredRecords(Duration allowedLateness, Instant watermark) throws ReflectiveOperationException {
        long records = 0;
        for (CopyOnAccessInMemoryStateInternals<?> state : states.values()) {
            StateTable table = (StateTable) field(state, CopyOnAccessInMemoryStateInternals.class, "table");
            Map<BoundedWindow, BoundedWindow> wholes = wholes(table);
            for (StateNamespace namespace : table.getNamespacesInUse()) {
                if (namespace instanceof WindowNamespace<?> kept
                        && state(table, namespace, BUFFER) instanceof BagState<?> bag) {
                    BoundedWindow window = wholes.getOrDefault(kept.getWindow(), kept.getWindow());
                    if (window.maxTimestamp().plus(allowedLateness).isBefore(watermark)) {
                        for (Object ignored : bag.read()) {
                            records++;
                        }
                    }
                }
            }
        }
        return records;
    }

    /** Sessions by the windows under which their state is kept: a merged session keeps the place of a part. */
    @SuppressWarnings("unchecked")
    private static Map<BoundedWindow, BoundedWindow> wholes(StateTable table) {
        Map<BoundedWindow, BoundedWindow> wholes = new HashMap<>();
        if (state(table, StateNamespaces.global(), ACTIVE_WINDOWS) instanceof ValueState<?> tree
                && tree.read() != null) {
            ((Map<BoundedWindow, Set<BoundedWindow>>) tree.read())
                    .forEach((whole, parts) -> parts.forEach(part -> wholes.put(part, whole)));
        }
        return wholes;
    }

    private static State state(StateTable table, StateNamespace namespace, String id) {
        for (Map.Entry<StateTag, State> entry : table.getTagsInUse(namespace).entrySet()) {
            if (entry.getKey().getId().equals(id)) {
                return entry.getValue();
            }
        }
        return null;
    }

    private static Object field(Object owner, Class<?> declaring, String name) throws ReflectiveOperationException {
        Field field = declaring.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }
}
