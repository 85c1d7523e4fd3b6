// @NAME@: what the app asks of Ferry.

import ferry.Model;
import ferry.Stream;
import ferry.Tensor;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Map;

public final class App implements AutoCloseable {
    // A graph as "streams" of task.json has it: the mean of each three readings.
    private static final String STREAMS = """
        [{"name": "means", "source": "reading", "app": true, "operators": [
          {"op": "window", "kind": "count", "size": 3,
           "aggregates": [{"op": "mean", "field": "value", "as": "mean"}]}]}]""";

    private final Model model;
    private final Stream stream;

    public App(Path path) {
        model = Model.open(path);
        stream = new Stream(STREAMS);
    }

    /** The probabilities of the classes; features: four numbers. */
    public float[] classify(float... features) {
        FloatBuffer prob = model.run(Map.of("features", Tensor.of(features, 1, features.length))).get("prob").floats();
        float[] out = new float[prob.remaining()];
        prob.get(out);
        return out;
    }

    /** A reading of the sensor, as an event. */
    public void send(double reading) {
        stream.sendEvent("{\"id\": \"reading\", \"data\": {\"value\": " + reading + "}}");
    }

    /** The means since the last call, as a JSON list of rows. */
    public String rows() {
        return stream.read(0);
    }

    @Override
    public void close() {
        stream.close();
        model.close();
    }

    public static void main(String[] args) {
        try (App app = new App(Path.of(args.length > 0 ? args[0] : "classifier.onnx"))) {
            float[] prob = app.classify(1, 0, 0, 0);
            for (int i = 0; i < prob.length; ++i) System.out.printf("class %d: %.3f%n", i, prob[i]);
            for (int reading = 0; reading < 6; ++reading) app.send(reading);
            System.out.println(app.rows());
        }
    }
}
