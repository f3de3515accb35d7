package com.hazelcast.jet.impl.execution;

import com.hazelcast.jet.core.Watermark;
import java.util.List;

/** Opens the coalescer that a task keeps between its input queues: its class is public, its constructor is not. */
public final class CoalescerProbe {
    private static final byte KEY = 0;

    private final KeyedWatermarkCoalescer coalescer;

    public CoalescerProbe(int queues) {
        coalescer = new KeyedWatermarkCoalescer(queues);
    }

    public List<Watermark> watermark(int queue, long timestamp) {
        return coalescer.observeWm(queue, new Watermark(timestamp, KEY));
    }

    public List<Watermark> idle(int queue) {
        return coalescer.observeWm(queue, WatermarkCoalescer.IDLE_MESSAGE);
    }

    public void event(int queue) {
        coalescer.observeEvent(queue);
    }

    public List<Watermark> done(int queue) {
        return coalescer.queueDone(queue);
    }
}
