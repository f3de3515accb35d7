package org.apache.flink.streaming.runtime.operators.windowing;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.eventtime.IndexedCombinedWatermarkStatus;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.AsyncKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.StatePartitionStreamProvider;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.StreamOperatorStateContext;
import org.apache.flink.streaming.api.operators.StreamOperatorStateHandler;
import org.apache.flink.streaming.api.operators.TimestampedCollector;
import org.apache.flink.streaming.api.windowing.assigners.MergingWindowAssigner;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.triggers.Trigger;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.operators.windowing.functions.InternalWindowFunction;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.util.CloseableIterable;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** A WindowOperator of one key on a heap state backend, without a task: what its setup() and open() do. */
public final class WindowProbe extends WindowOperator<Integer, Long, Iterable<Long>, Object, TimeWindow> {
    /** Hears of the records of a window that fires. */
    public interface Fired {
        void fired(TimeWindow window, Iterable<Long> values);
    }

    private static final int KEY = 0;
    private static final OutputTag<Long> LATE = new OutputTag<>("late") {};

    private final ExecutionConfig executionConfig = new ExecutionConfig();
    private final HeapKeyedStateBackend<Integer> backend;
    private final boolean isMerging;
    private InternalListState<Integer, TimeWindow, Long> contents;
    private InternalListState<Integer, VoidNamespace, Tuple2<TimeWindow, TimeWindow>> mergedWindows;

    /** {@code allowedLateness} in ms. Without {@code lateOutput} late records are dropped. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public WindowProbe(
            WindowAssigner<Object, TimeWindow> assigner,
            Trigger<Object, TimeWindow> trigger,
            long allowedLateness,
            boolean lateOutput,
            Fired fired,
            Output<StreamRecord<Object>> output,
            ProcessingTimeService time)
            throws Exception {
        super(
                assigner,
                new TimeWindow.Serializer(),
                record -> KEY,
                IntSerializer.INSTANCE,
                (StateDescriptor) contentsDescriptor(),
                function(fired),
                trigger,
                allowedLateness,
                lateOutput ? LATE : null);
        this.output = output;
        processingTimeService = time;
        metrics = UnregisteredMetricGroups.createUnregisteredOperatorMetricGroup();
        set(AbstractStreamOperator.class, "combinedWatermark", IndexedCombinedWatermarkStatus.forInputsCount(1));
        isMerging = assigner instanceof MergingWindowAssigner;
        backend = stateAndTimers(time);
        opened(output);
    }

    public void record(long timestamp, long value) throws Exception {
        setCurrentKey(KEY);
        processElement(
                timestamp == Long.MIN_VALUE ? new StreamRecord<>(value) : new StreamRecord<>(value, timestamp));
    }

    /** How many late records have been dropped. */
    public long dropped() {
        return numLateRecordsDropped.getCount();
    }

    /** How many records are kept of windows whose cleanup time the watermark has reached. */
    public int expired() throws Exception {
        setCurrentKey(KEY);
        Map<TimeWindow, TimeWindow> windowOfState = new HashMap<>();
        if (isMerging && mergedWindows.get() != null) {
            for (Tuple2<TimeWindow, TimeWindow> merged : mergedWindows.get()) {
                windowOfState.put(merged.f1, merged.f0);
            }
        }
        List<Tuple2<Integer, TimeWindow>> kept = new ArrayList<>();
        backend.<TimeWindow>getKeysAndNamespaces("window-contents").forEach(kept::add);
        int records = 0;
        for (Tuple2<Integer, TimeWindow> one : kept) {
            TimeWindow window = windowOfState.getOrDefault(one.f1, one.f1);
            if (cleanup(window) > internalTimerService.currentWatermark()) {
                continue;
            }
            contents.setCurrentNamespace(one.f1);
            if (contents.get() != null) {
                for (Long ignored : contents.get()) {
                    records++;
                }
            }
        }
        return records;
    }

    public void dispose() {
        backend.dispose();
    }

    @Override
    public ExecutionConfig getExecutionConfig() {
        return executionConfig;
    }

    /** Overrides a method of Flink 2.1 and later. */
    public boolean isAsyncKeyOrderedProcessingEnabled() {
        return false;
    }

    @Override
    protected <N, S extends State, T> S getOrCreateKeyedState(
            TypeSerializer<N> namespaceSerializer, StateDescriptor<S, T> descriptor) throws Exception {
        return stateHandler.getOrCreateKeyedState(namespaceSerializer, descriptor);
    }

    private long cleanup(TimeWindow window) {
        long cleanup = window.maxTimestamp() + allowedLateness;
        return cleanup < window.maxTimestamp() ? Long.MAX_VALUE : cleanup;
    }

    private static ListStateDescriptor<Long> contentsDescriptor() {
        return new ListStateDescriptor<>("window-contents", LongSerializer.INSTANCE);
    }

    private static InternalWindowFunction<Iterable<Long>, Object, Integer, TimeWindow> function(Fired fired) {
        return new InternalWindowFunction<>() {
            @Override
            public void process(
                    Integer key, TimeWindow window, InternalWindowContext context, Iterable<Long> values, Collector<Object> out) {
                fired.fired(window, values);
            }

            @Override
            public void clear(TimeWindow window, InternalWindowContext context) {}
        };
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private HeapKeyedStateBackend<Integer> stateAndTimers(ProcessingTimeService time) throws Exception {
        CloseableRegistry registry = new CloseableRegistry();
        HeapState state = HeapState.of(this, executionConfig, registry, time);
        timeServiceManager = (InternalTimeServiceManager) state.timers();
        StateContext context = new StateContext(state.backend(), state.timers());
        stateHandler = new StreamOperatorStateHandler(context, executionConfig, registry);
        return state.backend();
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private void opened(Output<StreamRecord<Object>> output) throws Exception {
        numLateRecordsDropped = metrics.counter("numLateRecordsDropped");
        timestampedCollector = new TimestampedCollector<>(output);
        internalTimerService = getInternalTimerService("window-timers", windowSerializer, this);
        triggerContext = new Context(null, null);
        processContext = new WindowContext(null);
        windowAssignerContext =
                new WindowAssigner.WindowAssignerContext() {
                    @Override
                    public long getCurrentProcessingTime() {
                        return internalTimerService.currentProcessingTime();
                    }
                };
        Object state = getOrCreateKeyedState(windowSerializer, (StateDescriptor) contentsDescriptor());
        contents = (InternalListState) state;
        set(WindowOperator.class, "windowState", state);
        if (isMerging) {
            set(WindowOperator.class, "windowMergingState", state);
            Class<Tuple2<TimeWindow, TimeWindow>> pair = (Class<Tuple2<TimeWindow, TimeWindow>>) (Class<?>) Tuple2.class;
            TupleSerializer<Tuple2<TimeWindow, TimeWindow>> serializer =
                    new TupleSerializer<>(pair, new TypeSerializer[] {windowSerializer, windowSerializer});
            mergedWindows =
                    (InternalListState)
                            getOrCreateKeyedState(
                                    VoidNamespaceSerializer.INSTANCE,
                                    new ListStateDescriptor<>("merging-window-set", serializer));
            mergedWindows.setCurrentNamespace(VoidNamespace.INSTANCE);
            set(WindowOperator.class, "mergingSetsState", mergedWindows);
        }
        setCurrentKey(KEY);
    }

    private void set(Class<?> holder, String name, Object value) throws Exception {
        Field field = holder.getDeclaredField(name);
        field.setAccessible(true);
        field.set(this, value);
    }

    private record StateContext(HeapKeyedStateBackend<Integer> backend, InternalTimeServiceManager<?> timers)
            implements StreamOperatorStateContext {
        @Override
        public OptionalLong getRestoredCheckpointId() {
            return OptionalLong.empty();
        }

        @Override
        public OperatorStateBackend operatorStateBackend() {
            return null;
        }

        /** Overrides a method of Flink 2.0 and later. */
        public TypeSerializer<?> keySerializer() {
            return IntSerializer.INSTANCE;
        }

        @Override
        public CheckpointableKeyedStateBackend<?> keyedStateBackend() {
            return backend;
        }

        @Override
        @SuppressWarnings("rawtypes") // the class has a parameter from Flink 2.0 on
        public AsyncKeyedStateBackend asyncKeyedStateBackend() {
            return null;
        }

        @Override
        public InternalTimeServiceManager<?> internalTimerServiceManager() {
            return timers;
        }

        /** Overrides a method of Flink 2.0 and later. */
        public InternalTimeServiceManager<?> asyncInternalTimerServiceManager() {
            return null;
        }

        @Override
        public CloseableIterable<StatePartitionStreamProvider> rawOperatorStateInputs() {
            return CloseableIterable.empty();
        }

        @Override
        public CloseableIterable<KeyGroupStatePartitionStreamProvider> rawKeyedStateInputs() {
            return CloseableIterable.empty();
        }
    }
}
