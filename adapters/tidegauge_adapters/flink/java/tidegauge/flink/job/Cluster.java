package tidegauge.flink.job;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.operators.AlignmentSamples;

/** Flink's own cluster in this JVM, started with the first job. */
final class Cluster {
    private static final int SLOTS = 8;
    private static final String BUFFER = "tidegauge.alignment-buffer";
    private static MiniCluster running;

    private Cluster() {}

    static synchronized Submitted submitted(JobGraph graph) throws Exception {
        if (running == null) {
            running = started();
        }
        running.submitJob(graph).get();
        return new Submitted(graph.getJobID());
    }

    static synchronized void close() throws Exception {
        if (running != null) {
            running.close();
            running = null;
        }
    }

    private static MiniCluster started() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.BIND_PORT, "0");
        // 0: whether a subtask is blocked is decided with each watermark, and not on samples of them that are taken at an
        // interval on the wall. Flink's source operator reads this option of jobs from the configuration of the cluster.
        AlignmentSamples.use(Integer.getInteger(BUFFER, 0), configuration);
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(1));
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(SLOTS)
                                .build());
        cluster.start();
        return cluster;
    }

    /** A job that was submitted. */
    static final class Submitted {
        private final JobID id;
        private final CompletableFuture<JobResult> result;
        private boolean wasCancelled;

        private Submitted(JobID id) {
            this.id = id;
            this.result = running.requestJobResult(id);
        }

        boolean hasEnded() {
            return result.isDone();
        }

        /** Cancel it, if it runs, and wait for its end. Raises what it failed with. */
        void end() throws Exception {
            if (!result.isDone()) {
                wasCancelled = true;
                running.cancelJob(id).get();
            }
            Throwable failure =
                    result.get()
                            .getSerializedThrowable()
                            .map(thrown -> thrown.deserializeError(Cluster.class.getClassLoader()))
                            .orElse(null);
            if (failure != null && !wasCancelled) {
                throw new ExecutionException("the job failed: " + root(failure), failure);
            }
        }

        private static Throwable root(Throwable thrown) {
            return thrown.getCause() == null ? thrown : root(thrown.getCause());
        }
    }
}
