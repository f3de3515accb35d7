package tidegauge.flink.job;

import java.util.List;

/** What a subtask is given to read: its records, numbered from 0, and when each is readable. */
public final class Feed {
    private final List<Segment> segments;
    private final long count;

    public Feed(List<Segment> segments) {
        this.segments = List.copyOf(segments);
        this.count = segments.stream().mapToLong(Segment::count).sum();
    }

    /**
     * Records with the timestamps {@code first}, {@code first + step}, ... (ms). The n-th, from 1, is readable from
     * {@code readableFrom + n * milliseconds / records} on.
     */
    public record Segment(long first, long count, long step, long readableFrom, long milliseconds, long records) {
        long readable(long now) {
            return now < readableFrom ? 0 : Math.min((now - readableFrom) * records / milliseconds, count);
        }
    }

    long count() {
        return count;
    }

    /** How many records can be read by {@code now} (ms); those of a segment after all those before. */
    long readable(long now) {
        long readable = 0;
        for (Segment segment : segments) {
            long ofIt = segment.readable(now);
            readable += ofIt;
            if (ofIt < segment.count) {
                break;
            }
        }
        return readable;
    }

    /** The timestamp (ms) of a record. */
    long timestamp(long number) {
        long left = number;
        for (Segment segment : segments) {
            if (left < segment.count) {
                return segment.first + left * segment.step;
            }
            left -= segment.count;
        }
        throw new IndexOutOfBoundsException("no record " + number + " of " + count);
    }
}
