package org.apache.flink.streaming.api.operators;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.operators.source.WatermarkSampler;

/** The samples of watermarks by which a SourceOperator decides on alignment. Flink has them from 2.3 on. */
public final class AlignmentSamples {
    private AlignmentSamples() {}

    /** Set the number of samples. With 0, the operator decides with each watermark. */
    public static void use(int samples, Configuration configuration) {
        configuration.set(PipelineOptions.WATERMARK_ALIGNMENT_BUFFER_SIZE, samples);
    }

    /** The last watermark (ms) that the operator emitted; MIN before the first. */
    static long latest(SourceOperator<?, ?> operator) throws ReflectiveOperationException {
        return ((WatermarkSampler) RunningSourceOperator.field(SourceOperator.class, "sampledLatestWatermark").get(operator))
                .getLatest();
    }
}
