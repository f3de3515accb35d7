package tidegauge.beam;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.apache.beam.sdk.util.ReleaseInfo;

/** Apache Beam on its direct runner as an engine of the process protocol: requests on stdin, answers on stdout. */
public final class Driver {
    private static final int PROTOCOL = 1;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FIRST =
            """
            {"id": "first", "setup": {"assigner": {"assigner": "session", "gap": 1}},
             "history": [{"step": "record", "timestamp": 0, "value": 0}, {"step": "watermark", "timestamp": "MAX"}]}
            """;

    private final OutputStream answers;
    private final String eventTimeTrigger;

    private Driver(OutputStream answers, String eventTimeTrigger) {
        this.answers = answers;
        this.eventTimeTrigger = eventTimeTrigger;
    }

    /** The argument is the event-time trigger: `default` or `after-watermark`. */
    public static void main(String[] arguments) throws IOException {
        OutputStream answers = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
        System.setOut(System.err); // stdout is for answers alone
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
        Driver driver = new Driver(answers, arguments[0]);
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            if (!driver.answer(line)) {
                break;
            }
        }
        System.exit(0);
    }

    /** Write the answers to a request; false if it is the request to stop. */
    private boolean answer(String line) throws IOException {
        JsonNode request;
        try {
            request = JSON.readTree(line);
        } catch (JsonProcessingException error) {
            write(named("error").put("text", "the request is no JSON object"));
            return true;
        }
        switch (request.path("request").asText()) {
            case "describe" -> {
                transcript(JSON.readTree(FIRST)); // the first pipeline loads classes for seconds: part of the start
                write(description());
            }
            case "run" -> {
                for (JsonNode scenario : request.get("scenarios")) {
                    write(transcript(scenario));
                }
            }
            case "stop" -> {
                return false;
            }
            default -> write(named("error").put("text", "unknown request"));
        }
        return true;
    }

    private static ObjectNode description() {
        ObjectNode description = named("description")
                .put("protocol", PROTOCOL)
                .put("name", "Apache Beam Java, direct runner")
                .put("version", ReleaseInfo.getReleaseInfo().getVersion())
                .put("sessions", false)
                .put("refuses", false);
        description.putArray("capabilities").add("window");
        return description;
    }

    private ObjectNode transcript(JsonNode scenario) {
        ObjectNode answer = named("transcript");
        answer.set("scenario", scenario.get("id"));
        Transcript transcript =
                new Transcript(scenario.get("history"), WindowPipeline.allowedLateness(scenario.get("setup")));
        try {
            new WindowPipeline(scenario, eventTimeTrigger).run(transcript);
        } catch (Throwable failure) {
            transcript.close();
            answer.set("failure", failure(failure));
        }
        answer.set("outputs", transcript.outputs());
        return answer;
    }

    private static ObjectNode failure(Throwable thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        return JSON.createObjectNode().put("text", thrown.toString()).put("traceback", trace.toString());
    }

    private static ObjectNode named(String answer) {
        return JSON.createObjectNode().put("answer", answer);
    }

    private void write(ObjectNode answer) throws IOException {
        answers.write(JSON.writeValueAsBytes(answer));
        answers.write('\n');
        answers.flush(); // a pipeline takes long enough for the kit to wait for each answer
    }
}
