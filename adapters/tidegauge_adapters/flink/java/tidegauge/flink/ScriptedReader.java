package tidegauge.flink;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.core.io.InputStatus;

/** A reader that does what the step says, if it is polled. */
final class ScriptedReader implements SourceReader<Long, NumberSequenceSplit> {
    private final Outputs outputs;
    private final boolean canPause;
    private String split;
    private Consumer<SourceOutput<Long>> write;
    private InputStatus status = InputStatus.NOTHING_AVAILABLE;
    private ReaderOutput<Long> output;
    private boolean wasPolled;

    ScriptedReader(Outputs outputs, boolean canPause) {
        this.outputs = outputs;
        this.canPause = canPause;
    }

    /** At the next poll: write to the output of a split; null: to the main output. */
    void writes(String split, Consumer<SourceOutput<Long>> write) {
        this.split = split;
        next(write, InputStatus.MORE_AVAILABLE);
    }

    /** At the next poll: say that the input has ended. */
    void ends() {
        next(null, InputStatus.END_OF_INPUT);
    }

    /** Forget what was not asked for; whether the reader was polled. */
    boolean wasPolled() {
        boolean was = wasPolled;
        next(null, InputStatus.NOTHING_AVAILABLE);
        return was;
    }

    void finished(String split) {
        output.releaseOutputForSplit(split);
    }

    @Override
    public InputStatus pollNext(ReaderOutput<Long> output) {
        this.output = output;
        wasPolled = true;
        if (write != null) {
            write.accept(split == null ? output : output.createOutputForSplit(split));
            write = null;
        }
        return status;
    }

    @Override
    public void pauseOrResumeSplits(Collection<String> toPause, Collection<String> toResume) {
        if (!canPause) {
            throw new UnsupportedOperationException("the reader cannot pause splits");
        }
        if (!toPause.isEmpty()) {
            outputs.splits("splits-paused", toPause);
        }
        if (!toResume.isEmpty()) {
            outputs.splits("splits-resumed", toResume);
        }
    }

    @Override
    public void start() {}

    @Override
    public List<NumberSequenceSplit> snapshotState(long checkpoint) {
        return List.of();
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void addSplits(List<NumberSequenceSplit> splits) {}

    @Override
    public void notifyNoMoreSplits() {}

    @Override
    public void close() {}

    private void next(Consumer<SourceOutput<Long>> write, InputStatus status) {
        this.write = write;
        this.status = status;
        wasPolled = false;
    }
}
