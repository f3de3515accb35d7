package org.apache.flink.streaming.api.operators;

import java.util.HashMap;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;

/** A SourceOperator constructed without a task. Its constructor has one parameter less in Flink 2.2 than in 2.3. */
abstract class BareSourceOperator<T, S extends SourceSplit> extends SourceOperator<T, S> {
    BareSourceOperator(
            SourceReader<T, S> reader,
            OperatorEventGateway gateway,
            SimpleVersionedSerializer<S> splitSerializer,
            WatermarkStrategy<T> strategy,
            ProcessingTimeService time,
            Configuration configuration) {
        super(
                null,
                context -> reader,
                gateway,
                splitSerializer,
                strategy,
                time,
                configuration,
                "localhost",
                true,
                () -> false,
                new HashMap<>(),
                false);
    }
}
