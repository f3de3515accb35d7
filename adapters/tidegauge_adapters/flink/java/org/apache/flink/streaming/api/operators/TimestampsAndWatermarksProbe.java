package org.apache.flink.streaming.api.operators;

import java.lang.reflect.Field;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.operators.util.PausableRelativeClock;
import org.apache.flink.streaming.runtime.operators.TimestampsAndWatermarksOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.util.clock.RelativeClock;

/** A TimestampsAndWatermarksOperator without a task: what its open() does, but for the task's metrics. */
public final class TimestampsAndWatermarksProbe extends BareTimestampsAndWatermarksOperator {
    private static final long WATERMARK_INTERVAL = 200;
    private final ExecutionConfig executionConfig = new ExecutionConfig();

    public TimestampsAndWatermarksProbe(
            WatermarkStrategy<Long> strategy, ProcessingTimeService time, Output<StreamRecord<Long>> output)
            throws Exception {
        super(strategy);
        this.output = output;
        this.processingTimeService = time;
        PausableRelativeClock activity = new PausableRelativeClock(time.getClock());
        set("inputActivityClock", activity);
        set("timestampAssigner", strategy.createTimestampAssigner(() -> null));
        set("watermarkGenerator", strategy.createWatermarkGenerator(context(activity)));
        set("wmOutput", new WatermarkEmitter(output));
        set("watermarkInterval", WATERMARK_INTERVAL);
    }

    @Override
    public ExecutionConfig getExecutionConfig() {
        return executionConfig;
    }

    private static WatermarkGeneratorSupplier.Context context(RelativeClock activity) {
        return new WatermarkGeneratorSupplier.Context() {
            @Override
            public MetricGroup getMetricGroup() {
                return null;
            }

            @Override
            public RelativeClock getInputActivityClock() {
                return activity;
            }
        };
    }

    private void set(String name, Object value) throws Exception {
        Field field = TimestampsAndWatermarksOperator.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(this, value);
    }
}
