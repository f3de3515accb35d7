package tidegauge.flink.job;

import java.util.concurrent.TimeUnit;
import org.apache.flink.util.clock.Clock;

/** The time of a job for what measures idleness. It does not begin at 0, which Flink takes for "not set". */
final class VirtualClock extends Clock {
    private static final long BEGINNING_MS = 1_000_000;

    private final RunningJob job;

    VirtualClock(RunningJob job) {
        this.job = job;
    }

    @Override
    public long absoluteTimeMillis() {
        return BEGINNING_MS + job.now();
    }

    @Override
    public long relativeTimeMillis() {
        return absoluteTimeMillis();
    }

    @Override
    public long relativeTimeNanos() {
        return TimeUnit.MILLISECONDS.toNanos(absoluteTimeMillis());
    }
}
