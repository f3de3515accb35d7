package tidegauge.hazelcast;

import static com.hazelcast.jet.core.SlidingWindowPolicy.slidingWinPolicy;
import static com.hazelcast.jet.core.SlidingWindowPolicy.tumblingWinPolicy;
import static com.hazelcast.jet.core.processor.Processors.aggregateToSessionWindowP;
import static com.hazelcast.jet.core.processor.Processors.aggregateToSlidingWindowP;

import com.hazelcast.function.FunctionEx;
import com.hazelcast.function.ToLongFunctionEx;
import com.hazelcast.jet.aggregate.AggregateOperation;
import com.hazelcast.jet.aggregate.AggregateOperation1;
import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.SlidingWindowPolicy;
import com.hazelcast.jet.core.TimestampKind;
import com.hazelcast.jet.core.Watermark;
import com.hazelcast.jet.core.function.KeyedWindowResultFunction;
import com.hazelcast.jet.core.test.TestInbox;
import com.hazelcast.jet.core.test.TestOutbox;
import com.hazelcast.jet.core.test.TestProcessorContext;
import com.hazelcast.jet.datamodel.KeyedWindowResult;
import com.hazelcast.jet.impl.processor.WindowStateProbe;
import java.util.ArrayList;
import java.util.List;
import tidegauge.driver.Engine;
import tidegauge.driver.Fields;
import tidegauge.driver.Outputs;
import tidegauge.driver.UnknownStep;

/**
 * The window processors of Jet, which aggregate the records of one key to a list.
 *
 * <p>A watermark of Jet says that nothing before it will come, one of the protocol that all up to it has come: the
 * watermark t of the protocol is t + 1 in Jet. The end of the input is the call to complete the processor; after it,
 * this class writes MAX.
 */
final class WindowEngine implements Engine {
    private static final String KEY = "";
    private static final int CAPACITY = 1024;
    private static final List<ToLongFunctionEx<?>> TIMES = List.of((ToLongFunctionEx<Event>) Event::timestamp);
    private static final List<FunctionEx<?, ? extends String>> KEYS = List.of(event -> KEY);
    private static final AggregateOperation1<Event, List<Long>, List<Long>> TO_LIST =
            AggregateOperation.<List<Long>>withCreate(ArrayList::new)
                    .<Event>andAccumulate((list, event) -> list.add(event.value()))
                    .andCombine(List::addAll)
                    .andExportFinish(ArrayList::new);

    private record Event(long timestamp, long value) {}

    private final Outputs outputs;
    private final Processor processor;
    private final TestOutbox outbox = new TestOutbox(CAPACITY);
    private final boolean isSession;
    private long size;
    private long frame;
    private long watermark = Long.MIN_VALUE;

    WindowEngine(Fields setup, Outputs outputs) throws Exception {
        this.outputs = outputs;
        Fields assigner = setup.fields("assigner");
        isSession = assigner.text("assigner").equals("session");
        processor = isSession ? sessions(assigner) : windows(assigner);
        processor.init(outbox, new TestProcessorContext());
    }

    @Override
    public void step(String name, Fields step) throws Exception {
        switch (name) {
            case "record" -> {
                Event event = new Event(step.timestamp("timestamp"), step.number("value", 0));
                long before = WindowStateProbe.dropped(processor);
                processor.process(0, new TestInbox(List.of(event)));
                drain();
                if (WindowStateProbe.dropped(processor) > before) {
                    outputs.drop();
                }
            }
            case "watermark" -> advance(step.timestamp("timestamp"));
            case "expired-state" -> outputs.stateSize(
                    isSession
                            ? WindowStateProbe.expiredSessions(processor, watermark)
                            : WindowStateProbe.expiredFrames(processor, size, frame, watermark));
            default -> throw new UnknownStep(name);
        }
    }

    private void advance(long timestamp) {
        watermark = timestamp;
        if (timestamp == Long.MAX_VALUE) {
            while (!processor.complete()) {
                drain();
            }
            drain();
            outputs.watermark(timestamp);
            return;
        }
        Watermark inJet = new Watermark(timestamp + 1);
        while (!processor.tryProcessWatermark(inJet)) {
            drain();
        }
        drain();
    }

    private void drain() {
        List<Object> items = new ArrayList<>();
        outbox.drainQueueAndReset(0, items, false);
        for (Object item : items) {
            if (item instanceof Watermark sent) {
                outputs.watermark(sent.timestamp() - 1);
            } else {
                @SuppressWarnings("unchecked")
                KeyedWindowResult<String, List<Long>> result = (KeyedWindowResult<String, List<Long>>) item;
                outputs.fire(result.start(), result.end(), result.result());
            }
        }
    }

    private Processor sessions(Fields assigner) {
        return aggregateToSessionWindowP(
                        assigner.number("gap", 0), 0, TIMES, KEYS, TO_LIST, KeyedWindowResult::new)
                .get();
    }

    private Processor windows(Fields assigner) {
        size = assigner.number("size", 0);
        frame = assigner.number("slide", size);
        SlidingWindowPolicy policy = frame == size ? tumblingWinPolicy(size) : slidingWinPolicy(size, frame);
        long offset = Math.floorMod(assigner.number("offset", 0), frame);
        return aggregateToSlidingWindowP(
                        KEYS,
                        TIMES,
                        TimestampKind.EVENT,
                        policy.withOffset(offset),
                        0,
                        TO_LIST,
                        KeyedWindowResult::new)
                .get();
    }
}
