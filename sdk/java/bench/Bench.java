// What a run through this package costs above a run in C.
//
// usage: java -cp ferry.jar Bench.java MODEL PROGRAM [--quick]
//   MODEL is what `ferry-sdk-bench model MODEL` writes, PROGRAM that program
//
// Prints {"overhead_us", "grown_bytes", ..} as JSON. Rounds of C and of this language are interleaved; a figure is the
// median of its rounds. For grown_bytes the heap must not grow: -Xms48m -Xmx48m -XX:+AlwaysPreTouch.
import ferry.Model;
import ferry.SessionOptions;
import ferry.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public final class Bench {
    private static Model model;
    private static Map<String, Tensor> inputs = new HashMap<>();
    private static Map<String, Tensor> own;

    private static double microseconds(int runs, Map<String, Tensor> outputs) {
        long start = System.nanoTime();
        for (int i = 0; i < runs; ++i) model.session().run(inputs, outputs);
        return (System.nanoTime() - start) / 1000.0 / runs;
    }

    private static double asyncMicroseconds(int runs) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < runs; ++i) model.session().runAsync(inputs, own).get();
        return (System.nanoTime() - start) / 1000.0 / runs;
    }

    private static double cMicroseconds(String program) throws Exception {
        String out = new String(new ProcessBuilder(program, "run").start().getInputStream().readAllBytes());
        Matcher found = Pattern.compile("\"c_us\": ([0-9.]+)").matcher(out);
        if (!found.find()) throw new IllegalStateException(out);
        return Double.parseDouble(found.group(1));
    }

    private static double median(List<Double> values) {
        Collections.sort(values);
        return values.get(values.size() / 2);
    }

    private static long resident() throws Exception {
        for (int i = 0; i < 3; ++i) {
            System.gc();
            Thread.sleep(50);
        }
        for (String line : Files.readAllLines(Path.of("/proc/self/status")))
            if (line.startsWith("VmRSS")) return Long.parseLong(line.replaceAll("\\D+", "")) * 1024;
        return 0;
    }

    public static void main(String[] args) throws Exception {
        boolean quick = args.length > 2;
        int rounds = quick ? 3 : 11, runs = quick ? 4_000 : 20_000, many = quick ? 20_000 : 100_000;
        model = Model.open(Path.of(args[0]), new SessionOptions().threads(1));
        for (var io : model.inputs()) inputs.put(io.name(), Tensor.of(new float[] {3, 3, 3, 3}, io.shape()));
        own = model.run(inputs);  // its memory from now on
        List<Double> c = new ArrayList<>(), fresh = new ArrayList<>(), into = new ArrayList<>(), later = new ArrayList<>();
        for (int i = 0; i < 3; ++i) microseconds(runs, i == 0 ? null : own);
        for (int round = 0; round < rounds; ++round) {
            c.add(cMicroseconds(args[1]));
            into.add(microseconds(runs, own));
            fresh.add(microseconds(runs, null));
            later.add(asyncMicroseconds(runs / 10));
        }
        microseconds(many, own);
        long before = resident();
        microseconds(many, own);
        long grown = resident() - before;
        double base = median(c);
        System.out.printf(java.util.Locale.ROOT, "{\"overhead_us\": %.4f, \"fresh_overhead_us\": %.4f, \"async_overhead_us\": %.4f, "
            + "\"c_us\": %.4f, \"grown_bytes\": %d}%n", median(into) - base, median(fresh) - base, median(later) - base, base, grown);
        if (own.values().iterator().next().floats().get(3) != 6) throw new IllegalStateException("the sum is wrong");
    }
}
