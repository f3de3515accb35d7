package tidegauge.driver;

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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The process protocol: requests on stdin, answers on stdout. */
public final class Conversation {
    private static final long PROTOCOL = 1;

    private final EngineUnderTest engine;
    private final OutputStream answers;
    private final Map<String, Session> sessions = new HashMap<>();

    private Conversation(EngineUnderTest engine, OutputStream answers) {
        this.engine = engine;
        this.answers = answers;
    }

    /** Answer the requests on stdin until the request to stop, and end the process. */
    public static void hold(EngineUnderTest engine) throws IOException {
        OutputStream answers = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
        System.setOut(System.err); // stdout is for answers alone
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
        Conversation conversation = new Conversation(engine, answers);
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            if (!conversation.answer(line)) {
                break;
            }
            answers.flush();
        }
        System.exit(0);
    }

    /** Write the answers to a request; false if it is the request to stop. */
    private boolean answer(String line) throws IOException {
        Fields request;
        try {
            request = new Fields(Json.read(line));
        } catch (IllegalArgumentException error) {
            write(error("the request is no JSON object"));
            return true;
        }
        String session = request.text("session");
        switch (request.text("request")) {
            case "describe" -> write(description());
            case "run" -> {
                for (Fields scenario : request.list("scenarios")) {
                    write(transcript(scenario));
                }
            }
            case "open" -> {
                sessions.put(session, new Session(request));
                write(ofSession("opened", session));
            }
            case "step" -> {
                Map<String, Object> answer = ofSession("outputs", session);
                try {
                    answer.put("outputs", sessions.get(session).outputs(request.fields("step")));
                } catch (Exception | LinkageError | AssertionError failure) {
                    answer.put("outputs", List.of());
                    answer.put("failure", failure(failure));
                }
                write(answer);
            }
            case "close" -> {
                Session closed = sessions.remove(session);
                if (closed != null) {
                    closed.close();
                }
                write(ofSession("closed", session));
            }
            case "stop" -> {
                return false;
            }
            default -> write(error("unknown request"));
        }
        return true;
    }

    private Map<String, Object> description() {
        Map<String, Object> description = Json.object("answer", "description");
        description.put("protocol", PROTOCOL);
        description.put("name", engine.name());
        description.put("version", engine.version());
        description.put("capabilities", engine.capabilities());
        description.put("sessions", true);
        description.put("refuses", false);
        return description;
    }

    private Map<String, Object> transcript(Fields scenario) {
        Map<String, Object> transcript = Json.object("answer", "transcript");
        List<Object> outputs = new ArrayList<>();
        transcript.put("scenario", scenario.text("id"));
        transcript.put("outputs", outputs);
        try (Session session = new Session(scenario)) {
            for (Fields step : scenario.list("history")) {
                outputs.add(session.outputs(step));
            }
        } catch (Exception | LinkageError | AssertionError failure) {
            transcript.put("failure", failure(failure));
        }
        return transcript;
    }

    private static Map<String, Object> failure(Throwable thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        Map<String, Object> failure = Json.object("text", thrown.toString());
        failure.put("traceback", trace.toString());
        return failure;
    }

    private static Map<String, Object> ofSession(String answer, String session) {
        Map<String, Object> made = Json.object("answer", answer);
        made.put("session", session);
        return made;
    }

    private static Map<String, Object> error(String text) {
        Map<String, Object> error = Json.object("answer", "error");
        error.put("text", text);
        return error;
    }

    private void write(Map<String, Object> answer) throws IOException {
        StringBuilder written = new StringBuilder();
        Json.write(answer, written);
        answers.write(written.append('\n').toString().getBytes(StandardCharsets.UTF_8));
    }

    /** An instance and its outputs. An instance that cannot be made fails at its first step. */
    private final class Session implements AutoCloseable {
        private final Outputs outputs = new Outputs();
        private Engine instance;
        private Exception notMade;

        Session(Fields described) {
            try {
                instance = engine.made(described.text("component"), described.fields("setup"), outputs);
            } catch (Exception thrown) {
                notMade = thrown;
            }
        }

        List<Map<String, Object>> outputs(Fields step) throws Exception {
            if (notMade != null) {
                throw notMade;
            }
            instance.step(step.text("step"), step);
            return outputs.taken();
        }

        @Override
        public void close() {
            if (instance != null) {
                instance.close();
            }
        }
    }
}
