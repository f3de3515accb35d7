package tidegauge.flink.job;

/** A line of the event log, times in ms; {@code count} records of consecutive timestamps share one. */
public record LogLine(String kind, String source, int subtask, long eventTime, long processingTime, long count) {}
