import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkOutputMultiplexer;
import org.apache.flink.streaming.api.operators.source.WatermarkToDataOutput;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;

/**
 * FLINK-40504. A split becomes idle and is active again, without a watermark larger than the last one. The source
 * should send ACTIVE. The multiplexer never passes ACTIVE on, so everything downstream takes the source for idle
 * and continues without it, and records that flow meanwhile are late.
 */
public class ResumedSourceStaysIdle {
    public static void main(String[] arguments) {
        List<Object> got = new ArrayList<>();
        // What a SourceOperator puts together: splits, multiplexer, output.
        WatermarkOutputMultiplexer source =
                new WatermarkOutputMultiplexer(new WatermarkToDataOutput(recorder(got)));
        source.registerNewOutput("a", new NobodyListens());
        source.getImmediateOutput("a").emitWatermark(new Watermark(5));
        source.getImmediateOutput("a").markIdle();
        source.getImmediateOutput("a").markActive();
        source.getImmediateOutput("a").emitWatermark(new Watermark(5));
        source.onPeriodicEmit();

        System.out.println("sent:     split a: watermark 5, idle, active, watermark 5, periodic emit");
        System.out.println("expected: [Watermark @ 5, WatermarkStatus(IDLE), WatermarkStatus(ACTIVE)]");
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
