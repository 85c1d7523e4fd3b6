package ferry;

/** The little of JSON that this package writes and reads itself. */
final class Json {
    private Json() {}

    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        return out.append('"').toString();
    }

    /** A text member of an object; "" where there is none. */
    static String member(String json, String name) {
        int depth = 0;
        for (int at = 0; at < json.length(); ++at) {
            char c = json.charAt(at);
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') --depth;
            if (c != '"') continue;
            StringBuilder text = new StringBuilder();
            int end = string(json, at, text);
            boolean isKey = depth == 1 && json.startsWith(":\"", end);
            if (isKey && text.toString().equals(name)) {
                StringBuilder value = new StringBuilder();
                string(json, end + 1, value);
                return value.toString();
            }
            at = end - 1;
        }
        return "";
    }

    // Reads a string whose first quote is at `at`; the place behind its last.
    private static int string(String json, int at, StringBuilder out) {
        for (++at; at < json.length(); ++at) {
            char c = json.charAt(at);
            if (c == '"') return at + 1;
            if (c != '\\' || at + 1 == json.length()) {
                out.append(c);
                continue;
            }
            c = json.charAt(++at);
            int control = "nrtbf".indexOf(c);
            if (control >= 0) {
                out.append("\n\r\t\b\f".charAt(control));
            } else if (c == 'u' && at + 4 < json.length()) {
                out.append((char) Integer.parseInt(json, at + 1, at + 5, 16));
                at += 4;
            } else {
                out.append(c);
            }
        }
        return at;
    }
}
