package tidegauge.flink.job;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.streaming.api.operators.RunningSourceOperator;
import tidegauge.flink.job.JobDescription.SourceDescription;

/** A subtask of a source: where it stands, and what has left it since its log was taken. */
final class SubtaskLog {
    final SourceDescription source;
    final int number;
    final FeedReader reader;
    private final RunningSourceOperator operator;
    private final AtomicLong checks;
    private final List<LogLine> lines = new ArrayList<>();
    private long count;
    private boolean wasIdle;
    private boolean endIsLogged;

    SubtaskLog(
            SourceDescription source, int number, FeedReader reader, RunningSourceOperator operator, AtomicLong checks) {
        this.source = source;
        this.number = number;
        this.reader = reader;
        this.operator = operator;
        this.checks = checks;
    }

    /**
     * What decides whether it goes on at this instant. {@code isStill}: it has read what it can, or is blocked, or has
     * ended; {@code reported} and {@code bound} in ms.
     */
    record Standing(boolean isStill, boolean hasEnded, boolean isIdle, boolean hasReported, long reported, long bound) {}

    Standing standing() {
        boolean hasEnded = reader.hasEnded();
        boolean isIdle = operator.isIdle();
        long latest = operator.latestWatermark();
        long bound = operator.bound();
        // With a new bound it may wait for a moment though it need not: it is about to go on.
        boolean isBlocked = operator.isWaitingForAlignment() && latest > bound;
        boolean isStill = hasEnded ? reader.isClosed() : reader.isStill() || isBlocked;
        boolean hasReported = source.group() != null && latest != Long.MIN_VALUE;
        return new Standing(isStill, hasEnded, isIdle, hasReported, isIdle ? Long.MAX_VALUE : latest, bound);
    }

    /** How often its generators have looked whether they are idle. */
    long checks() {
        return checks.get();
    }

    /** How many records have left it. */
    synchronized long count() {
        return count;
    }

    synchronized void left(long timestamp, long now) {
        LogLine last = lines.isEmpty() ? null : lines.get(lines.size() - 1);
        long together = 1;
        if (last != null && last.eventTime() + 1 == timestamp) {
            together += lines.remove(lines.size() - 1).count();
        }
        lines.add(line("record", timestamp, now, together));
        count++;
    }

    /** What has left it since the last call, whether it has ended or is idle, what it has reported and been told. */
    List<LogLine> taken(long now) {
        // Not under the lock of the lines: a reader that emits holds its own, and waits for that one.
        Standing standing = standing();
        List<LogLine> taken = linesSinceTaken();
        if (standing.hasEnded()) {
            if (!endIsLogged) {
                taken.add(line("finished", 0, now, 1));
            }
            endIsLogged = true;
            return taken;
        }
        if (standing.isIdle() != wasIdle) {
            taken.add(line(standing.isIdle() ? "idle" : "active", 0, now, 1));
            wasIdle = standing.isIdle();
        }
        if (standing.hasReported()) {
            taken.add(line("report", standing.reported(), now, 1));
            taken.add(line("announcement", standing.bound(), now, 1));
        }
        return taken;
    }

    private synchronized List<LogLine> linesSinceTaken() {
        List<LogLine> taken = new ArrayList<>(lines);
        lines.clear();
        return taken;
    }

    private LogLine line(String kind, long eventTime, long now, long together) {
        return new LogLine(kind, source.name(), number, eventTime, now, together);
    }
}
