import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * A job that writes an event log into a folder, for `tidegauge check-log`: two sources of two subtasks each, and the
 * operator behind them. An operator like `EventLog` can stand in any job. The subtasks of `payments` become idle after
 * 15 of 20 records. Flink says ACTIVE with the next watermark: the records before that flow under IDLE.
 */
public class FlinkEventLog {
    public static void main(String[] arguments) throws Exception {
        StreamExecutionEnvironment job = StreamExecutionEnvironment.getExecutionEnvironment();
        job.setParallelism(2);
        job.getConfig().setAutoWatermarkInterval(0);
        DataStream<Long> orders = source(job, "orders", false, arguments[0]);
        DataStream<Long> payments = source(job, "payments", true, arguments[0]);
        orders.union(payments)
                .rebalance()
                .transform("log", Types.LONG, new EventLog(arguments[0], ""));
        job.execute();
    }

    private static DataStream<Long> source(
            StreamExecutionEnvironment job, String name, boolean idle, String folder) {
        WatermarkStrategy<Long> strategy = WatermarkStrategy.forGenerator(context -> new EveryTenth(idle));
        return job.fromSource(
                        new NumberSequenceSource(0, 39),
                        strategy.withTimestampAssigner((number, timestamp) -> number),
                        name)
                .transform("log", Types.LONG, new EventLog(folder, name));
    }

    /** A watermark after ten records. After fifteen it may become idle, until the next watermark. */
    static class EveryTenth implements WatermarkGenerator<Long> {
        private final boolean idle;
        private int records;

        EveryTenth(boolean idle) {
            this.idle = idle;
        }

        @Override
        public void onEvent(Long record, long timestamp, WatermarkOutput output) {
            if (++records % 10 == 0) {
                output.emitWatermark(new Watermark(timestamp - 1));
            }
            if (idle && records % 15 == 0) {
                output.markIdle();
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    /** Passes everything on, and writes a row for it: the log of one subtask, a line each. */
    static class EventLog extends AbstractStreamOperator<Long> implements OneInputStreamOperator<Long, Long> {
        private final String folder;
        private final String source;
        private transient PrintStream out;
        private transient long sequence;

        EventLog(String folder, String source) {
            this.folder = folder;
            this.source = source;
        }

        @Override
        public void open() throws Exception {
            super.open();
            int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            String name = source.isEmpty() ? "operator" : source;
            out = new PrintStream(Files.newOutputStream(Path.of(folder, name + "-" + subtask + ".jsonl")));
        }

        @Override
        public void processElement(StreamRecord<Long> record) {
            write("record", record.getTimestamp());
            output.collect(record);
        }

        @Override
        public void processWatermark(org.apache.flink.streaming.api.watermark.Watermark watermark)
                throws Exception {
            write("watermark", watermark.getTimestamp());
            super.processWatermark(watermark);
        }

        @Override
        public void processWatermarkStatus(WatermarkStatus status) throws Exception {
            write(status.isIdle() ? "idle" : "active", null);
            super.processWatermarkStatus(status);
        }

        private void write(String kind, Long eventTime) {
            int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            out.printf(
                    "{\"job\":\"flink\",\"source\":\"%s\",\"subtask\":%d,\"sequence\":%d,\"kind\":\"%s\","
                            + "\"event_time\":%s,\"processing_time\":%d}%n",
                    source, subtask, ++sequence, kind, eventTime, System.currentTimeMillis());
        }

        @Override
        public void close() throws Exception {
            out.close();
            super.close();
        }
    }
}
