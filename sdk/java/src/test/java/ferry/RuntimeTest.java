package ferry;

import static ferry.Check.DATA;
import static ferry.Check.SOURCE;
import static ferry.Check.equal;
import static ferry.Check.fails;
import static ferry.Check.that;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

final class RuntimeTest {
    private RuntimeTest() {}

    private static final int PIXELS = 64;

    private static float[] image(int at) throws Exception {
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(SOURCE.resolve("tasks/digits/images.f32"))).order(ByteOrder.nativeOrder());
        float[] out = new float[PIXELS];
        all.asFloatBuffer().get(at * PIXELS, out);
        return out;
    }

    private static int label(int at) throws Exception {
        return Files.readAllBytes(SOURCE.resolve("tasks/digits/labels.u8"))[at];
    }

    private static String pixels(int at) throws Exception {
        List<String> out = new ArrayList<>();
        for (float one : image(at)) out.add(String.valueOf(Math.round(one * 16)));
        return "[" + String.join(",", out) + "]";
    }

    static void show(Runtime runtime, int at) throws Exception {
        runtime.send("{\"id\":\"page_enter\",\"page\":\"scan\"}");
        runtime.send("{\"id\":\"image\",\"page\":\"scan\",\"data\":{\"image\":" + at + ",\"pixels\":" + pixels(at) + "}}");
    }

    static void testEventsInResultsOutCallsAndModels() throws Exception {
        List<String> results = new CopyOnWriteArrayList<>();
        try (Runtime runtime = new Runtime(new RuntimeOptions().threads(1), results::add)) {
            runtime.openTask(DATA.resolve("digits.fpk"));
            for (int i = 0; i < 3; ++i) show(runtime, i);
            runtime.flush(Duration.ofSeconds(30));
            equal(3, results.size());
            for (int i = 0; i < 3; ++i) that(results.get(i).contains("\"digit\":" + label(i)), results.get(i));
            that(runtime.statusJson().contains("\"digits\""), runtime.statusJson());
            long call = runtime.call("digits", "on_trigger", "[{\"data\":{\"image\":9,\"pixels\":" + pixels(9) + "}}]");
            runtime.call("digits", "no_such", "null");
            fails("already_exists", () -> runtime.openTask(DATA.resolve("digits.fpk")), "digits");
            fails("not_found", () -> runtime.readFile("digits", "none.txt"), "none.txt");
            try (Model model = runtime.model("digits:digits", new SessionOptions().threads(1))) {
                Tensor prob = model.run(Map.of("image", Tensor.of(image(9), 1, 1, 8, 8))).get("prob");
                int best = 0;
                for (int i = 0; i < 10; ++i) if (prob.floats().get(i) > prob.floats().get(best)) best = i;
                equal(label(9), best);
            }
            runtime.flush(Duration.ofSeconds(30));
            long start = System.nanoTime();
            while (results.size() < 5 && System.nanoTime() - start < 30_000_000_000L) Thread.sleep(5);
            that(results.get(3).contains("\"call\":" + call) && results.get(3).contains("\"digit\":" + label(9)), results.get(3));
            equal("not_found", Json.member(results.get(4).replaceAll(".*\"error\":", ""), "name"));
        }
    }

    static void testTablesConsentAndErasure() throws Exception {
        Path folder = Files.createTempDirectory("ferry-java-");
        Path outbox = folder.resolve("outbox");
        try (Runtime runtime = new Runtime(new RuntimeOptions().outbox(outbox).atRestKey(new byte[32]), null)) {
            runtime.openTask(DATA.resolve("rows.fpk"));
            runtime.tablePut("rows", "seen", "{\"name\":\"b\",\"count\":2}");
            runtime.tablePut("rows", "seen", "{\"name\":\"\u00e9\ud83d\ude00\",\"count\":1}");
            equal("{\"count\":1,\"name\":\"\u00e9\ud83d\ude00\"}", runtime.tableGet("rows", "seen", "[\"\u00e9\ud83d\ude00\"]"));
            equal("null", runtime.tableGet("rows", "seen", "[\"z\"]"));
            that(runtime.tableRange("rows", "seen", null).startsWith("[{\"count\":2"), "order");
            runtime.tableDelete("rows", "seen", "[\"b\"]");
            equal("[]", runtime.tableRange("rows", "seen", "{\"prefix\":[\"b\"]}"));
            fails("invalid_argument", () -> runtime.tablePut("rows", "seen", "{\"name\":\"c\",\"colour\":1}"), "colour");
            equal("a note\n", new String(runtime.readFile("rows", "note.txt")));
            runtime.setConsent(false);
            that(runtime.eraseData().contains("\"table_rows\":1"), "erasure");
            fails("not_found", () -> runtime.startAgent(new AgentOptions(folder.resolve("state"))), "join token");
            fails("failed_precondition", () -> runtime.setConditions("{\"idle\":true}"));
            fails("failed_precondition", () -> runtime.haveText());
            fails("failed_precondition", () -> runtime.takeText(""));
        }
        fails("wrong_key", () -> {
            byte[] other = new byte[32];
            other[0] = 1;
            new Runtime(new RuntimeOptions().outbox(outbox).atRestKey(other), null).close();
        });
        try (java.util.stream.Stream<Path> files = Files.walk(folder)) {
            files.sorted(java.util.Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        }
    }

    static void testALanguageModel() throws Exception {
        try (Runtime runtime = new Runtime(); LanguageModel model = runtime.languageModel(SOURCE.resolve("tasks/pair/draft.flm").toString())) {
            that(model.infoJson().contains("qwen3"), model.infoJson());
            int[] tokens = model.encode("My dear sir,");
            that(tokens.length > 2, "tokens");
            equal("My dear sir,", model.decode(tokens));
            String named = model.decode(new int[] {tokens[0]}) + "<|im_end|>";
            that(model.encode(named, true).length > model.encode(named).length, "special tokens as text");
            that(model.decode(model.encode(named), true).length() < named.length(), "special tokens left out");
            try (Chat chat = model.chat(new ChatOptions().maxNew(12).seed(3))) {
                StringBuilder text = new StringBuilder();
                int ids = 0;
                Chat.Generation generation = chat.generate("My dear sir,");
                for (Chat.Piece piece : generation) {
                    text.append(piece.text());
                    ids += piece.ids().length;
                    that(piece.ids().length == 0 || piece.source() == Chat.Source.DEVICE, "source");
                }
                that(generation.statsJson().contains("\"emitted\":" + ids), generation.statsJson());
                equal(text.toString(), chat.generate("My dear sir,").text());
                String answer = chat.say("Good \"day\".").text();
                equal("[{\"role\":\"user\",\"content\":\"Good \\\"day\\\".\"},{\"role\":\"assistant\",\"content\":" + Json.quote(answer) + "}]",
                    chat.messagesJson());
                that(!chat.generate(new int[] {5, 6, 7}).text().isEmpty(), "ids");
            }
            try (Chat chat = model.chat(new ChatOptions().maxNew(400).ignoreEnd(true))) {
                Chat.Generation generation = chat.generate("My");
                fails("failed_precondition", () -> chat.generate("another"));
                generation.cancel();
                fails("cancelled", generation::text, "cancelled");
                Chat.Generation open = chat.generate("My");
                chat.close();
                fails("cancelled", open::text);  // by its own end, or by the chat's
                fails("invalid_argument", () -> chat.generate("x"), "closed");
            }
            fails("failed_precondition", () -> model.chat(new ChatOptions().mode(Chat.Mode.SPLIT)).generate("x"));
            fails("not_found", () -> model.adapter("none.fla"), "none.fla");
        }
    }

    static void testStreamsAndPolicies() {
        try (Stream stream = new Stream(
            "[{\"name\":\"big\",\"source\":\"x\",\"operators\":[{\"op\":\"filter\",\"where\":\"a > 1\"}],\"app\":true}]")) {
            stream.send("x", "{\"a\":1}");
            stream.send("x", "{\"a\":2,\"time_ms\":5}");
            stream.sendEvent("{\"id\":\"x\",\"time_ms\":6,\"data\":{\"a\":3}}");
            stream.advance(-1);
            String rows = stream.read(0);
            that(rows.contains("\"a\":2") && rows.contains("\"a\":3") && !rows.contains("\"a\":1"), rows);
            that(stream.statusJson().contains("\"rows_in\":3"), stream.statusJson());
        }
        that(Policy.matches("os == \"linux\"", "{\"os\":\"linux\"}", ""), "it does not match");
        that(Policy.whyNot("os == \"linux\"", "{\"os\":\"mac\"}", "").get().contains("linux"), "reason");
        equal("0.1.0", Ferry.version());
        equal("a \"\n\u00e9", Json.member("{\"x\":{\"error\":\"no\"},\"y\":[\"error\"],\"error\":\"a \\\"\\n\\u00e9\"}", "error"));
    }

    public static void main(String[] names) throws Exception {
        Check.run(RuntimeTest.class, names);
    }
}
