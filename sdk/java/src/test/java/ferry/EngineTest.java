package ferry;

import static ferry.Check.DATA;
import static ferry.Check.array;
import static ferry.Check.equal;
import static ferry.Check.fails;
import static ferry.Check.floats;
import static ferry.Check.that;

import java.io.FileInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

final class EngineTest {
    private EngineTest() {}

    private static final SessionOptions ONE = new SessionOptions().threads(1);

    static void testAModelSaysWhatItIs() {
        try (Model model = Model.open(DATA.resolve("free.onnx"))) {
            Io x = model.inputs().get(0);
            equal("x", x.name());
            equal(Type.F32, x.type());
            equal(new long[] {-1, 3}, x.shape());
            equal(List.of("batch", ""), x.symbols());
            equal(2, model.outputs().size());
            that(model.infoJson().contains("\"nodes\":2"), model.infoJson());
            that(Model.isasJson().contains("reference"), Model.isasJson());
        }
    }

    static void testRuns() throws Exception {
        try (Model model = Model.open(DATA.resolve("add.onnx"), ONE)) {
            Map<String, Tensor> inputs = Map.of("a", floats(1, 2, 3, 4), "b", floats(10, 10, 10, 10));
            for (int i = 0; i < 3; ++i) {
                Tensor y = model.run(inputs).get("y");
                equal("f32 [4]", y.toString());
                equal(new float[] {11, 12, 13, 14}, array(y));
                equal(new float[] {11, 12, 13, 14}, array(model.session().runAsync(inputs, null).get().get("y")));
            }
        }
    }

    static void testFreeExtentsEachInMemoryOfItsOwn() throws Exception {
        try (Model model = Model.open(DATA.resolve("free.onnx"), ONE)) {
            List<Map<String, Tensor>> kept = new ArrayList<>();
            for (int rows : new int[] {1, 4, 4, 2, 1}) {
                Tensor x = Tensor.allocate(Type.F32, rows, 3);
                for (int i = 0; i < rows * 3; ++i) x.floats().put(i, -i);
                Map<String, Tensor> all = new HashMap<>(model.run(Map.of("x", x)));
                Map<String, Tensor> other = model.session().runAsync(Map.of("x", x), null).get();
                equal(array(all.get("y")), array(other.get("y")));
                all.put("x", x);
                kept.add(all);
            }
            for (Map<String, Tensor> one : kept) {
                float[] x = array(one.get("x")), y = array(one.get("y")), z = array(one.get("z"));
                equal(one.get("x").shape(), one.get("y").shape());
                for (int i = 0; i < x.length; ++i) that(y[i] == 2 * x[i] && z[i] == -x[i], "at " + i);
            }
        }
    }

    static void testShapesThatDependOnValuesTextsAndWholeNumbers() throws Exception {
        try (Model places = Model.open(DATA.resolve("places.onnx")); Model texts = Model.open(DATA.resolve("texts.onnx"));
             Model whole = Model.open(DATA.resolve("whole.onnx"))) {
            Tensor found = places.run(Map.of("x", floats(0, 5, 0, 6))).get("y");
            equal(new long[] {1, 2}, found.shape());
            equal(3L, found.longs().get(1));
            equal(new long[] {1, 0}, places.run(Map.of("x", floats(0, 0))).get("y").shape());
            equal(0L, places.session().runAsync(Map.of("x", floats(9, 0)), null).get().get("y").longs().get(0));
            String[] words = {"a", "", "h\u00e9 \ud83d\ude00"};
            equal(words, texts.run(Map.of("x", Tensor.of(words))).get("y").texts());
            equal(words, texts.session().runAsync(Map.of("x", Tensor.of(words)), null).get().get("y").texts());
            Tensor big = whole.run(Map.of("x", Tensor.of(new long[] {1L << 60, -1}, new long[] {2}))).get("y");
            equal(1L << 61, big.longs().get(0));
        }
    }

    static void testOutputsAreWrittenWhereTheAppWantsThem() throws Exception {
        try (Model model = Model.open(DATA.resolve("free.onnx"), ONE)) {
            Map<String, Tensor> x = Map.of("x", Tensor.of(new float[] {1, -2, 3}, 1, 3));
            ByteBuffer memory = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
            memory.position(8).limit(20);
            Tensor y = Tensor.of(Type.F32, memory, 1, 3);
            Map<String, Tensor> wanted = new HashMap<>();
            wanted.put("y", y);
            Map<String, Tensor> out = model.session().run(x, wanted);
            that(out.size() == 1 && out.get("y") == y, "another tensor");
            equal(-4f, memory.getFloat(12));
            wanted.put("z", null);
            equal(new float[] {1, 2, 3}, array(model.session().runAsync(x, wanted).get().get("z")));
            Tensor large = Tensor.allocate(Type.F32, 8);
            Tensor part = model.session().run(x, Map.of("y", large)).get("y");
            equal(new long[] {1, 3}, part.shape());
            equal(-4f, large.floats().get(1));
            Tensor small = Tensor.allocate(Type.F32, 1);
            fails("shape_mismatch", () -> model.session().run(x, Map.of("y", small)), "'y'", "12 bytes", "room for 4");
            fails("invalid_argument", () -> model.session().run(x, Map.of("q", small)), "no output 'q'", "'y', 'z'");
            fails("shape_mismatch", () -> model.session().run(x, Map.of("y", Tensor.allocate(Type.I8, 12))), "'y'", "i8");
            Tensor fixed = Tensor.of(Type.F32, ByteBuffer.allocateDirect(12).asReadOnlyBuffer(), 1, 3);
            fails("invalid_argument", () -> model.session().run(x, Map.of("y", fixed)), "'y'", "read-only");
            model.run(Map.of("x", fixed));  // which may be read
        }
    }

    static void testModelsFromMemoryAndDescriptors() throws Exception {
        byte[] file = Files.readAllBytes(DATA.resolve("add.onnx"));
        ByteBuffer direct = ByteBuffer.allocateDirect(file.length).put(file).flip();
        List<Model> models = new ArrayList<>(List.of(Model.open(ByteBuffer.wrap(file), ONE), Model.open(direct, ONE),
            Model.openVerified(DATA.resolve("add.onnx"), ONE)));
        try (FileInputStream in = new FileInputStream(DATA.resolve("add.onnx").toFile())) {
            models.add(Model.open(in.getFD(), 0, 0, ONE));
        }
        direct = null;
        System.gc();
        for (Model model : models) {
            equal(5f, model.run(Map.of("a", floats(2, 2, 2, 2), "b", floats(3, 3, 3, 3))).get("y").floats().get(3));
            model.close();
        }
    }

    static void testSessionsRunAtOneTimeAndCancel() throws Exception {
        Tensor x = Tensor.allocate(Type.F32, 384, 384);
        try (Model model = Model.open(DATA.resolve("slow.onnx"), ONE)) {
            model.session().resize(Map.of("x", x));
            CompletableFuture<Map<String, Tensor>> first = model.session().runAsync(Map.of("x", x), null);
            try (Session other = model.newSession(ONE)) {
                other.run(Map.of("x", x));
            }
            first.get(60, TimeUnit.SECONDS);
            CompletableFuture<Map<String, Tensor>> second = model.session().runAsync(Map.of("x", x), null);
            fails("failed_precondition", () -> model.session().run(Map.of("x", x)), "another call");
            fails("failed_precondition", () -> model.session().runAsync(Map.of("x", x), null).get(), "another call");
            model.session().cancel();
            fails("cancelled", second::get);
            CompletableFuture<Map<String, Tensor>> third = model.session().runAsync(Map.of("x", x), null);
            long start = System.nanoTime();
            that(third.cancel(true) && third.isCancelled(), "not cancelled");
            while (true) {  // the session is free when its run has noticed
                try {
                    model.session().resize(Map.of("x", x));
                    break;
                } catch (FerryException busy) {
                    that(System.nanoTime() - start < 10_000_000_000L, "it ran on");
                    Thread.sleep(1);
                }
            }
            CompletableFuture<Map<String, Tensor>> fourth = model.session().runAsync(Map.of("x", x), null);
            model.close();
            fails("cancelled", fourth::get);
        }
    }

    static void testAFutureGoesOn() throws Exception {
        try (Model model = Model.open(DATA.resolve("add.onnx"), ONE)) {
            Map<String, Tensor> inputs = Map.of("a", floats(1, 1, 1, 1), "b", floats(2, 2, 2, 2));
            CompletableFuture<Float> twice = model.session().runAsync(inputs, null)
                .thenCompose(out -> model.session().runAsync(Map.of("a", out.get("y"), "b", out.get("y")), null))
                .thenApply(out -> out.get("y").floats().get(0));
            equal(6f, twice.get(10, TimeUnit.SECONDS));
        }
    }

    static void testAProfileNamesNodes() {
        try (Model model = Model.open(DATA.resolve("add.onnx"), new SessionOptions().profile(true))) {
            model.run(Map.of("a", floats(1, 1, 1, 1), "b", floats(2, 2, 2, 2)));
            that(model.session().profileJson().contains("node_0"), model.session().profileJson());
        }
    }

    public static void main(String[] names) throws Exception {
        Check.run(EngineTest.class, names);
    }
}
