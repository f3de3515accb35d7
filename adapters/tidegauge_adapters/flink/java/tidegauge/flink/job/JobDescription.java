package tidegauge.flink.job;

import java.util.List;

/**
 * A job. It runs until {@code until} (ms) at the latest. Behind all sources are tumbling windows of {@code window} (ms);
 * null: there are none.
 */
public record JobDescription(List<SourceDescription> sources, long until, Long window) {

    /**
     * A source with a feed for each subtask. {@code group}: null where it is not aligned; {@code idleTimeout} (ms): null
     * where it is never idle. Its watermarks are {@code maxOutOfOrderness} (ms), and one, behind the largest timestamp.
     */
    public record SourceDescription(
            String name, List<Feed> feeds, String group, long drift, Long idleTimeout, long maxOutOfOrderness) {}
}
