package org.apache.flink.streaming.runtime.operators.windowing;

import java.util.ArrayList;
import java.util.Collections;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackendBuilder;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.metrics.LatencyTrackingStateConfig;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.runtime.tasks.StreamTaskCancellationContext;

/** The heap state and the timers of an operator with one key group. Their factories are those of Flink 2.0. */
record HeapState(HeapKeyedStateBackend<Integer> backend, InternalTimeServiceManager<Integer> timers) {
    private static final KeyGroupRange KEY_GROUPS = new KeyGroupRange(0, 0);

    static HeapState of(KeyContext operator, ExecutionConfig config, CloseableRegistry registry, ProcessingTimeService time)
            throws Exception {
        ClassLoader loader = HeapState.class.getClassLoader();
        HeapPriorityQueueSetFactory queues = new HeapPriorityQueueSetFactory(KEY_GROUPS, 1, 128);
        HeapKeyedStateBackend<Integer> backend =
                new HeapKeyedStateBackendBuilder<>(
                                null,
                                IntSerializer.INSTANCE,
                                loader,
                                1,
                                KEY_GROUPS,
                                config,
                                TtlTimeProvider.DEFAULT,
                                LatencyTrackingStateConfig.disabled(),
                                new ArrayList<>(),
                                UncompressedStreamCompressionDecorator.INSTANCE,
                                LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED,
                                queues,
                                false,
                                registry)
                        .build();
        return new HeapState(
                backend,
                InternalTimeServiceManagerImpl.create(
                        UnregisteredMetricGroups.createUnregisteredTaskMetricGroup().getIOMetricGroup(),
                        queues,
                        KEY_GROUPS,
                        loader,
                        operator,
                        time,
                        Collections.emptyList(),
                        StreamTaskCancellationContext.alwaysRunning()));
    }
}
