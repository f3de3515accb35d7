package tidegauge.flink.job;

import java.util.List;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** A source of a running job: one split a subtask, which holds the numbers of the records that are left to read. */
final class FeedSource implements Source<Long, NumberSequenceSplit, Void> {
    private static final long serialVersionUID = 1;

    private final String job;
    private final int source;

    /** {@code job} is the key of a {@link RunningJob}, {@code source} the index of one of its sources. */
    FeedSource(String job, int source) {
        this.job = job;
        this.source = source;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) throws Exception {
        return RunningJob.of(job).newReader(source, context);
    }

    @Override
    public SplitEnumerator<NumberSequenceSplit, Void> createEnumerator(
            SplitEnumeratorContext<NumberSequenceSplit> context) {
        return new OneSplitEach(context, RunningJob.of(job).description.sources().get(source).feeds());
    }

    @Override
    public SplitEnumerator<NumberSequenceSplit, Void> restoreEnumerator(
            SplitEnumeratorContext<NumberSequenceSplit> context, Void checkpoint) {
        return createEnumerator(context);
    }

    @Override
    public SimpleVersionedSerializer<NumberSequenceSplit> getSplitSerializer() {
        return new NumberSequenceSource(0, 1).getSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
        return new Nothing();
    }

    /** Each subtask is assigned the split of its number. */
    private record OneSplitEach(SplitEnumeratorContext<NumberSequenceSplit> context, List<Feed> feeds)
            implements SplitEnumerator<NumberSequenceSplit, Void> {
        @Override
        public void start() {}

        @Override
        public void addReader(int subtask) {
            context.assignSplit(new NumberSequenceSplit("split", 0, feeds.get(subtask).count()), subtask);
        }

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<NumberSequenceSplit> splits, int subtask) {}

        @Override
        public Void snapshotState(long checkpoint) {
            return null;
        }

        @Override
        public void close() {}
    }

    private static final class Nothing implements SimpleVersionedSerializer<Void> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(Void state) {
            return new byte[0];
        }

        @Override
        public Void deserialize(int version, byte[] serialized) {
            return null;
        }
    }
}
