import java.time.Duration;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;

/**
 * One record with a wrong timestamp, close to Long.MIN_VALUE, should get at most two windows of 10 ms that slide by
 * 5 ms. The assigner walks from start to start down to the timestamp minus the size. Here the next start is below
 * Long.MIN_VALUE and wraps to a large number, so the loop does not end before the heap is full.
 */
public class RecordNearMinExhaustsMemory {
    public static void main(String[] arguments) {
        long timestamp = Long.MIN_VALUE + 12;
        SlidingEventTimeWindows windows = SlidingEventTimeWindows.of(Duration.ofMillis(10), Duration.ofMillis(5));

        System.out.println("sent:     a record of Long.MIN_VALUE + " + (timestamp - Long.MIN_VALUE));
        System.out.println("expected: at most 2 windows");
        try {
            System.out.println("got:      " + windows.assignWindows(null, timestamp, null).size() + " windows");
        } catch (OutOfMemoryError error) {
            System.out.println("got:      java.lang.OutOfMemoryError");
        }
    }
}
