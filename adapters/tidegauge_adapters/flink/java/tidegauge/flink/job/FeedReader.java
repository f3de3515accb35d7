package tidegauge.flink.job;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.core.io.InputStatus;

/** Reads what its feed holds by the time of the job, one record a poll, as long as Flink polls it. */
final class FeedReader implements SourceReader<Long, NumberSequenceSplit> {
    private final RunningJob job;
    private final Feed feed;
    private CompletableFuture<Void> available = new CompletableFuture<>();
    private NumberSequenceSplit split;
    private long position;
    private boolean isPaused;
    private boolean isStill;
    private boolean hasEnded;
    private boolean isClosed;

    FeedReader(RunningJob job, Feed feed) {
        this.job = job;
        this.feed = feed;
    }

    /** Whether it was polled and had nothing to read at this time. */
    synchronized boolean isStill() {
        return isStill;
    }

    synchronized boolean hasEnded() {
        return hasEnded;
    }

    /** Whether its task has closed it: all that it emits has been sent. */
    synchronized boolean isClosed() {
        return isClosed;
    }

    /** The time of the job has gone on. */
    synchronized void wake() {
        isStill = false;
        available.complete(null);
        available = new CompletableFuture<>();
    }

    @Override
    public void start() {}

    @Override
    public synchronized InputStatus pollNext(ReaderOutput<Long> output) {
        if (split != null && !isPaused && position < feed.readable(job.now())) {
            long timestamp = feed.timestamp(position++);
            output.createOutputForSplit(split.splitId()).collect(timestamp, timestamp);
            return InputStatus.MORE_AVAILABLE;
        }
        if (split != null && position == feed.count()) {
            hasEnded = true;
            return InputStatus.END_OF_INPUT;
        }
        isStill = split != null;
        return InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public synchronized CompletableFuture<Void> isAvailable() {
        return isStill || split == null ? available : CompletableFuture.completedFuture(null);
    }

    @Override
    public synchronized void addSplits(List<NumberSequenceSplit> splits) {
        split = splits.get(0);
        position = split.from();
        wake();
    }

    @Override
    public synchronized void pauseOrResumeSplits(Collection<String> toPause, Collection<String> toResume) {
        isPaused = !toPause.isEmpty() || isPaused && toResume.isEmpty();
        wake();
    }

    @Override
    public synchronized List<NumberSequenceSplit> snapshotState(long checkpoint) {
        return split == null ? List.of() : List.of(new NumberSequenceSplit(split.splitId(), position, feed.count()));
    }

    @Override
    public void notifyNoMoreSplits() {}

    @Override
    public synchronized void close() {
        isClosed = true;
    }
}
