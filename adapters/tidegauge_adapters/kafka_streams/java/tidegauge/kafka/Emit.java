package tidegauge.kafka;

import java.util.Locale;

/** When a topology emits the result of a window. */
enum Emit {
    /** Once, when the window closes: the operator {@code suppress} withholds the updates of the aggregation. */
    SUPPRESS,
    /** Once, when the window closes: the aggregation itself withholds its updates ({@code EmitStrategy}). */
    CLOSE,
    /** With each record: the default of the aggregation. */
    UPDATE;

    static Emit of(String option) {
        return valueOf(option.toUpperCase(Locale.ROOT));
    }
}
