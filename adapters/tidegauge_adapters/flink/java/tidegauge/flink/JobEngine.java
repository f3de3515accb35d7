package tidegauge.flink;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.util.NumberSequenceIterator;
import tidegauge.flink.job.Feed;
import tidegauge.flink.job.Feed.Segment;
import tidegauge.flink.job.JobDescription;
import tidegauge.flink.job.JobDescription.SourceDescription;
import tidegauge.flink.job.LogLine;
import tidegauge.flink.job.RunningJob;

/** Whole jobs on a cluster of Flink; the output of the only step is the event log. */
final class JobEngine implements Engine {
    private final JobDescription description;
    private final Outputs outputs;

    JobEngine(JsonNode setup, Outputs outputs) {
        this.description = description(setup);
        this.outputs = outputs;
    }

    @Override
    public void step(String name, JsonNode step) throws Exception {
        if (!name.equals("run")) {
            throw new UnknownStep(name);
        }
        for (LogLine line : RunningJob.log(description)) {
            ObjectNode log = outputs.add("log").put("kind", line.kind()).put("source", line.source());
            log.put("subtask", line.subtask()).set("event_time", Timestamps.write(line.eventTime()));
            log.put("processing_time", line.processingTime()).put("count", line.count());
        }
    }

    /** A job that fails refuses nothing. */
    @Override
    public boolean refuses() {
        return false;
    }

    private static JobDescription description(JsonNode setup) {
        List<SourceDescription> sources = new ArrayList<>();
        for (JsonNode source : setup.get("sources")) {
            List<Feed> feeds = setup.path("split_range").asBoolean() ? range(source) : feeds(source);
            sources.add(
                    new SourceDescription(
                            source.get("name").asText(),
                            feeds,
                            source.path("watermark_group").asText(null),
                            source.path("max_allowed_watermark_drift").asLong(),
                            source.has("idle_timeout") ? source.get("idle_timeout").asLong() : null,
                            source.path("max_out_of_orderness").asLong()));
        }
        Long window = setup.has("window") ? setup.get("window").asLong() : null;
        return new JobDescription(sources, setup.get("until").asLong(), window);
    }

    private static List<Feed> feeds(JsonNode source) {
        List<Feed> feeds = new ArrayList<>();
        for (JsonNode subtask : source.get("subtasks")) {
            List<Segment> segments = new ArrayList<>();
            for (JsonNode given : subtask.path("segments")) {
                segments.add(
                        new Segment(
                                Timestamps.read(given.get("first")),
                                given.get("count").asLong(),
                                given.get("step").asLong(),
                                given.get("readable_from").asLong(),
                                given.get("milliseconds_per_record").asLong(),
                                1));
            }
            if (segments.isEmpty()) {
                long first = Timestamps.read(subtask.get("first"));
                segments.add(numbers(first, Timestamps.read(subtask.get("end")) - first, subtask));
            }
            feeds.add(new Feed(segments));
        }
        return feeds;
    }

    /** The subtasks' numbers as Flink divides their range. */
    private static List<Feed> range(JsonNode source) {
        JsonNode subtasks = source.get("subtasks");
        long last = Timestamps.read(subtasks.get(subtasks.size() - 1).get("end")) - 1;
        List<Feed> feeds = new ArrayList<>();
        for (NumberSequenceIterator part :
                new NumberSequenceIterator(Timestamps.read(subtasks.get(0).get("first")), last).split(subtasks.size())) {
            long count = part.getTo() - part.getCurrent() + 1;
            feeds.add(new Feed(List.of(numbers(part.getCurrent(), count, subtasks.get(feeds.size())))));
        }
        return feeds;
    }

    private static Segment numbers(long first, long count, JsonNode subtask) {
        return new Segment(first, count, 1, 0, 1, subtask.get("records_per_millisecond").asLong());
    }
}
