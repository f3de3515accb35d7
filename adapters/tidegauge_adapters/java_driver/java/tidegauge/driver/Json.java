package tidegauge.driver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes the JSON of the protocol: maps, lists, texts, whole numbers ({@code Long}), booleans and null. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /**
     * Read an object.
     *
     * @throws IllegalArgumentException if the line is not exactly one object
     */
    static Map<String, Object> read(String line) {
        Json reader = new Json(line.strip());
        try {
            Map<String, Object> object = reader.object();
            if (reader.at == reader.text.length()) {
                return object;
            }
        } catch (StringIndexOutOfBoundsException ended) {
            throw new IllegalArgumentException("the line ends within an object", ended);
        }
        throw new IllegalArgumentException("the line goes on after its object");
    }

    /** Return a new object with one text, to which fields can be added. */
    static Map<String, Object> object(String name, String value) {
        Map<String, Object> made = new LinkedHashMap<>();
        made.put(name, value);
        return made;
    }

    static void write(Object value, StringBuilder written) {
        if (value instanceof Map<?, ?> fields) {
            String separator = "{";
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                quote((String) field.getKey(), written.append(separator));
                write(field.getValue(), written.append(':'));
                separator = ",";
            }
            written.append(fields.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> items) {
            String separator = "[";
            for (Object item : items) {
                write(item, written.append(separator));
                separator = ",";
            }
            written.append(items.isEmpty() ? "[]" : "]");
        } else if (value instanceof String content) {
            quote(content, written);
        } else {
            written.append(value);
        }
    }

    private static void quote(String content, StringBuilder written) {
        written.append('"');
        for (char sign : content.toCharArray()) {
            if (sign == '"' || sign == '\\') {
                written.append('\\').append(sign);
            } else if (sign < ' ') {
                written.append(String.format("\\u%04x", (int) sign));
            } else {
                written.append(sign);
            }
        }
        written.append('"');
    }

    private Object value() {
        return switch (next()) {
            case '{' -> object();
            case '[' -> list();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        expect('{');
        while (!skip('}')) {
            next();
            String name = string();
            expect(':');
            fields.put(name, value());
            if (next() != '}') {
                expect(',');
            }
        }
        return fields;
    }

    private List<Object> list() {
        List<Object> items = new ArrayList<>();
        expect('[');
        while (!skip(']')) {
            items.add(value());
            if (next() != ']') {
                expect(',');
            }
        }
        return items;
    }

    private String string() {
        StringBuilder content = new StringBuilder();
        expect('"');
        for (char sign = text.charAt(at++); sign != '"'; sign = text.charAt(at++)) {
            content.append(sign == '\\' ? escaped(text.charAt(at++)) : sign);
        }
        return content.toString();
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
            throw new IllegalArgumentException(word + " expected at " + at);
        }
        at += word.length();
        return meaning;
    }

    private Long number() {
        int from = at;
        while ("-0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return Long.valueOf(text.substring(from, at));
    }

    private char next() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.charAt(at);
    }

    private boolean skip(char sign) {
        boolean present = next() == sign;
        at += present ? 1 : 0;
        return present;
    }

    private void expect(char sign) {
        if (!skip(sign)) {
            throw new IllegalArgumentException(sign + " expected at " + at);
        }
    }
}
