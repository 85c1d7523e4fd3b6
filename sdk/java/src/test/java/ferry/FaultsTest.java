package ferry;

import static ferry.Check.DATA;
import static ferry.Check.equal;
import static ferry.Check.fails;
import static ferry.Check.floats;
import static ferry.Check.that;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

final class FaultsTest {
    private FaultsTest() {}

    private static Model add() {
        return Model.open(DATA.resolve("add.onnx"), new SessionOptions().threads(1));
    }

    static void testWrongInputsNameTheInput() throws Exception {
        try (Model model = add()) {
            Tensor a = floats(1, 2, 3, 4);
            fails("invalid_argument", () -> model.run(Map.of("a", a)), "input 'b' is missing");
            fails("invalid_argument", () -> model.run(Map.of("a", a, "b", a, "c", a)), "no input 'c'", "'a', 'b'");
            fails("shape_mismatch", () -> model.run(Map.of("a", a, "b", floats(1, 2, 3, 4, 5))), "'b'");
            fails("shape_mismatch", () -> model.run(Map.of("a", a, "b", Tensor.allocate(Type.F32, 2, 2))), "'b'");
            fails("shape_mismatch", () -> model.run(Map.of("a", a, "b", Tensor.allocate(Type.F64, 4))), "'b'", "f64");
            fails("shape_mismatch", () -> model.run(Map.of("a", a, "b", Tensor.of(Type.F32, ByteBuffer.allocateDirect(12), 4))),
                "'b'", "16 bytes", "12");
            fails("shape_mismatch", () -> model.run(Map.of("a", a, "b", Tensor.of(Type.F32, ByteBuffer.allocateDirect(16), -4))), "'b'");
            fails("shape_mismatch", () -> model.run(Map.of("a", a, "b", Tensor.allocate(Type.F32, 1, 1, 1, 1, 1, 1, 1, 1, 1))), "8");
            ByteBuffer odd = ByteBuffer.allocateDirect(32);
            odd.position(Native.address(odd) % 4 == 0 ? 1 : 0).limit(odd.position() + 16);
            fails("invalid_argument", () -> model.run(Map.of("a", a, "b", Tensor.of(Type.F32, odd, 4))), "'b'", "aligned to 4");
            fails("invalid_argument", () -> Tensor.of(Type.F32, ByteBuffer.allocate(16), 4), "not direct");
            fails("invalid_argument", () -> Tensor.of(new String[] {null}), "text 0");
            fails("invalid_argument", () -> Tensor.of(new String[] {"a\0b"}), "character 0");
            fails("shape_mismatch", () -> Tensor.of(new float[3], 2), "3", "[2]");
            fails("shape_mismatch", () -> Tensor.allocate(Type.F32, Long.MAX_VALUE, 8));
            fails("shape_mismatch", () -> a.longs(), "f32 [4]");
            equal(8f, model.run(Map.of("a", a, "b", a)).get("y").floats().get(3));  // it still runs
        }
    }

    static void testModelsThatDoNotOpenNameFileAndNode() throws Exception {
        fails("not_found", () -> Model.open(DATA.resolve("none.onnx")), "none.onnx");
        fails("bad_model", () -> Model.open(DATA.resolve("broken.onnx")), "broken.onnx");
        fails("unsupported_operator", () -> Model.open(DATA.resolve("odd.onnx")), "odd.onnx", "node_0", "Frobnicate");
        fails("bad_model", () -> Model.open(ByteBuffer.allocate(100), new SessionOptions()));
        fails("unsupported", () -> Model.open(DATA.resolve("add.onnx"), new SessionOptions().backends("cuda")), "cuda");
        fails("invalid_argument", () -> Model.open(DATA.resolve("add.onnx"), new SessionOptions().threads(-1)), "-1");
    }

    static void testWhatIsClosedSaysSo() throws Exception {
        Model model = add();
        Session session = model.newSession(new SessionOptions().threads(1));
        model.close();
        model.close();
        Map<String, Tensor> inputs = Map.of("a", floats(1, 1, 1, 1), "b", floats(1, 1, 1, 1));
        fails("invalid_argument", () -> model.run(inputs), "closed");
        fails("invalid_argument", () -> model.session().runAsync(inputs, null).get(), "closed");
        fails("invalid_argument", model::infoJson, "closed");
        fails("invalid_argument", () -> model.newSession(new SessionOptions()), "closed");
        equal(2f, session.run(inputs).get("y").floats().get(0));  // lives on
        Stream stream = new Stream("[{\"name\":\"s\",\"source\":\"x\",\"operators\":[]}]");
        stream.close();
        fails("invalid_argument", () -> stream.send("x", "{}"), "closed");
    }

    static void testManyThreadsOnOneSession() throws Exception {
        try (Model model = add()) {
            List<Thread> threads = new ArrayList<>();
            List<Throwable> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
            for (int t = 0; t < 4; ++t) {
                float value = t;
                threads.add(new Thread(() -> {
                    Map<String, Tensor> inputs = Map.of("a", floats(value, 0, 0, 0), "b", floats(value, 0, 0, 0));
                    for (int i = 0; i < 2000; ++i) {
                        try {
                            equal(2 * value, model.run(inputs).get("y").floats().get(0));
                        } catch (FerryException refused) {
                            if (!refused.name().equals("failed_precondition")) wrong.add(refused);
                        } catch (Throwable failed) {
                            wrong.add(failed);
                        }
                    }
                }));
            }
            for (Thread thread : threads) thread.start();
            for (Thread thread : threads) thread.join();
            equal(List.of(), wrong);
        }
    }

    static void testACallbackThatThrowsGoesToTheThreadsHandler() throws Exception {
        List<String> thrown = java.util.Collections.synchronizedList(new ArrayList<>());
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            thrown.add(error.getMessage());
            throw new IllegalStateException("the handler fails too");
        });
        try (Runtime runtime = new Runtime(new RuntimeOptions(), json -> {
            throw new RuntimeException("from the callback");
        })) {
            runtime.openTask(DATA.resolve("digits.fpk"));
            for (int i = 0; i < 2; ++i) RuntimeTest.show(runtime, i);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        equal(List.of("from the callback", "from the callback"), thrown);
    }

    static void testClosingFromACallbackIsRefused() throws Exception {
        Runtime[] self = new Runtime[1];
        String[] refused = new String[1];
        CountDownLatch called = new CountDownLatch(1);
        self[0] = new Runtime(new RuntimeOptions(), json -> {
            try {
                self[0].close();
            } catch (FerryException error) {
                refused[0] = error.name();
            }
            called.countDown();
        });
        self[0].openTask(DATA.resolve("digits.fpk"));
        RuntimeTest.show(self[0], 0);
        that(called.await(30, TimeUnit.SECONDS), "no result");
        equal("failed_precondition", refused[0]);
        self[0].close();
    }

    static void testARuntimeRefusesWhatIsWrong() throws Exception {
        fails("invalid_argument", () -> new Runtime(new RuntimeOptions().atRestKey(new byte[3]), null), "3 bytes", "32");
        Runtime runtime = new Runtime();
        fails("not_found", () -> runtime.openTask(Path.of("none.fpk")), "none.fpk");
        fails("malformed", () -> runtime.send("[1"));
        fails("invalid_argument", () -> runtime.send(null));
        fails("failed_precondition", () -> runtime.sendDurable("{\"id\":\"a\"}"));
        fails("not_found", () -> runtime.call("pack", "f", "null"), "pack");
        fails("not_found", () -> runtime.model("pack:model", new SessionOptions()));
        fails("not_found", () -> runtime.languageModel("none.flm"), "none.flm");
        fails("bad_rule", () -> Policy.matches("os = 1", "{}", ""), "line 1", "column 4");
        fails("malformed", () -> new Stream("[{\"name\":\"s\",\"source\":\"x\",\"operators\":[{\"op\":\"rise\"}]}]"), "rise");
        runtime.close();
        runtime.close();
        fails("invalid_argument", () -> runtime.send("{\"id\":\"a\"}"), "closed");
    }

    static void testWhatNothingRefersToIsClosed() throws Exception {
        // Handles are limited to 2^20, so the library itself would say when they were kept.
        for (int i = 0; i < 300; ++i) {
            Map<String, Tensor> inputs = new HashMap<>();
            inputs.put("a", floats(1, 1, 1, 1));
            inputs.put("b", floats(1, 1, 1, 1));
            add().run(inputs);
            if (i % 50 == 0) System.gc();
        }
        long before = MemoryTest.residentAfterCollection();
        for (int i = 0; i < 1000; ++i) {
            add().infoJson();
            if (i % 50 == 0) MemoryTest.residentAfterCollection();
        }
        long grown = MemoryTest.residentAfterCollection() - before;
        that(grown < 24 << 20, grown + " bytes more after 1,000 models");
    }

    public static void main(String[] names) throws Exception {
        Check.run(FaultsTest.class, names);
    }
}
