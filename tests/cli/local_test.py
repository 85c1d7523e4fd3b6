"""ferry pack, inspect, convert, run on good and bad input, and the command line itself."""
import json
import unittest

import fixture

COMMANDS = ["bench", "compare", "conformance", "convert", "inspect", "ops", "run", "pack", "publish", "login", "pause",
            "resume", "rollback", "status", "keys init", "keys show", "keys rotate", "keys upload", "release start",
            "release begin", "release preview", "release list", "release show", "device list", "device show",
            "device why", "device join-token", "group create", "group add", "group remove", "group list", "group show",
            "group delete"]


class CommandLineTest(fixture.CliTest):
    def test_every_command_has_help_with_an_example(self):
        for command in COMMANDS:
            done = self.ferry(*command.split(), "--help")
            self.assertEqual(done.status, 0, command)
            self.assertIn(f"Example:\n  ferry {command}", done.out)
            self.assertIn("--json", done.out)
        top = self.ferry("--help")
        self.assertTrue(all(command.split()[0] in top.out for command in COMMANDS))

    def test_usage_errors_are_one_line_and_status_2(self):
        for arguments in ([], ["fly"], ["pack"], ["keys"], ["convert", "a.onnx", "--wrong"], ["release", "start"],
                          ["publish", "x.fpk"], ["keys", "rotate", "--dir", "p", "--role", "king"]):
            done = self.ferry(*arguments)
            self.assertEqual(done.status, 2, arguments)
            self.assertEqual(done.err.count("\n"), 1, done.err)
            self.assertTrue(done.err.startswith("ferry: usage: "), done.err)
            self.assertIn("usage: ", self.ferry(*arguments, "--json").json()["error"]["text"])
        self.assertIn('"fly"', self.ferry("fly").err)
        self.assertIn('"--wrong"', self.ferry("convert", "--wrong").err)


class LocalTest(fixture.CliTest):
    def test_pack_is_the_same_each_time_and_inspect_shows_it(self):
        folder = self.task()
        one, two = self.folder / "one.fpk", self.folder / "two.fpk"
        self.good("pack", folder, "-o", one)
        self.good("pack", folder, "-o", two)
        self.assertEqual(one.read_bytes(), two.read_bytes())
        shown = self.good("inspect", one)
        self.assertEqual((shown["kind"], shown["manifest"]["name"]), ("package", "sums"))
        self.assertEqual([item["path"] for item in shown["manifest"]["files"]], ["task.fbc"])

    def test_run_a_package(self):
        package = self.pack()
        events = self.folder / "events.json"
        events.write_text(json.dumps([{"id": "number", "time_ms": 1, "data": {"numbers": [1, 2, 39]}}]))
        shown = self.good("run", package, "--events", events)
        self.assertEqual(shown["outcomes"][0]["result"], {"sum": 42})
        events.write_text('{"id": "number", "time_ms": 1, "data": {}}\n')
        self.assertIn("KeyError", self.ferry("run", package, "--events", events).err)
        self.assertEqual(self.ferry("run", package, "--events", events).status, 1)

    def test_a_script_with_a_syntax_error(self):
        folder = self.task(script="x = 1\ndef on_trigger(:\n    pass\n")
        line = self.bad("script_syntax", "pack", folder, "-o", self.folder / "x.fpk")
        self.assertIn("task.py:2", line)
        self.assertFalse((self.folder / "x.fpk").exists())

    def test_missing_and_wrong_files_are_named(self):
        out = self.folder / "x.fpk"
        self.bad("not_found", "pack", self.folder / "none", "-o", out)
        self.assertIn("other.py", self.bad("not_found", "pack", self.task("a", modules=["other.py"]), "-o", out))
        self.assertIn("version", self.bad("bad_package", "pack", self.task("b", "1.0"), "-o", out))
        self.assertIn("path", self.bad("invalid_argument", "pack", self.task("c", resources=["../x"]), "-o", out))
        folder = self.task("d")
        (folder / "task.json").write_text("{")
        self.assertIn("task.json", self.bad("malformed", "pack", folder, "-o", out))
        self.assertIn("none.onnx", self.bad("not_found", "pack", self.task("e", models={"m": "none.onnx"}), "-o", out))

    def test_models(self):
        model = self.folder / "relu.onnx"
        model.write_bytes(fixture.onnx("Relu"))
        shown = self.good("convert", model)
        self.assertEqual(shown["operators"], {"Relu": 1})
        tensor = self.folder / "x.json"
        tensor.write_text("[[-1, 2, -3, 4]]")
        for file in (model, self.folder / "relu.fm"):
            self.assertEqual(self.good("run", file, "--input", f"x={tensor}")["outputs"], {"y": [[0, 2, 0, 4]]})
        self.assertEqual(self.good("inspect", self.folder / "relu.fm")["kind"], "model")
        self.bad("invalid_argument", "run", model, "--input", f"z={tensor}")
        tensor.write_text("[[1, 2], [3]]")
        self.bad("shape_mismatch", "run", model, "--input", f"x={tensor}")

    def test_an_unknown_operator_is_named_with_its_node(self):
        model = self.folder / "odd.onnx"
        model.write_bytes(fixture.onnx("Frobnicate"))
        for arguments in (["convert", model], ["inspect", model]):
            line = self.bad("unsupported_operator", *arguments)
            self.assertIn("Frobnicate", line)
            self.assertIn("node_7", line)
        folder = self.task(models={"m": "odd.onnx"})
        (folder / "odd.onnx").write_bytes(fixture.onnx("Frobnicate"))
        self.assertIn("Frobnicate", self.bad("unsupported_operator", "pack", folder, "-o", self.folder / "x.fpk"))

    def test_broken_onnx_files(self):
        model = self.folder / "broken.onnx"
        good = fixture.onnx("Relu")
        for data in (b"", b"not a model", good[:-7], good[:20]):
            model.write_bytes(data)
            self.assertIn("broken.onnx", self.bad("bad_model", "convert", model))
        self.assertFalse((self.folder / "broken.fm").exists())

    def test_a_flipped_byte_in_a_package(self):
        package = self.pack("1.0.0", b"w" * 1000)
        good = package.read_bytes()
        for at in (0, 20, 100, len(good) - 70):
            data = bytearray(good)
            data[at] ^= 0x20
            package.write_bytes(data)
            done = self.ferry("inspect", package)
            self.assertEqual(done.status, 1, at)
            self.assertRegex(done.err, "ferry: (corrupt_content|bad_package): ")
        package.write_bytes(good[:-64])
        self.bad("truncated_content", "inspect", package)


if __name__ == "__main__":
    unittest.main()
