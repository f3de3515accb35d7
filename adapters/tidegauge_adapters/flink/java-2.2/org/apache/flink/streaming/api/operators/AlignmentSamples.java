package org.apache.flink.streaming.api.operators;

import org.apache.flink.configuration.Configuration;

/** Before Flink 2.3 a SourceOperator takes no samples: it decides on alignment with each watermark. */
public final class AlignmentSamples {
    private AlignmentSamples() {}

    /** There is no number of samples to set. */
    public static void use(int samples, Configuration configuration) {}

    /** The last watermark (ms) that the operator emitted; MIN before the first. */
    static long latest(SourceOperator<?, ?> operator) throws ReflectiveOperationException {
        return RunningSourceOperator.field(SourceOperator.class, "latestWatermark").getLong(operator);
    }
}
