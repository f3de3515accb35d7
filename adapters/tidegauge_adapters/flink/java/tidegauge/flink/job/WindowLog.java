package tidegauge.flink.job;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** What happens in the windows behind all sources, written by their task and read by the job. */
final class WindowLog {
    private final LongSupplier now;
    private final List<LogLine> lines = new ArrayList<>();
    private final Map<Long, Long> firings = new HashMap<>();
    private final Map<String, Long> markers = new HashMap<>();
    private long arrived;
    private long kept;
    private boolean hasChanged;

    /** {@code now}: the time (ms) of the job. */
    WindowLog(LongSupplier now) {
        this.now = now;
    }

    /** A record has come into a window. */
    synchronized void arrived() {
        arrived++;
        kept++;
        hasChanged = true;
    }

    synchronized void late(long timestamp) {
        arrived++;
        line("late", timestamp, 1);
    }

    synchronized void fired(long end, long count) {
        firings.put(end, count);
        line("fire", end, count);
    }

    /** A window is gone, with the records of its last firing. */
    synchronized void cleared(long end) {
        kept -= firings.getOrDefault(end, 0L);
        hasChanged = true;
    }

    synchronized void watermark(long timestamp) {
        line("watermark", timestamp, 1);
    }

    /** A marker of that subtask has passed the windows. */
    synchronized void marker(String subtask) {
        markers.merge(subtask, 1L, Long::sum);
    }

    /** How many records have come, those that were late among them. */
    synchronized long count() {
        return arrived;
    }

    /** How many markers of each subtask have passed. */
    synchronized Map<String, Long> markers() {
        return Map.copyOf(markers);
    }

    /** The lines since the last call, and how many records are kept now, if that may have changed. */
    synchronized List<LogLine> taken() {
        List<LogLine> taken = new ArrayList<>(lines);
        lines.clear();
        if (hasChanged) {
            taken.add(new LogLine("state-size", "", 0, 0, now.getAsLong(), kept));
        }
        hasChanged = false;
        return taken;
    }

    private void line(String kind, long eventTime, long count) {
        lines.add(new LogLine(kind, "", 0, eventTime, now.getAsLong(), count));
    }
}
