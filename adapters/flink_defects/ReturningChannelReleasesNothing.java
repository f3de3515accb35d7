import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * FLINK-40475. Channel 2 comes back from idleness with the watermark 20 and is the only aligned channel, since
 * channel 0 is behind the output. The minimum over the aligned channels is now 20, but the valve does not compute
 * the minimum when a channel becomes active. Sending 20 again does not help, since the watermark does not rise.
 */
public class ReturningChannelReleasesNothing {
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
        valve.inputWatermarkStatus(WatermarkStatus.ACTIVE, 2, out);
        valve.inputWatermark(new Watermark(20), 2, out);

        System.out.println("sent:     watermarks 5, 10, 20 on channels 0, 1, 2; 0 idle, 0 active, 2 idle, 1 idle, 2 active, 20 on 2");
        System.out.println("expected: [Watermark @ 5, Watermark @ 10, Watermark @ 20]");
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
