"""The package for Node.js: its own tests, its types, npm pack and an install from the tarball, the example, its bench.

Skipped, saying so, where there is no node, or no addon because the build found no headers (`npm ci` in sdk/node).
"""
import json
import os
import shutil
import sys
import tarfile
import unittest

from bindings import BIN, ROOT, digits_example, make_data, run

SOURCE = ROOT / "sdk/node"
PACKAGE = BIN.parent / "sdk/node/node_modules/ferry"
TSC = SOURCE / "node_modules/typescript/bin/tsc"


def why_not():
    if shutil.which("node") is None:
        return "SKIPPED: node is missing (Debian: nodejs)"
    if not (PACKAGE / "native/ferry.node").is_file():
        return "SKIPPED: the addon is not built: `npm ci` in sdk/node, or Debian's libnode-dev, then build again"
    return None


@unittest.skipIf(why_not(), why_not())
class Node(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = make_data(cls)
        cls.environment = {**os.environ, "NODE_PATH": str(PACKAGE.parent), "FERRY_TEST_DATA": str(cls.folder),
                           "FERRY_SOURCE": str(ROOT)}

    def own(self, name):
        run("node", "--test", SOURCE / "test" / f"{name}.test.js", env=self.environment)

    def test_engine(self):
        self.own("engine")

    def test_faults(self):
        self.own("faults")

    def test_memory(self):
        self.own("memory")

    def test_runtime(self):
        self.own("runtime")

    def test_no_suite_is_left_out(self):
        self.assertEqual(sorted(one.name for one in (SOURCE / "test").glob("*.test.js")),
                         [f"{one}.test.js" for one in ("engine", "faults", "memory", "runtime")])

    def test_types(self):
        if not TSC.is_file():
            self.skipTest("SKIPPED: TypeScript is missing: `npm ci` in sdk/node")
        run("node", TSC, "-p", SOURCE / "test")

    def test_packed_installed_and_the_example(self):
        if shutil.which("npm") is None:
            self.skipTest("SKIPPED: npm is missing (Debian: npm)")
        environment = {**os.environ, "HOME": str(self.folder), "npm_config_offline": "true"}
        environment.pop("NODE_PATH", None)
        run("npm", "pack", "--pack-destination", self.folder, cwd=PACKAGE, env=environment)
        tarball = next(self.folder.glob("ferry-*.tgz"))
        with tarfile.open(tarball) as tar:
            names = {one.name.removeprefix("package/") for one in tar}
        self.assertLessEqual({"index.js", "index.d.ts", "LICENSE", "README.md", "native/ferry.node", "native/libferry.so.0"}, names)
        app = self.folder / "app"
        app.mkdir()
        (app / "package.json").write_text("{}")
        run("npm", "install", "--no-audit", "--no-fund", tarball, cwd=app, env=environment)
        shutil.copy(ROOT / "examples/javascript/app.mjs", app)
        arguments, images, labels = digits_example(self.folder)
        with images.open("rb") as stdin:
            out = run("node", "app.mjs", *arguments, cwd=app, env=environment, stdin=stdin).splitlines()
        self.assertEqual(out[:4], ['input image f32 ["n",1,8,8]', f"digit {labels[0]}", "batch [10,10]",
                                   "invalid_argument 1 the model has no input 'picture'; it has 'image'"])
        self.assertEqual(out[4:7], [f"image {at} is a {labels[at]}" for at in range(3)])
        self.assertTrue(out[7].startswith("My dear sir, "), out)

    def test_bench(self):
        model = self.folder / "one_add.fm"
        run(BIN / "ferry-sdk-bench", "model", model)
        out = json.loads(run("node", "--expose-gc", SOURCE / "bench/run.js", model, BIN / "ferry-sdk-bench", "--quick",
                             env=self.environment))
        self.assertGreater(out["overhead_us"], 0)
        self.assertLess(out["grown_bytes"], 1 << 20)


if __name__ == "__main__":
    print(why_not() or "", file=sys.stderr)
    unittest.main(verbosity=2)
