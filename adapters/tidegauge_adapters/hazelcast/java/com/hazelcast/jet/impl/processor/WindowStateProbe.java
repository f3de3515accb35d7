package com.hazelcast.jet.impl.processor;

import com.hazelcast.internal.util.counters.Counter;
import com.hazelcast.jet.core.Processor;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Map;

/** Reads what the window processors keep and count. Accumulators are collections of records. */
public final class WindowStateProbe {
    private WindowStateProbe() {}

    /** How many late records a processor has dropped. */
    public static long dropped(Processor processor) throws ReflectiveOperationException {
        return ((Counter) field(processor, "lateEventsDropped")).get();
    }

    /**
     * How many records a sliding window processor keeps of frames whose last window is over at the watermark. A
     * frame belongs to all windows of {@code size} ms that end at its own end or up to {@code size - frame} ms later.
     */
    public static long expiredFrames(Processor processor, long size, long frame, long watermark) {
        SlidingWindowP<?, ?, ?, ?> sliding = (SlidingWindowP<?, ?, ?, ?>) processor;
        long records = 0;
        for (Map.Entry<Long, ? extends Map<?, ?>> each : sliding.tsToKeyToAcc.entrySet()) {
            if (each.getKey() + size - frame - 1 <= watermark) {
                records += each.getValue().values().stream().mapToLong(kept -> ((Collection<?>) kept).size()).sum();
            }
        }
        return records;
    }

    /** How many records a session window processor keeps of sessions that are over at the watermark. */
    public static long expiredSessions(Processor processor, long watermark) throws ReflectiveOperationException {
        long records = 0;
        for (Object sessions : ((SessionWindowP<?, ?, ?, ?>) processor).keyToWindows.values()) {
            int size = (int) field(sessions, "size");
            long[] ends = (long[]) field(sessions, "ends");
            Object[] kept = (Object[]) field(sessions, "accs");
            for (int i = 0; i < size; i++) {
                if (ends[i] - 1 <= watermark) {
                    records += ((Collection<?>) kept[i]).size();
                }
            }
        }
        return records;
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }
}
