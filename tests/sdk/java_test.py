"""The package for Java: its own tests, on the jar as apps have it, the example in Java and in Kotlin, its bench.

Skipped, saying so, where there is no JDK or the build found none (Debian: openjdk-17-jdk-headless).
"""
import json
import os
import shutil
import sys
import unittest
import zipfile

from bindings import BIN, ROOT, digits_example, make_data, run

SOURCE = ROOT / "sdk/java"
JAR = BIN.parent / "sdk/java/ferry.jar"
# A heap that never grows and no compiler, so that what the process holds is what the library does.
STILL = ("-Xint", "-Xms48m", "-Xmx48m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=512m")


def why_not():
    if shutil.which("javac") is None:
        return "SKIPPED: javac is missing (Debian: openjdk-17-jdk-headless)"
    if not JAR.is_file():
        return "SKIPPED: ferry.jar is not built: the build found no JDK of 17 or later with jni.h"
    return None


@unittest.skipIf(why_not(), why_not())
class Java(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = make_data(cls)
        cls.classes = cls.folder / "classes"
        run("javac", "--release", "17", "-Xlint:all,-try", "-Werror", "-cp", JAR, "-d", cls.classes,
            *sorted((SOURCE / "src/test/java/ferry").glob("*.java")))
        cls.temporary = cls.folder / "tmp"
        cls.temporary.mkdir()

    def java(self, *arguments, **more):
        return run("java", f"-Djava.io.tmpdir={self.temporary}", "-cp", f"{JAR}:{self.classes}", *arguments,
                   env={**os.environ, "FERRY_TEST_DATA": str(self.folder), "FERRY_SOURCE": str(ROOT)}, **more)

    def own(self, suite, *options):
        out = self.java(*options, "-ea", f"ferry.{suite}")
        written = (SOURCE / f"src/test/java/ferry/{suite}.java").read_text().count("static void test")
        self.assertEqual(out.count("ok test"), written, out)
        self.assertEqual(list(self.temporary.glob("ferry-*")), [], "the library's folder stays")
        return out

    def test_engine(self):
        self.assertNotIn("WARNING", self.own("EngineTest", "-Xcheck:jni"))

    def test_faults(self):
        self.own("FaultsTest")

    def test_memory(self):
        self.own("MemoryTest", *STILL)

    def test_runtime(self):
        self.assertNotIn("WARNING", self.own("RuntimeTest", "-Xcheck:jni"))

    def test_the_library_beside_the_jar(self):
        native = self.folder / "native"
        with zipfile.ZipFile(JAR) as jar:
            jar.extractall(native)
        found = next(native.rglob("libferry_jni.so")).parent
        out = self.java(f"-Djava.library.path={found}", "-Djava.io.tmpdir=/nonexistent", "ferry.RuntimeTest",
                        "testStreamsAndPolicies")
        self.assertEqual(out, "ok testStreamsAndPolicies\n")

    def check_example(self, out, labels):
        out = out.splitlines()
        self.assertEqual(out[:4], ["input image f32 [-1, 1, 8, 8]", f"digit {labels[0]}", "batch f32 [10, 10]",
                                   "invalid_argument 1 the model has no input 'picture'; it has 'image'"])
        rest = {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in out[4:]}
        self.assertEqual(json.loads(rest["result"])["result"]["digit"], labels[0])
        self.assertTrue(rest["My"].startswith("dear sir, "), out)

    def test_the_example(self):
        arguments, images, labels = digits_example(self.folder)
        with images.open("rb") as stdin:
            self.check_example(run("java", "-cp", JAR, ROOT / "examples/java/App.java", *arguments, stdin=stdin), labels)

    def test_the_example_in_kotlin(self):
        if shutil.which("kotlinc") is None:
            self.skipTest("SKIPPED: kotlinc is missing (Debian: kotlin)")
        app = self.folder / "app.jar"
        run("kotlinc", "-cp", JAR, "-include-runtime", "-d", app, ROOT / "examples/kotlin/app.kt")
        arguments, images, labels = digits_example(self.folder)
        with images.open("rb") as stdin:
            self.check_example(run("java", "-cp", f"{app}:{JAR}", "AppKt", *arguments, stdin=stdin), labels)

    def test_bench(self):
        model = self.folder / "one_add.fm"
        run(BIN / "ferry-sdk-bench", "model", model)
        run("javac", "-cp", JAR, "-d", self.classes, SOURCE / "bench/Bench.java")
        out = json.loads(self.java(*STILL, "Bench", model, BIN / "ferry-sdk-bench", "--quick"))
        self.assertGreater(out["overhead_us"], 0)
        self.assertLess(out["grown_bytes"], 1 << 20)


if __name__ == "__main__":
    print(why_not() or "", file=sys.stderr)
    unittest.main(verbosity=2)
