// Runs @NAME@.onnx and compares with what it must give.

import ferry.Model;
import ferry.Tensor;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Map;

public final class ModelTest {
    private static final float[][] FEATURES = {{1, 0, 0, 0}, {0, 2, 0, 1}};
    private static final float[][] PROB = {{0.651564f, 0.216887f, 0.131549f}, {0.038405f, 0.771376f, 0.190219f}};

    public static void main(String[] args) {
        try (Model model = Model.open(Path.of(args[0]))) {
            for (int at = 0; at < FEATURES.length; ++at) {
                FloatBuffer prob = model.run(Map.of("features", Tensor.of(FEATURES[at], 1, 4))).get("prob").floats();
                for (int i = 0; i < PROB[at].length; ++i) {
                    if (Math.abs(prob.get(i) - PROB[at][i]) < 1e-3) continue;
                    throw new AssertionError("case " + at + ": " + prob.get(i) + ", expected " + PROB[at][i]);
                }
            }
        }
        System.out.println(FEATURES.length + " passed");
    }
}
