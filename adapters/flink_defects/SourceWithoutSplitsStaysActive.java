import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkOutputMultiplexer;
import org.apache.flink.streaming.api.operators.source.WatermarkToDataOutput;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;

/**
 * FLINK-39586. The only split of a source subtask is removed. A subtask without splits has nothing to read, so it
 * should be idle. It stays active with its last watermark, and downstream the watermark never passes 5.
 */
public class SourceWithoutSplitsStaysActive {
    public static void main(String[] arguments) {
        List<Object> got = new ArrayList<>();
        // What a SourceOperator puts together: splits, multiplexer, output.
        WatermarkOutputMultiplexer source =
                new WatermarkOutputMultiplexer(new WatermarkToDataOutput(recorder(got)));
        source.registerNewOutput("a", new NobodyListens());
        source.getImmediateOutput("a").emitWatermark(new Watermark(5));
        source.unregisterOutput("a");
        source.onPeriodicEmit();

        System.out.println("sent:     split a: watermark 5, removed, periodic emit");
        System.out.println("expected: [Watermark @ 5, WatermarkStatus(IDLE)]");
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

    static class NobodyListens implements WatermarkOutputMultiplexer.WatermarkUpdateListener {
        @Override
        public void onWatermarkUpdate(long watermark) {}

        @Override
        public void onIdleUpdate(boolean idle) {}
    }
}
