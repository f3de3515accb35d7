package tidegauge.flink.job;

import java.time.Duration;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.triggers.EventTimeTrigger;
import org.apache.flink.streaming.api.windowing.triggers.Trigger;
import org.apache.flink.streaming.api.windowing.triggers.TriggerResult;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Tumbling windows behind all sources; what happens in them goes to the log of the job. */
final class Windows {
    private static final OutputTag<Long> LATE = new OutputTag<>("late", Types.LONG);

    private Windows() {}

    static void behind(DataStream<Long> records, Duration size, String key) {
        SingleOutputStreamOperator<Long> fired =
                records.windowAll(TumblingEventTimeWindows.of(size))
                        .trigger(new NotedTrigger(key))
                        .sideOutputLateData(LATE)
                        .process(new Firing(key), Types.LONG);
        fired.getSideOutput(LATE).map(new NotedLate(key)).setParallelism(1).sinkTo(new DiscardingSink<>()).setParallelism(1);
        fired.transform("passed on", Types.LONG, new Passing(key))
                .setParallelism(1)
                .sinkTo(new DiscardingSink<>())
                .setParallelism(1);
    }

    private static WindowLog log(String key) {
        return RunningJob.of(key).windows();
    }

    /** Flink's own trigger; it is asked about each record that is not late. */
    private static final class NotedTrigger extends Trigger<Object, TimeWindow> {
        private static final long serialVersionUID = 1;

        private final String key;
        private final EventTimeTrigger trigger = EventTimeTrigger.create();

        NotedTrigger(String key) {
            this.key = key;
        }

        @Override
        public TriggerResult onElement(Object record, long timestamp, TimeWindow window, TriggerContext context)
                throws Exception {
            TriggerResult result = trigger.onElement(record, timestamp, window, context);
            log(key).arrived();
            return result;
        }

        @Override
        public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context) throws Exception {
            return trigger.onProcessingTime(time, window, context);
        }

        @Override
        public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context) {
            return trigger.onEventTime(time, window, context);
        }

        @Override
        public void clear(TimeWindow window, TriggerContext context) throws Exception {
            trigger.clear(window, context);
        }
    }

    /** A window fires, and is cleared. */
    private static final class Firing extends ProcessAllWindowFunction<Long, Long, TimeWindow> {
        private static final long serialVersionUID = 1;

        private final String key;

        Firing(String key) {
            this.key = key;
        }

        @Override
        public void process(Context context, Iterable<Long> records, Collector<Long> out) {
            long count = 0;
            for (Long record : records) {
                count++;
            }
            log(key).fired(context.window().getEnd(), count);
        }

        @Override
        public void clear(Context context) {
            log(key).cleared(context.window().getEnd());
        }
    }

    private record NotedLate(String key) implements MapFunction<Long, Long> {
        @Override
        public Long map(Long timestamp) {
            log(key).late(timestamp);
            return timestamp;
        }
    }

    /** Chained behind the windows: which watermarks and markers have passed them. */
    private static final class Passing extends AbstractStreamOperator<Long>
            implements OneInputStreamOperator<Long, Long> {
        private static final long serialVersionUID = 1;

        private final String key;

        Passing(String key) {
            this.key = key;
        }

        @Override
        public void processElement(StreamRecord<Long> record) {
            output.collect(record);
        }

        @Override
        public void processWatermark(Watermark mark) throws Exception {
            log(key).watermark(mark.getTimestamp());
            super.processWatermark(mark);
        }

        @Override
        public void processLatencyMarker(LatencyMarker marker) {
            log(key).marker(marker.getOperatorId() + "/" + marker.getSubtaskIndex());
        }
    }
}
