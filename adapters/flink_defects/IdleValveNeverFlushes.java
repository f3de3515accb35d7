import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * FLINK-40475. When the last active channel becomes idle, the valve should flush the largest watermark of all
 * channels before IDLE. It does so only if the watermark of that channel equals the last output. A channel that
 * was idle, came back and has not caught up does not meet the condition, so the watermark 20 is never emitted.
 */
public class IdleValveNeverFlushes {
    public static void main(String[] arguments) throws Exception {
        List<Object> got = new ArrayList<>();
        DataOutput<?> out = recorder(got);
        StatusWatermarkValve valve = new StatusWatermarkValve(3);
        valve.inputWatermark(new Watermark(5), 0, out);
        valve.inputWatermark(new Watermark(10), 1, out);
        valve.inputWatermark(new Watermark(20), 2, out);
        valve.inputWatermarkStatus(WatermarkStatus.IDLE, 0, out);
        valve.inputWatermarkStatus(WatermarkStatus.ACTIVE, 0, out); // behind the output of 10: not aligned
        valve.inputWatermarkStatus(WatermarkStatus.IDLE, 2, out);
        valve.inputWatermarkStatus(WatermarkStatus.IDLE, 1, out);
        valve.inputWatermarkStatus(WatermarkStatus.IDLE, 0, out); // the last one

        System.out.println("sent:     watermarks 5, 10, 20 on channels 0, 1, 2; 0 idle, 0 active, 2 idle, 1 idle, 0 idle");
        System.out.println("expected: [Watermark @ 5, Watermark @ 10, Watermark @ 20, WatermarkStatus(IDLE)]");
        System.out.println("got:      " + got);
    }

    /** An output that writes down what it is given. */
    static DataOutput<?> recorder(List<Object> got) {
        return (DataOutput<?>)
                Proxy.newProxyInstance(
                        DataOutput.class.getClassLoader(),
                        new Class<?>[] {DataOutput.class},
                        (proxy, method, arguments) -> got.add(arguments[0]) ? null : null);
    }
}
