package tidegauge.flink;

import org.apache.flink.util.clock.Clock;

/** A clock that stands still until a step advances it. */
final class ManualClock extends Clock {
    private long nanoseconds;

    void set(long nanoseconds) {
        this.nanoseconds = nanoseconds;
    }

    /** Raises IllegalArgumentException for time that goes back: no clock of Flink is asked to do that. */
    void advance(long nanoseconds) {
        if (nanoseconds < 0) {
            throw new IllegalArgumentException("time cannot go back");
        }
        this.nanoseconds += nanoseconds;
    }

    @Override
    public long absoluteTimeMillis() {
        return nanoseconds / 1_000_000;
    }

    @Override
    public long relativeTimeMillis() {
        return nanoseconds / 1_000_000;
    }

    @Override
    public long relativeTimeNanos() {
        return nanoseconds;
    }
}
