package org.apache.flink.streaming.api.operators;

import java.lang.reflect.Field;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.util.clock.Clock;

/** The source operator of a running task, looked at from another thread. */
public final class RunningSourceOperator {
    private final SourceOperator<?, ?> operator;
    private final Field mode;
    private final Field bound;
    private final Field idle;

    private RunningSourceOperator(SourceOperator<?, ?> operator) throws ReflectiveOperationException {
        this.operator = operator;
        mode = field(SourceOperator.class, "operatingMode");
        bound = field(SourceOperator.class, "currentMaxDesiredWatermark");
        idle = field(SourceOperator.class, "idle");
    }

    /** The operator that gave a reader its context: the class of the context is inside that of the operator. */
    public static RunningSourceOperator behind(SourceReaderContext context) throws ReflectiveOperationException {
        return new RunningSourceOperator((SourceOperator<?, ?>) field(context.getClass(), "this$0").get(context));
    }

    /** What measures idleness reads this clock; timers stay on the wall. To be called before the operator is opened. */
    public void use(Clock clock) {
        operator.processingTimeService = new WithClock(operator.processingTimeService, clock);
    }

    public boolean isWaitingForAlignment() {
        return read(mode).toString().equals("WAITING_FOR_ALIGNMENT");
    }

    public boolean isIdle() {
        return (Boolean) read(idle);
    }

    /** The last bound (ms) that it was told; MAX before the first. */
    public long bound() {
        return (Long) read(bound);
    }

    /** The last watermark (ms) that it emitted, which it reports again and again; MIN before the first. */
    public long latestWatermark() {
        try {
            return AlignmentSamples.latest(operator);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private Object read(Field field) {
        try {
            return field.get(operator);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    /** A service of timers with another clock. */
    private record WithClock(ProcessingTimeService timers, Clock clock) implements ProcessingTimeService {
        @Override
        public Clock getClock() {
            return clock;
        }

        @Override
        public long getCurrentProcessingTime() {
            return timers.getCurrentProcessingTime();
        }

        @Override
        public ScheduledFuture<?> registerTimer(long timestamp, ProcessingTimeCallback target) {
            return timers.registerTimer(timestamp, target);
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(ProcessingTimeCallback callback, long delay, long period) {
            return timers.scheduleAtFixedRate(callback, delay, period);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(ProcessingTimeCallback callback, long delay, long period) {
            return timers.scheduleWithFixedDelay(callback, delay, period);
        }

        @Override
        public CompletableFuture<Void> quiesce() {
            return timers.quiesce();
        }
    }

    static Field field(Class<?> holder, String name) throws NoSuchFieldException {
        Field field = holder.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
