import ferry.FerryException;
import java.nio.file.Path;

public final class AppTest {
    private static void check(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }

    static void classify(App app) {
        float[] expected = {0.651564f, 0.216887f, 0.131549f};
        float[] prob = app.classify(1, 0, 0, 0);
        check(prob.length == expected.length, "the classes");
        for (int i = 0; i < prob.length; ++i) check(Math.abs(prob[i] - expected[i]) < 1e-4, "class " + i + ": " + prob[i]);
    }

    static void means(App app) {
        app.send(1);
        app.send(2);
        check(app.rows().equals("[]"), "there is no mean of two readings");
        app.send(4.5);
        String rows = app.rows();
        check(rows.contains("\"mean\":2.5"), rows);
    }

    static void modelThatIsNotThere() {
        try (App app = new App(Path.of("no such file"))) {
            check(false, "it opens");
        } catch (FerryException error) {
            check(error.name().equals("not_found"), error.toString());
        }
    }

    public static void main(String[] args) {
        try (App app = new App(Path.of(args[0]))) {
            classify(app);
            means(app);
        }
        modelThatIsNotThere();
        System.out.println("3 passed");
    }
}
