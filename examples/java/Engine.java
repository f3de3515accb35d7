// A valve, a clock and a backlog combiner in Java under test. Each is an ordinary class. Below them stands what
// answers Tidegauge, line by line, and at the end a small reader and writer of JSON, so that nothing else is needed.
//
//     tidegauge smoke --command 'java Engine.java'      does it speak the protocol?
//     tidegauge run --command 'java Engine.java'        is it right?

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

public class Engine {
    static final long MIN = Long.MIN_VALUE; // ms; no watermark yet
    static final long MAX = Long.MAX_VALUE; // the end of input

    /** A step is refused. The message is illegal-argument, illegal-state or unsupported. */
    static class Refused extends RuntimeException {
        Refused(String error) {
            super(error);
        }
    }

    /** What a step outputs, with the name that it has on the wire. */
    sealed interface Output {
        record Watermark(long timestamp) implements Output {}

        record Idle() implements Output {}

        record Active() implements Output {}

        record Reading(long nanoseconds) implements Output {}

        record RecordAttributes(boolean backlog) implements Output {}

        record Error(String error) implements Output {}
    }

    /** An instance under test: it takes a step and returns its outputs. */
    interface Component {
        List<Output> take(Fields step);
    }

    // ------------------------------------------------------------------------------------------- the engines

    static class Valve implements Component {
        private static class Channel {
            long watermark = MIN;
            boolean idle = false;
            boolean aligned = true;
        }

        private final List<Channel> channels;
        private long sent = MIN;
        private boolean silent = false;

        Valve(Fields setup) {
            channels = Stream.generate(Channel::new).limit(setup.number("channels")).toList();
        }

        @Override
        public List<Output> take(Fields step) {
            Channel channel = channel(step.number("channel"));
            return switch (step.text("step")) {
                case "watermark" -> watermark(channel, step.timestamp("timestamp"));
                case "idle" -> idle(channel);
                case "active" -> active(channel);
                default -> throw new Refused("unsupported");
            };
        }

        private List<Output> watermark(Channel channel, long timestamp) {
            if (channel.idle || timestamp <= channel.watermark) {
                return List.of();
            }
            channel.watermark = timestamp;
            channel.aligned |= timestamp >= sent;
            return timestamp == MAX && allIdle() ? goIdle() : minimum();
        }

        private List<Output> idle(Channel channel) {
            if (channel.idle || channel.watermark == MAX) {
                return List.of();
            }
            channel.idle = true;
            channel.aligned = false;
            return allIdle() ? goIdle() : minimum();
        }

        private List<Output> active(Channel channel) {
            if (!channel.idle) {
                return List.of();
            }
            channel.idle = false;
            List<Output> woken = silent ? List.of(new Output.Active()) : List.of();
            silent = false;
            channel.aligned = channel.watermark >= sent;
            return channel.aligned ? joined(woken, minimum()) : woken;
        }

        private Channel channel(long number) {
            if (number < 0 || number >= channels.size()) {
                throw new Refused("illegal-argument");
            }
            return channels.get((int) number);
        }

        private Stream<Channel> unfinished() {
            return channels.stream().filter(channel -> channel.watermark != MAX);
        }

        private boolean allIdle() {
            return unfinished().findAny().isPresent() && unfinished().allMatch(channel -> channel.idle);
        }

        private List<Output> minimum() {
            if (unfinished().findAny().isEmpty()) {
                return rise(MAX);
            }
            Stream<Channel> aligned = unfinished().filter(channel -> channel.aligned);
            return rise(aligned.mapToLong(channel -> channel.watermark).min().orElse(MIN));
        }

        private List<Output> goIdle() {
            silent = true;
            long largest = unfinished().mapToLong(channel -> channel.watermark).max().orElseThrow();
            return joined(rise(largest), List.of(new Output.Idle()));
        }

        private List<Output> rise(long timestamp) {
            if (timestamp <= sent) {
                return List.of();
            }
            sent = timestamp;
            return List.of(new Output.Watermark(timestamp));
        }
    }

    static class Clock implements Component {
        private final List<String> pauses = new ArrayList<>();
        private long shows;

        Clock(Fields setup) {
            shows = setup.number("nanoseconds", 0);
        }

        @Override
        public List<Output> take(Fields step) {
            switch (step.text("step")) {
                case "advance" -> advance(step.number("nanoseconds"));
                case "pause" -> pauses.add(step.text("reason", "backpressure"));
                case "resume" -> resume(step.text("reason", "backpressure"));
                case "read" -> {
                    return List.of(new Output.Reading(shows));
                }
                default -> throw new Refused("unsupported");
            }
            return List.of();
        }

        private void advance(long nanoseconds) {
            if (nanoseconds < 0) {
                throw new Refused("illegal-argument");
            }
            if (pauses.stream().allMatch("no-data"::equals)) {
                shows += nanoseconds;
            }
        }

        private void resume(String reason) {
            if (!pauses.remove(reason)) {
                throw new Refused("illegal-state");
            }
        }
    }

    static class BacklogCombiner implements Component {
        private final Boolean[] flags; // null: the channel has not said yet
        private Boolean sent = null;

        BacklogCombiner(Fields setup) {
            flags = new Boolean[(int) setup.number("channels")];
            for (Object channel : setup.list("without_strategy")) {
                flags[((Long) channel).intValue()] = false;
            }
        }

        @Override
        public List<Output> take(Fields step) {
            long channel = step.number("channel");
            if (channel < 0 || channel >= flags.length) {
                throw new Refused("illegal-argument");
            }
            flags[(int) channel] = step.flag("backlog");
            boolean behind = Arrays.asList(flags).contains(true);
            boolean known = behind || !Arrays.asList(flags).contains(null);
            if (!known || Boolean.valueOf(behind).equals(sent)) {
                return List.of();
            }
            sent = behind;
            return List.of(new Output.RecordAttributes(behind));
        }
    }

    static List<Output> joined(List<Output> first, List<Output> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    // ---------------------------------------------- the protocol: nothing but answers is printed on stdout

    /** An instance, made at its first step, so that what its constructor throws is kept as a failure. */
    static class Instance {
        private final String component;
        private final Fields setup;
        private Component made;

        Instance(String component, Fields setup) {
            this.component = component;
            this.setup = setup;
        }

        /** The answer to a step: its outputs, or how it failed. */
        Map<String, Object> answer(Fields step) {
            try {
                if (made == null) {
                    made = make();
                }
                return object("outputs", made.take(step).stream().map(Engine::onWire).toList());
            } catch (Refused refused) {
                return object("outputs", List.of(onWire(new Output.Error(refused.getMessage()))));
            } catch (RuntimeException | StackOverflowError failure) {
                StringWriter traceback = new StringWriter();
                failure.printStackTrace(new PrintWriter(traceback));
                Object told = object("text", failure.toString(), "traceback", traceback.toString());
                return object("outputs", List.of(), "failure", told);
            }
        }

        private Component make() {
            return switch (component) {
                case "valve" -> new Valve(setup);
                case "clock" -> new Clock(setup);
                case "backlog" -> new BacklogCombiner(setup);
                default -> throw new Refused("unsupported");
            };
        }
    }

    static Map<String, Object> onWire(Output output) {
        if (output instanceof Output.Watermark watermark) {
            return object("output", "watermark", "timestamp", onWire(watermark.timestamp()));
        } else if (output instanceof Output.Reading reading) {
            return object("output", "reading", "nanoseconds", reading.nanoseconds());
        } else if (output instanceof Output.RecordAttributes attributes) {
            return object("output", "record-attributes", "backlog", attributes.backlog());
        } else if (output instanceof Output.Error error) {
            return object("output", "error", "error", error.error());
        }
        return object("output", output instanceof Output.Idle ? "idle" : "active");
    }

    /** A timestamp as readers of JSON agree on it: beyond 2^53 as a text. */
    static Object onWire(long timestamp) {
        if (timestamp == MIN || timestamp == MAX) {
            return timestamp == MIN ? "MIN" : "MAX";
        }
        return Math.abs(timestamp) < 1L << 53 ? (Object) timestamp : Long.toString(timestamp);
    }

    private final Map<String, Instance> sessions = new HashMap<>();

    /** The answers to a request; none to `stop`. */
    List<Map<String, Object>> answers(Fields request) {
        return switch (request.text("request")) {
            case "describe" -> List.of(object(
                    "answer", "description", "protocol", 1, "name", "java sample", "version", "1",
                    "capabilities", List.of("valve", "clock", "backlog", "int64"), "sessions", true));
            case "run" -> request.list("scenarios").stream().map(one -> transcript(Fields.of(one))).toList();
            case "open" -> {
                String session = request.text("session");
                sessions.put(session, new Instance(request.text("component"), request.fields("setup")));
                yield List.of(object("answer", "opened", "session", session));
            }
            case "step" -> {
                String session = request.text("session");
                Map<String, Object> answer = object("answer", "outputs", "session", session);
                answer.putAll(sessions.get(session).answer(request.fields("step")));
                yield List.of(answer);
            }
            case "close" -> {
                sessions.remove(request.text("session"));
                yield List.of(object("answer", "closed", "session", request.text("session")));
            }
            case "stop" -> List.of();
            default -> List.of(object("answer", "error", "text", "unknown request " + request.text("request")));
        };
    }

    static Map<String, Object> transcript(Fields scenario) {
        Instance instance = new Instance(scenario.text("component"), scenario.fields("setup"));
        List<Object> outputs = new ArrayList<>();
        Map<String, Object> transcript =
                object("answer", "transcript", "scenario", scenario.text("id"), "outputs", outputs);
        for (Object step : scenario.list("history")) {
            Map<String, Object> answer = instance.answer(Fields.of(step));
            if (answer.containsKey("failure")) {
                transcript.put("failure", answer.get("failure"));
                break;
            }
            outputs.add(answer.get("outputs"));
        }
        return transcript;
    }

    public static void main(String[] arguments) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        var engine = new Engine();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Fields request = Fields.of(new Reader(line).value());
            engine.answers(request).forEach(answer -> out.print(written(answer) + "\n"));
            out.flush();
            if (request.text("request").equals("stop")) {
                return;
            }
        }
    }

    // -------------------------------------------------------- JSON: maps, lists, texts, longs, booleans, null

    /** An object of names and values, in their order. */
    static Map<String, Object> object(Object... pairs) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int at = 0; at < pairs.length; at += 2) {
            object.put((String) pairs[at], pairs[at + 1]);
        }
        return object;
    }

    /** The fields of an object. One with a default may be missing. */
    record Fields(Map<?, ?> named) {
        static Fields of(Object object) {
            return new Fields((Map<?, ?>) object);
        }

        String text(String name) {
            return (String) named.get(name);
        }

        String text(String name, String otherwise) {
            return named.containsKey(name) ? text(name) : otherwise;
        }

        long number(String name) {
            return (Long) named.get(name);
        }

        long number(String name, long otherwise) {
            return named.containsKey(name) ? number(name) : otherwise;
        }

        boolean flag(String name) {
            return (Boolean) named.get(name);
        }

        List<?> list(String name) {
            return named.containsKey(name) ? (List<?>) named.get(name) : List.of();
        }

        Fields fields(String name) {
            return of(named.get(name));
        }

        long timestamp(String name) {
            Object told = named.get(name);
            if (told instanceof Long timestamp) {
                return timestamp;
            }
            return told.equals("MIN") ? MIN : told.equals("MAX") ? MAX : Long.parseLong((String) told);
        }
    }

    /** Reads a line of JSON without numbers that have fractions, which the protocol does not have. */
    static class Reader {
        private final String text;
        private int at = 0;

        Reader(String text) {
            this.text = text;
        }

        Object value() {
            return switch (next()) {
                case '{' -> map();
                case '[' -> list();
                case '"' -> string();
                case 't' -> word("true", true);
                case 'f' -> word("false", false);
                case 'n' -> word("null", null);
                default -> number();
            };
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return text.charAt(at);
        }

        private boolean skip(char sign) {
            boolean found = next() == sign;
            at += found ? 1 : 0;
            return found;
        }

        private void expect(char sign) {
            if (!skip(sign)) {
                throw new IllegalArgumentException(sign + " expected at " + at + " of " + text);
            }
        }

        private Map<String, Object> map() {
            Map<String, Object> found = new LinkedHashMap<>();
            expect('{');
            while (!skip('}')) {
                String name = string();
                expect(':');
                found.put(name, value());
                if (next() != '}') {
                    expect(',');
                }
            }
            return found;
        }

        private List<Object> list() {
            List<Object> found = new ArrayList<>();
            expect('[');
            while (!skip(']')) {
                found.add(value());
                if (next() != ']') {
                    expect(',');
                }
            }
            return found;
        }

        private String string() {
            StringBuilder found = new StringBuilder();
            expect('"');
            for (char sign = text.charAt(at++); sign != '"'; sign = text.charAt(at++)) {
                found.append(sign == '\\' ? escaped(text.charAt(at++)) : sign);
            }
            return found.toString();
        }

        private char escaped(char sign) {
            return switch (sign) {
                case 'n' -> '\n';
                case 't' -> '\t';
                case 'r' -> '\r';
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'u' -> (char) Integer.parseInt(text.substring(at, at += 4), 16);
                default -> sign;
            };
        }

        private Object word(String word, Object meaning) {
            if (!text.startsWith(word, at)) {
                throw new IllegalArgumentException(word + " expected at " + at + " of " + text);
            }
            at += word.length();
            return meaning;
        }

        private Long number() {
            int from = at;
            while (at < text.length() && "-0123456789".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return Long.valueOf(text.substring(from, at));
        }
    }

    static String written(Object value) {
        if (value instanceof Map<?, ?> map) {
            var fields = map.entrySet().stream();
            return list("{", fields.map(one -> written(one.getKey()) + ":" + written(one.getValue())), "}");
        } else if (value instanceof List<?> list) {
            return list("[", list.stream().map(Engine::written), "]");
        }
        return value instanceof String text ? quoted(text) : String.valueOf(value);
    }

    private static String list(String from, Stream<String> parts, String to) {
        return from + String.join(",", parts.toList()) + to;
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char sign : text.toCharArray()) {
            if (sign == '"' || sign == '\\') {
                quoted.append('\\').append(sign);
            } else if (sign < ' ') {
                quoted.append(String.format("\\u%04x", (int) sign));
            } else {
                quoted.append(sign);
            }
        }
        return quoted.append('"').toString();
    }
}
