package tidegauge.flink;

import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.OutputTag;

/** What Flink's classes write to: each of their three kinds of output ends in the outputs of the step. */
final class Downstream {
    private Downstream() {}

    /** Behind a valve, a record-attributes combiner, a source. */
    static class ToData<T> implements PushingAsyncDataInput.DataOutput<T> {
        private final Outputs outputs;

        ToData(Outputs outputs) {
            this.outputs = outputs;
        }

        @Override
        public void emitRecord(StreamRecord<T> record) {
            outputs.record(record.hasTimestamp() ? record.getTimestamp() : Long.MIN_VALUE);
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            outputs.watermark(watermark.getTimestamp());
        }

        @Override
        public void emitWatermarkStatus(WatermarkStatus status) {
            outputs.status(status.isIdle());
        }

        @Override
        public void emitRecordAttributes(RecordAttributes attributes) {
            outputs.add("record-attributes").put("backlog", attributes.isBacklog());
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {}

        /** Overrides a method of Flink 2.0 and later. */
        public void emitWatermark(WatermarkEvent watermark) {}
    }

    /** Behind a generator. */
    record ToWatermarks(Outputs outputs) implements WatermarkOutput {
        @Override
        public void emitWatermark(org.apache.flink.api.common.eventtime.Watermark watermark) {
            outputs.watermark(watermark.getTimestamp());
        }

        @Override
        public void markIdle() {
            outputs.status(true);
        }

        @Override
        public void markActive() {
            outputs.status(false);
        }
    }

    /** Behind an operator; records of side outputs are late ones. */
    static class ToOperator<T> implements Output<StreamRecord<T>> {
        private final Outputs outputs;

        ToOperator(Outputs outputs) {
            this.outputs = outputs;
        }

        @Override
        public void collect(StreamRecord<T> record) {
            outputs.record(record.hasTimestamp() ? record.getTimestamp() : Long.MIN_VALUE);
        }

        @Override
        public <X> void collect(OutputTag<X> tag, StreamRecord<X> record) {
            outputs.add("late").put("value", (Long) record.getValue());
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            outputs.watermark(watermark.getTimestamp());
        }

        @Override
        public void emitWatermarkStatus(WatermarkStatus status) {
            outputs.status(status.isIdle());
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {}

        @Override
        public void emitRecordAttributes(RecordAttributes attributes) {}

        /** Overrides a method of Flink 2.0 and later. */
        public void emitWatermark(WatermarkEvent watermark) {}

        @Override
        public void close() {}
    }
}
