import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * FLINK-38477. Channel 0 has finished: its last watermark is MAX. When channel 1 becomes idle for a while, the
 * minimum over the active channels is MAX. The valve emits MAX, event time ends, and all that channel 1 sends
 * afterwards is late. A finished channel should leave the combination, as an idle one does.
 */
public class FinishedChannelEndsEventTime {
    public static void main(String[] arguments) throws Exception {
        List<Object> got = new ArrayList<>();
        DataOutput<?> out = recorder(got);
        StatusWatermarkValve valve = new StatusWatermarkValve(2);
        valve.inputWatermark(new Watermark(5), 1, out);
        valve.inputWatermark(Watermark.MAX_WATERMARK, 0, out);
        valve.inputWatermarkStatus(WatermarkStatus.IDLE, 1, out);
        valve.inputWatermarkStatus(WatermarkStatus.ACTIVE, 1, out);
        valve.inputWatermark(new Watermark(6), 1, out);

        System.out.println("sent:     5 on channel 1; MAX on channel 0; 1 idle, 1 active, 6 on channel 1");
        System.out.println("expected: [Watermark @ 5, WatermarkStatus(IDLE), WatermarkStatus(ACTIVE), Watermark @ 6]");
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
