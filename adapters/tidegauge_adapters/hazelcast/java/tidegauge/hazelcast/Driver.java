package tidegauge.hazelcast;

import com.hazelcast.instance.BuildInfoProvider;
import com.hazelcast.internal.json.Json;
import com.hazelcast.internal.json.JsonArray;
import com.hazelcast.internal.json.JsonObject;
import com.hazelcast.internal.json.JsonValue;
import com.hazelcast.internal.json.ParseException;
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

/** Stock classes of Hazelcast Jet as an engine of the process protocol: requests on stdin, answers on stdout. */
public final class Driver {
    private static final int PROTOCOL = 1;
    private static final List<String> CAPABILITIES = List.of("valve", "window", "int64");

    private final Map<String, Session> sessions = new HashMap<>();

    private Driver() {}

    public static void main(String[] arguments) throws IOException {
        OutputStream answers = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
        System.setOut(System.err); // stdout is for answers alone
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
        Driver driver = new Driver();
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            if (!driver.answer(line, answers)) {
                break;
            }
            answers.flush();
        }
        System.exit(0);
    }

    /** Write the answers to a request; false if it is the request to stop. */
    private boolean answer(String line, OutputStream answers) throws IOException {
        JsonObject request;
        try {
            request = Json.parse(line).asObject();
        } catch (ParseException | UnsupportedOperationException error) {
            write(answers, named("error").add("text", "the request is no JSON object"));
            return true;
        }
        String session = request.getString("session", "");
        switch (request.getString("request", "")) {
            case "describe" -> write(answers, description());
            case "run" -> {
                for (JsonValue scenario : request.get("scenarios").asArray()) {
                    write(answers, transcript(scenario.asObject()));
                }
            }
            case "open" -> {
                sessions.put(session, new Session(request));
                write(answers, named("opened").add("session", session));
            }
            case "step" -> {
                JsonObject answer = named("outputs").add("session", session);
                try {
                    answer.add("outputs", sessions.get(session).outputs(request.get("step").asObject()));
                } catch (Exception | LinkageError | AssertionError failure) {
                    answer.add("outputs", new JsonArray()).add("failure", failure(failure));
                }
                write(answers, answer);
            }
            case "close" -> {
                sessions.remove(session);
                write(answers, named("closed").add("session", session));
            }
            case "stop" -> {
                return false;
            }
            default -> write(answers, named("error").add("text", "unknown request"));
        }
        return true;
    }

    private static JsonObject description() {
        JsonArray capabilities = new JsonArray();
        CAPABILITIES.forEach(capabilities::add);
        return named("description")
                .add("protocol", PROTOCOL)
                .add("name", "Hazelcast Jet")
                .add("version", BuildInfoProvider.getBuildInfo().getVersion())
                .add("capabilities", capabilities)
                .add("sessions", true)
                .add("refuses", false);
    }

    private static JsonObject transcript(JsonObject scenario) {
        JsonObject transcript = named("transcript").add("scenario", scenario.get("id"));
        JsonArray outputs = new JsonArray();
        transcript.add("outputs", outputs);
        Session session = new Session(scenario);
        try {
            for (JsonValue step : scenario.get("history").asArray()) {
                outputs.add(session.outputs(step.asObject()));
            }
        } catch (Exception | LinkageError | AssertionError failure) {
            transcript.add("failure", failure(failure));
        }
        return transcript;
    }

    private static JsonObject failure(Throwable thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        return new JsonObject().add("text", thrown.toString()).add("traceback", trace.toString());
    }

    private static JsonObject named(String answer) {
        return new JsonObject().add("answer", answer);
    }

    private static void write(OutputStream answers, JsonObject answer) throws IOException {
        answers.write(answer.toString().getBytes(StandardCharsets.UTF_8));
        answers.write('\n');
    }

    /** An instance and its outputs. An instance that cannot be made fails at its first step. */
    private static final class Session {
        private final Outputs outputs = new Outputs();
        private Engine engine;
        private Exception notMade;

        Session(JsonObject described) {
            try {
                engine = made(described.getString("component", ""), described.get("setup").asObject());
            } catch (Exception thrown) {
                notMade = thrown;
            }
        }

        JsonArray outputs(JsonObject step) throws Exception {
            if (notMade != null) {
                throw notMade;
            }
            engine.step(step.getString("step", ""), step);
            return outputs.taken();
        }

        private Engine made(String component, JsonObject setup) throws Exception {
            return switch (component) {
                case "valve" -> new ValveEngine(setup, outputs);
                case "window" -> new WindowEngine(setup, outputs);
                default -> throw new UnknownStep(component);
            };
        }
    }
}
