package org.apache.flink.streaming.api.operators;

import java.lang.reflect.Field;
import java.util.List;
import org.apache.flink.api.common.eventtime.IndexedCombinedWatermarkStatus;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Flink's base of operators with several inputs, without a task. Its constructor wants a whole one, so none is
 * called, and only the two fields that watermarks and statuses use are set.
 */
public final class InputsProbe extends AbstractStreamOperatorV2<Object> implements MultipleInputStreamOperator<Object> {
    private InputsProbe() {
        super(null, 0);
    }

    public static InputsProbe make(int inputs, Output<StreamRecord<Object>> output) throws Exception {
        Field unsafe = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        InputsProbe made = (InputsProbe) ((sun.misc.Unsafe) unsafe.get(null)).allocateInstance(InputsProbe.class);
        made.set("combinedWatermark", IndexedCombinedWatermarkStatus.forInputsCount(inputs));
        made.set("output", output);
        return made;
    }

    /** {@code input} from 0. */
    public void watermark(int input, long timestamp) throws Exception {
        reportWatermark(new Watermark(timestamp), input + 1);
    }

    /** {@code input} from 0. */
    public void status(int input, boolean idle) throws Exception {
        processWatermarkStatus(idle ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE, input + 1);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public List<Input> getInputs() {
        return null;
    }

    private void set(String name, Object value) throws Exception {
        Field field = AbstractStreamOperatorV2.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(this, value);
    }
}
