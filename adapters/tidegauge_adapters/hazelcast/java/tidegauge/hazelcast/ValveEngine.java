package tidegauge.hazelcast;

import com.hazelcast.jet.core.Watermark;
import com.hazelcast.jet.impl.execution.CoalescerProbe;
import com.hazelcast.jet.impl.execution.WatermarkCoalescer;
import java.util.BitSet;
import java.util.List;
import tidegauge.driver.Engine;
import tidegauge.driver.Fields;
import tidegauge.driver.Outputs;
import tidegauge.driver.UnknownStep;

/**
 * The watermark coalescer of a task. A channel is a queue.
 *
 * <p>Jet has no message for ACTIVE and none for the end of event time. The next item of an idle queue makes it
 * active: the step `active` is an event on the queue. Downstream, the next item that a task sends after IDLE does the
 * same: this class writes ACTIVE where such an item is sent. When all queues are done, so is the task: this class
 * then writes MAX.
 */
final class ValveEngine implements Engine {
    private final Outputs outputs;
    private final CoalescerProbe coalescer;
    private final int queues;
    private final BitSet done = new BitSet();
    private boolean isIdle;

    ValveEngine(Fields setup, Outputs outputs) {
        this.outputs = outputs;
        queues = (int) setup.number("channels", 0);
        coalescer = new CoalescerProbe(queues);
    }

    @Override
    public void step(String name, Fields step) {
        int queue = (int) step.number("channel", -1);
        switch (name) {
            case "watermark" -> {
                long timestamp = step.timestamp("timestamp");
                if (timestamp == Long.MAX_VALUE) {
                    end(queue);
                } else {
                    send(coalescer.watermark(queue, timestamp));
                }
            }
            case "idle" -> send(coalescer.idle(queue));
            case "active" -> {
                coalescer.event(queue);
                activate(); // the event goes downstream
            }
            default -> throw new UnknownStep(name);
        }
    }

    private void end(int queue) {
        send(coalescer.done(queue));
        done.set(queue);
        if (done.cardinality() == queues) {
            activate();
            outputs.watermark(Long.MAX_VALUE);
        }
    }

    private void send(List<Watermark> watermarks) {
        for (Watermark watermark : watermarks) {
            if (watermark.equals(WatermarkCoalescer.IDLE_MESSAGE)) {
                isIdle = true;
                outputs.idle();
            } else {
                activate();
                outputs.watermark(watermark.timestamp());
            }
        }
    }

    private void activate() {
        if (isIdle) {
            isIdle = false;
            outputs.active();
        }
    }
}
