package tidegauge.flink.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.streaming.api.operators.RunningSourceOperator;
import tidegauge.flink.job.JobDescription.SourceDescription;
import tidegauge.flink.job.SubtaskLog.Standing;

/**
 * A job on the cluster, in virtual time. Time goes on by {@link #STEP_MS} once nothing more happens at an instant: each
 * subtask has read what is readable or is blocked, its bound is that of what all have reported, its generators have
 * looked whether they are idle, and all that left the sources has passed the windows.
 */
public final class RunningJob {
    /** How far time goes on at once; also the time to react to a new bound. */
    public static final long STEP_MS = 200;

    /** Before the first announcement a subtask reads what it can, 10 records a ms; later it is one record. */
    public static final long OVERSHOOT_MS = 10 * STEP_MS + 1;

    /**
     * After so long on the wall an instant is over in any case. Bounds that do not become those of the reports are the
     * engine's fault, and for the log to show.
     */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

    private static final long NEXT_PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long START_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long END_NS = TimeUnit.SECONDS.toNanos(60);

    /** A generator first notes that there was no record, then that the timeout is over; there are two a subtask. */
    private static final int CHECKS = 6;

    /** The first marker may be from before; the others come behind what a subtask that has ended has left behind. */
    private static final int MARKERS = 5;

    private static final Map<String, RunningJob> RUNNING = new ConcurrentHashMap<>();
    private static final AtomicLong COUNT = new AtomicLong();

    final JobDescription description;
    private final List<SubtaskLog> subtasks = new ArrayList<>();
    private final Map<String, AtomicLong> checks = new ConcurrentHashMap<>();
    private final WindowLog windows = new WindowLog(this::now);
    private volatile long now;
    private long patience = PATIENCE_NS;

    private RunningJob(JobDescription description) {
        this.description = description;
    }

    /** The log of a job from time 0 until everything is read, or else until its end. */
    public static List<LogLine> log(JobDescription description) throws Exception {
        RunningJob job = new RunningJob(description);
        String key = "job-" + COUNT.incrementAndGet();
        RUNNING.put(key, job);
        try {
            return job.run(Cluster.submitted(Pipeline.graph(key, description)));
        } finally {
            RUNNING.remove(key);
        }
    }

    /** End the cluster of all jobs. */
    public static void closeCluster() throws Exception {
        Cluster.close();
    }

    static RunningJob of(String key) {
        return RUNNING.get(key);
    }

    long now() {
        return now;
    }

    WindowLog windows() {
        return windows;
    }

    /** How often the generators of a subtask have looked whether they are idle. */
    AtomicLong checksOf(int source, int number) {
        return checks.computeIfAbsent(source + "/" + number, name -> new AtomicLong());
    }

    /** The reader of a subtask of a source, when its task starts. */
    FeedReader newReader(int source, SourceReaderContext context) throws ReflectiveOperationException {
        SourceDescription described = description.sources().get(source);
        int number = context.getIndexOfSubtask();
        FeedReader reader = new FeedReader(this, described.feeds().get(number));
        RunningSourceOperator operator = RunningSourceOperator.behind(context);
        operator.use(new VirtualClock(this));
        synchronized (subtasks) {
            subtasks.add(new SubtaskLog(described, number, reader, operator, checksOf(source, number)));
            subtasks.sort(Comparator.comparing((SubtaskLog one) -> one.source.name()).thenComparing(one -> one.number));
        }
        return reader;
    }

    /** Takes the timestamps of the records that leave a subtask, before Flink polls its reader again. */
    LongConsumer logOf(int source, int number) {
        SourceDescription described = description.sources().get(source);
        for (SubtaskLog subtask : subtasks()) {
            if (subtask.source == described && subtask.number == number) {
                return timestamp -> subtask.left(timestamp, now);
            }
        }
        throw new IllegalStateException("no subtask " + number + " of " + described.name());
    }

    private List<LogLine> run(Cluster.Submitted submitted) throws Exception {
        List<LogLine> log = new ArrayList<>();
        int awaited = description.sources().stream().mapToInt(source -> source.feeds().size()).sum();
        try {
            await(START_NS, () -> subtasks().size() == awaited || submitted.hasEnded());
            for (; now <= description.until() && !submitted.hasEnded() && !haveAllEnded(); now += STEP_MS) {
                subtasks().forEach(subtask -> subtask.reader.wake());
                settle(submitted);
                subtasks().forEach(subtask -> log.addAll(subtask.taken(now)));
                log.addAll(windows.taken());
            }
        } finally {
            submitted.end();
        }
        return log;
    }

    /** Wait until nothing more happens at this instant: with the last records the job ends, too. */
    private void settle(Cluster.Submitted submitted) {
        long deadline = System.nanoTime() + patience;
        while (!submitted.hasEnded() && !haveAllEnded()) {
            if (!await(deadline - System.nanoTime(), () -> submitted.hasEnded() || areSourcesSettled())) {
                patience = NEXT_PATIENCE_NS;
                return;
            }
            List<Standing> before = standings();
            haveChecked(submitted, deadline);
            havePassed(submitted, deadline);
            if (before.equals(standings())) {
                break;
            }
        }
        if (haveAllEnded()) {
            await(END_NS, submitted::hasEnded);
        }
    }

    private boolean areSourcesSettled() {
        List<Standing> before = standings();
        for (int index = 0; index < before.size(); index++) {
            Standing one = before.get(index);
            boolean awaitsBound = one.hasReported() && !one.hasEnded();
            if (!one.isStill() || awaitsBound && one.bound() != bound(before, subtasks().get(index).source)) {
                return false;
            }
        }
        return before.equals(standings());
    }

    /** The bound (ms) that follows for a source from what the subtasks of its group have reported last. */
    private long bound(List<Standing> standings, SourceDescription source) {
        long smallest = Long.MAX_VALUE;
        for (int index = 0; index < standings.size(); index++) {
            Standing one = standings.get(index);
            boolean isOfGroup = source.group().equals(subtasks().get(index).source.group());
            if (isOfGroup && one.hasReported() && !one.hasEnded()) {
                smallest = Math.min(smallest, one.reported());
            }
        }
        return smallest > Long.MAX_VALUE - source.drift() ? Long.MAX_VALUE : smallest + source.drift();
    }

    /** Wait until all generators have looked whether they are idle. */
    private void haveChecked(Cluster.Submitted submitted, long deadline) {
        if (description.sources().stream().allMatch(source -> source.idleTimeout() == null)) {
            return;
        }
        Map<SubtaskLog, Long> before = new HashMap<>();
        subtasks().forEach(subtask -> before.put(subtask, subtask.checks()));
        await(
                deadline - System.nanoTime(),
                () ->
                        submitted.hasEnded()
                                || before.entrySet().stream().allMatch(one -> hasChecked(one.getKey(), one.getValue())));
    }

    private static boolean hasChecked(SubtaskLog subtask, long before) {
        return subtask.source.idleTimeout() == null
                || subtask.reader.hasEnded()
                || subtask.checks() >= before + CHECKS;
    }

    /** Wait until all that has left the sources has passed the windows. */
    private void havePassed(Cluster.Submitted submitted, long deadline) {
        if (description.window() == null) {
            return;
        }
        Map<String, Long> before = windows.markers();
        await(
                deadline - System.nanoTime(),
                () -> {
                    List<SubtaskLog> reading =
                            subtasks().stream().filter(subtask -> !subtask.reader.hasEnded()).toList();
                    long marked =
                            windows.markers().entrySet().stream()
                                    .filter(one -> one.getValue() >= before.getOrDefault(one.getKey(), 0L) + MARKERS)
                                    .count();
                    long left = subtasks().stream().mapToLong(SubtaskLog::count).sum();
                    return submitted.hasEnded() || marked >= reading.size() && windows.count() == left;
                });
    }

    private boolean haveAllEnded() {
        return subtasks().stream().allMatch(subtask -> subtask.reader.hasEnded());
    }

    private List<Standing> standings() {
        return subtasks().stream().map(SubtaskLog::standing).toList();
    }

    private List<SubtaskLog> subtasks() {
        synchronized (subtasks) {
            return List.copyOf(subtasks);
        }
    }

    /** Whether it comes true within so many nanoseconds. */
    private static boolean await(long nanoseconds, BooleanSupplier condition) {
        long began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - began > nanoseconds) {
                return false;
            }
            LockSupport.parkNanos(POLL_NS);
        }
        return true;
    }
}
