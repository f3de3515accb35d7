import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * FLINK-40499. A source is idle when its input ends. The task then sends MAX without ACTIVE before it. A valve
 * ignores watermarks of idle channels, so behind a shuffle MAX is lost and the last windows do not fire.
 */
public class EndOfIdleSourceWithoutActive {
    public static void main(String[] arguments) throws Exception {
        System.out.println("sent:     a record with watermark 5, then idle, then the end of input");
        System.out.println("expected: 5, IDLE, ACTIVE, MAX");
        StreamExecutionEnvironment job = StreamExecutionEnvironment.getExecutionEnvironment();
        job.setParallelism(1);
        job.getConfig().setAutoWatermarkInterval(0);
        job.fromSource(
                        new NumberSequenceSource(5, 5),
                        WatermarkStrategy.<Long>forGenerator(context -> new IdleAfterEachRecord()),
                        "numbers")
                .transform("print", Types.LONG, new Print());
        job.execute();
    }

    static class IdleAfterEachRecord implements WatermarkGenerator<Long> {
        @Override
        public void onEvent(Long record, long timestamp, WatermarkOutput output) {
            output.emitWatermark(new Watermark(record));
            output.markIdle();
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    static class Print extends AbstractStreamOperator<Long> implements OneInputStreamOperator<Long, Long> {
        @Override
        public void processElement(StreamRecord<Long> record) {}

        @Override
        public void processWatermark(org.apache.flink.streaming.api.watermark.Watermark watermark) {
            System.out.println("got:      " + watermark);
        }

        @Override
        public void processWatermarkStatus(WatermarkStatus status) {
            System.out.println("got:      " + status);
        }
    }
}
