import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.SlidingWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Shows that the windows of an element before 1970 do not contain its timestamp. */
public final class WindowsBeforeTheEpoch {
    private static final List<Long> STARTS = new ArrayList<>();
    private static final Duration SIZE = Duration.millis(10);

    public static void main(String[] arguments) {
        System.out.println("sent:     an element at -13 ms; windows of 10 ms");
        System.out.println("expected: fixed [-20], sliding by 5 [-20, -15]");
        String fixed = starts(FixedWindows.of(SIZE)).toString();
        String sliding = starts(SlidingWindows.of(SIZE).every(Duration.millis(5))).toString();
        System.out.println("got:      fixed " + fixed + ", sliding by 5 " + sliding);
    }

    /** Returns the starts of the windows that a pipeline assigns to the element. */
    private static List<Long> starts(WindowFn<Object, IntervalWindow> windows) {
        STARTS.clear();
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.create());
        pipeline.apply(Create.timestamped(TimestampedValue.of("element", new Instant(-13))))
                .apply(Window.into(windows))
                .apply(ParDo.of(new NoteWindow()));
        pipeline.run().waitUntilFinish();
        return STARTS.stream().sorted().toList();
    }

    private static final class NoteWindow extends DoFn<String, Void> {
        @ProcessElement
        public void process(BoundedWindow window) {
            synchronized (STARTS) {
                STARTS.add(((IntervalWindow) window).start().getMillis());
            }
        }
    }
}
