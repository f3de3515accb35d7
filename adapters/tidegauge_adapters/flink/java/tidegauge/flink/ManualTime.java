package tidegauge.flink;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.util.clock.Clock;

/** Processing time that steps advance. Timers never fire by themselves: a step fires them, by their period. */
final class ManualTime implements ProcessingTimeService {
    final ManualClock clock = new ManualClock();
    private final Map<Long, ProcessingTimeCallback> periodic = new HashMap<>();

    ManualTime(long milliseconds) {
        clock.set(milliseconds * 1_000_000);
    }

    void fire(long period) throws Exception {
        ProcessingTimeCallback callback = periodic.get(period);
        if (callback != null) {
            callback.onProcessingTime(getCurrentProcessingTime());
        }
    }

    void stop(long period) {
        periodic.remove(period);
    }

    @Override
    public Clock getClock() {
        return clock;
    }

    @Override
    public long getCurrentProcessingTime() {
        return clock.absoluteTimeMillis();
    }

    @Override
    public ScheduledFuture<?> registerTimer(long timestamp, ProcessingTimeCallback target) {
        return null;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(ProcessingTimeCallback callback, long delay, long period) {
        return scheduled(callback, period);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(ProcessingTimeCallback callback, long delay, long period) {
        return scheduled(callback, period);
    }

    @Override
    public CompletableFuture<Void> quiesce() {
        return CompletableFuture.completedFuture(null);
    }

    private ScheduledFuture<?> scheduled(ProcessingTimeCallback callback, long period) {
        periodic.put(period, callback);
        return new Timer(() -> periodic.remove(period, callback));
    }

    /** A timer that can be cancelled, and nothing else. */
    private record Timer(Runnable remove) implements ScheduledFuture<Object> {
        @Override
        public boolean cancel(boolean mayInterrupt) {
            remove.run();
            return true;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public boolean isDone() {
            return false;
        }

        @Override
        public Object get() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object get(long timeout, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }
}
