import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.windowing.SlidingWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Shows a pipeline that fails because an element lies between two windows. */
public final class ElementBetweenWindows {
    public static void main(String[] arguments) {
        System.out.println("sent:     elements at 1 and 3 ms; windows of 2 ms, one every 5 ms");
        System.out.println("expected: the pipeline ends; the element at 3 ms is in no window");
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.create());
        pipeline.apply(Create.timestamped(
                        TimestampedValue.of("covered", new Instant(1)),
                        TimestampedValue.of("between", new Instant(3))))
                .apply(Window.into(SlidingWindows.of(Duration.millis(2)).every(Duration.millis(5))));
        try {
            pipeline.run().waitUntilFinish();
            System.out.println("got:      the pipeline ends");
        } catch (RuntimeException failure) {
            System.out.println("got:      " + failure);
        }
    }
}
