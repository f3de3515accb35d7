package org.apache.flink.streaming.api.operators;

import java.lang.reflect.Field;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.metrics.groups.TaskMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.streaming.api.operators.source.TimestampsAndWatermarks;
import org.apache.flink.streaming.api.operators.util.PausableRelativeClock;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;

/** A SourceOperator without a task: what its open() does, but for state and the registration of the reader. */
public final class SourceOperatorProbe<T, S extends SourceSplit> extends BareSourceOperator<T, S> {
    private final ExecutionConfig executionConfig = new ExecutionConfig();
    private final TaskMetricGroup taskMetrics = UnregisteredMetricGroups.createUnregisteredTaskMetricGroup();

    /** {@code watermarkInterval} in ms. */
    public SourceOperatorProbe(
            SourceReader<T, S> reader,
            OperatorEventGateway gateway,
            SimpleVersionedSerializer<S> splitSerializer,
            WatermarkStrategy<T> strategy,
            ProcessingTimeService time,
            Configuration configuration,
            long watermarkInterval)
            throws Exception {
        super(reader, gateway, splitSerializer, strategy, time, configuration);
        executionConfig.setLatencyTrackingInterval(0);
        executionConfig.setAutoWatermarkInterval(watermarkInterval);
        metrics = UnregisteredMetricGroups.createUnregisteredOperatorMetricGroup();
        initSourceMetricGroup();
        PausableRelativeClock activity = new PausableRelativeClock(time.getClock());
        set("mainInputActivityClock", activity);
        taskMetrics.getIOMetricGroup().registerBackPressureListener(activity);
        set("sourceReader", reader);
        TimestampsAndWatermarks<T> eventTime =
                TimestampsAndWatermarks.createProgressiveEventTimeLogic(
                        strategy,
                        getSourceMetricGroup(),
                        time,
                        watermarkInterval,
                        activity,
                        time.getClock(),
                        taskMetrics.getIOMetricGroup());
        set("eventTimeLogic", eventTime);
        getSourceMetricGroup().idlingStarted();
        reader.start();
        eventTime.startPeriodicWatermarkEmits();
    }

    public boolean isWaitingForAlignment() throws Exception {
        Field mode = SourceOperator.class.getDeclaredField("operatingMode");
        mode.setAccessible(true);
        return String.valueOf(mode.get(this)).equals("WAITING_FOR_ALIGNMENT");
    }

    public TaskMetricGroup taskMetrics() {
        return taskMetrics;
    }

    @Override
    public ExecutionConfig getExecutionConfig() {
        return executionConfig;
    }

    private void set(String name, Object value) throws Exception {
        Field field = SourceOperator.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(this, value);
    }
}
