package org.apache.flink.runtime.source.coordinator;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkAlignmentParams;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.runtime.operators.coordination.CoordinatorStore;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;

/** Constructs a SourceCoordinator and its context, which know the job from Flink 2.0 on. */
final class CoordinatorConstruction {
    private CoordinatorConstruction() {}

    static <S extends SourceSplit> SourceCoordinatorContext<S> context(
            JobID job, String name, OperatorCoordinator.Context operator, Source<?, S, ?> source) {
        return new SourceCoordinatorContext<>(
                job,
                new SourceCoordinatorProvider.CoordinatorExecutorThreadFactory("coordinator-" + name, operator),
                1,
                operator,
                source.getSplitSerializer(),
                false);
    }

    static <S extends SourceSplit, C> SourceCoordinator<S, C> coordinator(
            JobID job,
            String name,
            Source<?, S, C> source,
            SourceCoordinatorContext<S> context,
            CoordinatorStore store,
            WatermarkAlignmentParams alignment) {
        return new SourceCoordinator<>(job, name, source, context, store, alignment, null);
    }
}
