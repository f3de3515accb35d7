import java.time.Duration;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * One record with a wrong timestamp, close to Long.MAX_VALUE, falls in a window whose end is beyond Long.MAX_VALUE.
 * The end wraps to a negative number, so the window is over before it starts: it fires at the next watermark, here
 * before the window of a record that is due first, or the record is dropped without being counted as late.
 */
public class RecordNearMaxFiresAtOnce {
    public static void main(String[] arguments) throws Exception {
        System.out.println("sent:     records of Long.MAX_VALUE - 1 and 5, each with a watermark of 0, then the end of input");
        System.out.println("expected: window [0, 10) first, and no window whose end is before its start");
        StreamExecutionEnvironment job = StreamExecutionEnvironment.getExecutionEnvironment();
        job.setParallelism(1);
        job.getConfig().setAutoWatermarkInterval(0);
        job.fromData(Long.MAX_VALUE - 1, 5L)
                .assignTimestampsAndWatermarks(
                        WatermarkStrategy.<Long>forGenerator(context -> new Zero())
                                .withTimestampAssigner((record, before) -> record))
                .windowAll(TumblingEventTimeWindows.of(Duration.ofMillis(10)))
                .process(new PrintWindow());
        job.execute();
    }

    static class Zero implements WatermarkGenerator<Long> {
        @Override
        public void onEvent(Long record, long timestamp, WatermarkOutput output) {
            output.emitWatermark(new Watermark(0));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    static class PrintWindow extends ProcessAllWindowFunction<Long, Long, TimeWindow> {
        @Override
        public void process(Context context, Iterable<Long> records, Collector<Long> out) {
            TimeWindow window = context.window();
            System.out.println("got:      window [" + window.getStart() + ", " + window.getEnd() + ") of " + records);
        }
    }
}
