package org.apache.flink.runtime.source.coordinator;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.LongConsumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkAlignmentParams;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.metrics.groups.OperatorCoordinatorMetricGroup;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionGraphID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.messages.Acknowledge;
import org.apache.flink.runtime.metrics.groups.InternalOperatorCoordinatorMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.operators.coordination.CoordinatorStore;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.runtime.source.event.ReportedWatermarkEvent;
import org.apache.flink.runtime.source.event.WatermarkAlignmentEvent;

/** A started SourceCoordinator. Each call returns when the coordinator's thread has done what it asks. */
public final class CoordinatorProbe {
    /** The period of announcements (ms): 292 years, since steps make them. */
    private static final long NEVER = Long.MAX_VALUE / 1_000_000;

    private final SourceCoordinator<NumberSequenceSplit, Collection<NumberSequenceSplit>> coordinator;
    private final SourceCoordinatorContext<NumberSequenceSplit> context;
    private Throwable failedJob;

    /** {@code group}: null without alignment; {@code drift} in ms. */
    public CoordinatorProbe(String name, String group, long drift, int subtasks, CoordinatorStore store)
            throws Exception {
        Job job = new Job(subtasks, store);
        NumberSequenceSource source = new NumberSequenceSource(0, 100);
        context = CoordinatorConstruction.context(job.getJobID(), name, job, source);
        WatermarkAlignmentParams alignment =
                group == null
                        ? WatermarkAlignmentParams.WATERMARK_ALIGNMENT_DISABLED
                        : new WatermarkAlignmentParams(drift, group, NEVER);
        coordinator = CoordinatorConstruction.coordinator(job.getJobID(), name, source, context, store, alignment);
        coordinator.start();
        isDone();
    }

    /** The subtask runs; {@code bounds} (ms) are sent to it. */
    public void ready(int subtask, LongConsumer bounds) throws Exception {
        coordinator.executionAttemptReady(subtask, 0, new Subtask(subtask, bounds));
        isDone();
    }

    public void failed(int subtask) throws Exception {
        coordinator.executionAttemptFailed(subtask, 0, new Exception("the subtask failed"));
        isDone();
    }

    public void reset(int subtask) throws Exception {
        coordinator.subtaskReset(subtask, 1);
        isDone();
    }

    /** A subtask reports a {@code watermark} (ms). */
    public void report(int subtask, long watermark) throws Exception {
        coordinator.handleEventFromOperator(subtask, 0, new ReportedWatermarkEvent(watermark));
        isDone();
    }

    /** Raises what the coordinator's thread raises: in a job that ends the process. */
    public void announce() throws Exception {
        try {
            context.getCoordinatorExecutor().submit(coordinator::announceCombinedWatermark).get();
        } catch (ExecutionException error) {
            throw error.getCause() instanceof Exception cause ? cause : error;
        }
        isDone();
    }

    public void close() throws Exception {
        coordinator.close();
    }

    /** Raises what failed the job. */
    private void isDone() throws Exception {
        context.getCoordinatorExecutor().submit(() -> {}).get();
        Throwable cause = failedJob;
        failedJob = null;
        if (cause != null) {
            throw new IllegalArgumentException("the job failed", cause);
        }
    }

    private final class Job implements OperatorCoordinator.Context {
        private final JobID job = new JobID();
        private final OperatorID operator = new OperatorID();
        private final int subtasks;
        private final CoordinatorStore store;

        Job(int subtasks, CoordinatorStore store) {
            this.subtasks = subtasks;
            this.store = store;
        }

        /** Overrides a method of Flink 2.0 and later. */
        public JobID getJobID() {
            return job;
        }

        @Override
        public OperatorID getOperatorId() {
            return operator;
        }

        @Override
        public OperatorCoordinatorMetricGroup metricGroup() {
            return new InternalOperatorCoordinatorMetricGroup(
                    UnregisteredMetricGroups.createUnregisteredJobManagerOperatorMetricGroup());
        }

        @Override
        public void failJob(Throwable cause) {
            failedJob = cause;
        }

        @Override
        public int currentParallelism() {
            return subtasks;
        }

        @Override
        public ClassLoader getUserCodeClassloader() {
            return CoordinatorProbe.class.getClassLoader();
        }

        @Override
        public CoordinatorStore getCoordinatorStore() {
            return store;
        }

        @Override
        public boolean isConcurrentExecutionAttemptsSupported() {
            return false;
        }

        @Override
        public CheckpointCoordinator getCheckpointCoordinator() {
            return null;
        }
    }

    private record Subtask(int subtask, LongConsumer bounds, ExecutionAttemptID attempt)
            implements OperatorCoordinator.SubtaskGateway {
        Subtask(int subtask, LongConsumer bounds) {
            this(
                    subtask,
                    bounds,
                    new ExecutionAttemptID(
                            new ExecutionGraphID(), new ExecutionVertexID(new JobVertexID(), subtask), 0));
        }

        @Override
        public CompletableFuture<Acknowledge> sendEvent(OperatorEvent event) {
            if (event instanceof WatermarkAlignmentEvent announcement) {
                bounds.accept(announcement.getMaxWatermark());
            }
            return CompletableFuture.completedFuture(Acknowledge.get());
        }

        @Override
        public ExecutionAttemptID getExecution() {
            return attempt;
        }

        @Override
        public int getSubtask() {
            return subtask;
        }
    }
}
