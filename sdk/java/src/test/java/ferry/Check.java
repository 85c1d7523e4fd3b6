package ferry;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;

/** What the tests share: each public static method of a class is a test. */
final class Check {
    private Check() {}

    static final Path DATA = Path.of(System.getenv("FERRY_TEST_DATA"));
    static final Path SOURCE = Path.of(System.getenv("FERRY_SOURCE"));

    interface Action {
        void run() throws Exception;
    }

    static void that(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }

    static void equal(Object want, Object got) {
        that(java.util.Objects.deepEquals(want, got), "want " + text(want) + ", got " + text(got));
    }

    private static String text(Object value) {
        return Arrays.deepToString(new Object[] {value});
    }

    /** That it fails with this error and every one of these words. */
    static void fails(String name, Action action, String... words) throws Exception {
        FerryException error;
        try {
            action.run();
            throw new AssertionError("no " + name);
        } catch (java.util.concurrent.ExecutionException failed) {
            error = (FerryException) failed.getCause();
        } catch (FerryException failed) {
            error = failed;
        }
        equal(name, error.name());
        for (String word : words) that(error.getMessage().contains(word), "'" + word + "' is not in: " + error.getMessage());
    }

    static void run(Class<?> suite, String[] names) throws Exception {
        for (Method method : suite.getDeclaredMethods()) {
            if (!method.getName().startsWith("test") || names.length > 0 && !Arrays.asList(names).contains(method.getName())) continue;
            try {
                method.invoke(null);
                System.out.println("ok " + method.getName());
            } catch (InvocationTargetException failed) {
                System.out.println("FAILED " + method.getName());
                failed.getCause().printStackTrace();
                System.exit(1);
            }
        }
    }

    static Tensor floats(float... values) {
        return Tensor.of(values, values.length);
    }

    static float[] array(Tensor tensor) {
        float[] out = new float[tensor.floats().remaining()];
        tensor.floats().get(out);
        return out;
    }
}
