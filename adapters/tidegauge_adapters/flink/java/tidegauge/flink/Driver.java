package tidegauge.flink;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import tidegauge.flink.job.RunningJob;

/**
 * Stock classes of Apache Flink as an engine of the process protocol: requests on stdin, answers on stdout. The
 * argument {@code bare} leaves out what is behind the multiplexer of splits in a task.
 */
public final class Driver {
    private static final int PROTOCOL = 1;
    private static final List<String> CAPABILITIES =
            List.of(
                    "valve", "splits", "clock", "idleness", "generator", "coordinator", "source", "backlog", "window",
                    "job", "alignment", "job-idleness", "job-windows", "job-out-of-orderness", "int64");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The history of a job, which is left out. */
    private static final ArrayNode RUN = JSON.createArrayNode().add(JSON.createObjectNode().put("step", "run"));

    private final boolean isBare;
    private final Map<String, Session> sessions = new HashMap<>();

    private Driver(boolean isBare) {
        this.isBare = isBare;
    }

    public static void main(String[] arguments) throws Exception {
        OutputStream answers = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
        System.setOut(System.err); // stdout is for answers alone
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
        Driver driver = new Driver(List.of(arguments).contains("bare"));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            if (!driver.answer(line, answers)) {
                break;
            }
            answers.flush();
        }
        RunningJob.closeCluster();
        System.exit(0);
    }

    /** Write the answers to a request; whether it was none to stop. */
    private boolean answer(String line, OutputStream answers) throws IOException {
        JsonNode request;
        try {
            request = JSON.readTree(line);
        } catch (IOException error) {
            write(answers, named("error").put("text", "the request is no JSON"));
            return true;
        }
        String session = request.path("session").asText();
        switch (request.path("request").asText()) {
            case "describe" -> write(answers, description());
            case "run" -> {
                for (JsonNode scenario : request.get("scenarios")) {
                    write(answers, transcript(scenario));
                }
            }
            case "open" -> {
                sessions.put(session, new Session(request.get("component").asText(), request.get("setup")));
                write(answers, named("opened").put("session", session));
            }
            case "step" -> {
                ObjectNode answer = named("outputs").put("session", session);
                try {
                    answer.set("outputs", sessions.get(session).outputs(request.get("step")));
                } catch (Throwable failure) {
                    answer.putArray("outputs");
                    answer.set("failure", failure(failure));
                }
                write(answers, answer);
            }
            case "close" -> {
                sessions.remove(session).close();
                write(answers, named("closed").put("session", session));
            }
            case "stop" -> {
                return false;
            }
            default -> write(answers, named("error").put("text", "unknown request"));
        }
        return true;
    }

    private static ObjectNode description() {
        ObjectNode description =
                named("description")
                        .put("protocol", PROTOCOL)
                        .put("name", "Apache Flink")
                        .put("version", EnvironmentInformation.getVersion())
                        .put("sessions", true)
                        .put("profile", "flink-2.3")
                        .put("refuses", false)
                        .put("overshoot", "until the first announcement what is readable, later one record")
                        .put("overshoot_ms", RunningJob.OVERSHOOT_MS)
                        .put("reaction_ms", RunningJob.STEP_MS)
                        .put("remark", "Stock classes of flink-dist, driven one step at a time.");
        CAPABILITIES.forEach(description.putArray("capabilities")::add);
        return description;
    }

    private ObjectNode transcript(JsonNode scenario) {
        ObjectNode transcript = named("transcript").put("scenario", scenario.get("id").asText());
        ArrayNode outputs = transcript.putArray("outputs");
        Session session = new Session(scenario.get("component").asText(), scenario.get("setup"));
        try {
            for (JsonNode step : scenario.has("history") ? scenario.get("history") : RUN) {
                outputs.add(session.outputs(step));
            }
        } catch (Throwable failure) {
            transcript.set("failure", failure(failure));
        }
        session.close();
        return transcript;
    }

    private static ObjectNode failure(Throwable thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        return JSON.createObjectNode().put("text", thrown.toString()).put("traceback", trace.toString());
    }

    private static ObjectNode named(String answer) {
        return JSON.createObjectNode().put("answer", answer);
    }

    private static void write(OutputStream answers, JsonNode answer) throws IOException {
        answers.write(JSON.writeValueAsBytes(answer));
        answers.write('\n');
    }

    /** An instance and its outputs. One that cannot be made fails at its first step. */
    private final class Session {
        private final Outputs outputs = new Outputs();
        private Engine engine;
        private Throwable notMade;

        Session(String component, JsonNode setup) {
            try {
                engine = made(component, setup);
            } catch (Throwable thrown) {
                notMade = thrown;
            }
        }

        ArrayNode outputs(JsonNode step) throws Throwable {
            if (notMade != null) {
                throw notMade;
            }
            try {
                engine.step(step.get("step").asText(), step);
            } catch (UnknownStep error) {
                throw error;
            } catch (Exception thrown) {
                String code = engine.refuses() ? Refusal.code(thrown) : null;
                if (code == null) {
                    throw thrown;
                }
                outputs.error(code);
            }
            return outputs.taken();
        }

        void close() {
            try {
                if (engine != null) {
                    engine.close();
                }
            } catch (Exception thrown) {
                thrown.printStackTrace();
            }
        }

        private Engine made(String component, JsonNode setup) throws Exception {
            return switch (component) {
                case "valve" -> new ValveEngine(setup, outputs);
                case "splits" ->
                        setup.get("parts").asText().equals("inputs")
                                ? new InputsEngine(setup, outputs)
                                : new SplitsEngine(outputs, isBare);
                case "clock" -> new ClockEngine(setup, outputs);
                case "idleness" -> new IdlenessEngine(setup, outputs);
                case "generator" -> new GeneratorEngine(setup, outputs);
                case "coordinator" -> new CoordinatorEngine(setup, outputs);
                case "source" -> new SourceTask(setup, outputs);
                case "backlog" -> new BacklogEngine(setup, outputs);
                case "job" -> new JobEngine(setup, outputs);
                case "window" -> new WindowEngine(setup, outputs);
                default -> throw new UnknownStep(component);
            };
        }
    }
}
