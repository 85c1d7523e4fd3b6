package ferry;

import static ferry.Check.DATA;
import static ferry.Check.floats;
import static ferry.Check.that;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

final class MemoryTest {
    private MemoryTest() {}

    private static final long MEGABYTE = 1 << 20;

    // "VmRSS" or "VmHWM", the most that there was, of this process.
    private static long status(String name) throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status")))
            if (line.startsWith(name)) return Long.parseLong(line.replaceAll("\\D+", "")) * 1024;
        throw new AssertionError(name);
    }

    static long residentAfterCollection() throws Exception {
        for (int i = 0; i < 3; ++i) {
            System.gc();
            Thread.sleep(20);  // the cleaner's turn
        }
        return status("VmRSS");
    }

    // Arrays of 48 MB each, all touched before.
    static void testInputsAndOutputsAreNotCopied() throws Exception {
        int count = 12 << 20;
        Tensor x = Tensor.allocate(Type.F32, count), y = Tensor.allocate(Type.F32, count);
        for (int i = 0; i < count; i += 512) {
            x.floats().put(i, 1);
            y.floats().put(i, 1);
        }
        try (Model model = Model.open(DATA.resolve("twice.onnx"), new SessionOptions().threads(1))) {
            long before = status("VmRSS");
            for (int i = 0; i < 2; ++i) {
                that(model.session().run(Map.of("x", x), Map.of("y", y)).get("y") == y, "another tensor");
                model.session().runAsync(Map.of("x", x), Map.of("y", y)).get();
            }
            that(y.floats().get(512) == 2, "it did not run");
            that(y.address == Native.address(y.bytes()), "another address");
            long grown = status("VmHWM") - before;
            that(grown < 24 * MEGABYTE, grown + " bytes more at the peak");
        }
    }

    static void testManyRunsHoldNoMemory() throws Exception {
        try (Model model = Model.open(DATA.resolve("add.onnx"), new SessionOptions().threads(1))) {
            Map<String, Tensor> inputs = new HashMap<>(Map.of("a", floats(1, 2, 3, 4), "b", floats(1, 2, 3, 4)));
            Map<String, Tensor> outputs = Map.of("y", Tensor.allocate(Type.F32, 4));
            long before = 0;
            for (int round = 0; round < 4; ++round) {
                if (round == 3) before = residentAfterCollection();
                for (int i = 0; i < 20_000; ++i) model.session().run(inputs, outputs);
            }
            long grown = residentAfterCollection() - before;
            that(grown < MEGABYTE, grown + " bytes more");
        }
    }

    public static void main(String[] names) throws Exception {
        Check.run(MemoryTest.class, names);
    }
}
