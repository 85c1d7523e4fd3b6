"""ferry pack, inspect, convert, run on good and bad input, and the command line itself."""
import json
import pathlib
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

    def test_inspect_shows_a_model_with_an_unknown_operator(self):
        model = self.folder / "odd.onnx"
        model.write_bytes(fixture.onnx("Relru"))
        done = self.ferry("inspect", model)
        self.assertEqual(done.status, 1)
        self.assertIn('input    x f32 [1,4]', done.out)
        self.assertIn('operators Relru:1', done.out)
        self.assertIn("perhaps 'Relu'; `ferry ops` lists the operators", done.err)
        shown = json.loads(self.ferry("inspect", model, "--json").out)
        self.assertEqual(shown["operators"], {"Relru": 1})
        self.assertEqual(shown["outputs"], [{"name": "y", "dtype": "f32", "shape": [1, 4]}])
        self.assertEqual(shown["error"]["name"], "unsupported_operator")

    def test_a_file_of_another_kind_is_named(self):
        kinds = {b'{"a": 1}': "a JSON text", b"\x89PNG\r\n\x1a\n....": "a PNG image", b"PK\x03\x04....": "a zip archive",
                 b"<!DOCTYPE html><html>": "an HTML page", b"hello\n": "a text", b"": "an empty file",
                 b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n": "a Git LFS pointer: `git lfs pull`",
                 b"GGUF\3\0\0\0": "a GGUF language model: `ferry llm import`"}
        for data, kind in kinds.items():
            for name, error, commands in (("x.onnx", "bad_model", ("convert", "inspect", "run", "bench")),
                                          ("x.fm", "bad_model", ("inspect", "run", "bench")),
                                          ("x.fpk", "bad_package", ("inspect", "run"))):
                path = self.folder / name
                path.write_bytes(data)
                for command in commands:
                    done = self.ferry(command, path)
                    self.assertEqual(done.status, 1)
                    self.assertRegex(done.err, f"^ferry: {error}: {path}: not an? .*, but {kind}", (command, name))

    def test_broken_onnx_files(self):
        model = self.folder / "broken.onnx"
        good = fixture.onnx("Relu")
        for data in (b"", b"not a model", good[:-7], good[:20]):
            model.write_bytes(data)
            self.assertIn("broken.onnx", self.bad("bad_model", "convert", model))
        self.assertFalse((self.folder / "broken.fm").exists())

    def test_inspect_finds_changed_weights(self):
        model = self.folder / "digits.fm"
        self.good("convert", pathlib.Path(__file__).parents[2] / "tasks/digits/digits.onnx", "-o", model)
        data = bytearray(model.read_bytes())
        self.good("inspect", model)
        data[-100] ^= 1
        model.write_bytes(data)
        done = self.ferry("inspect", model)
        self.assertEqual(done.status, 1)
        self.assertIn("image f32", done.out)
        self.assertIn(f"ferry: corrupt_content: {model}: the model's weights were changed", done.err)

    def test_inspect_shows_a_damaged_package(self):
        package = self.pack("1.0.0", b"w" * 1000)
        good = package.read_bytes()
        data = bytearray(good)
        data[good.index(b"w" * 1000) + 500] ^= 1
        package.write_bytes(data)
        done = self.ferry("inspect", package)
        self.assertEqual(done.status, 1)
        self.assertRegex(done.out, r"^package sums 1\.0\.0 ")
        self.assertRegex(done.out, r"weights\.bin .*  DAMAGED\n")
        self.assertEqual(done.out.count("DAMAGED"), 1)
        line = f'ferry: corrupt_content: {package}: package sums 1.0.0: file "weights.bin" does not match its SHA-256; '
        self.assertTrue(done.err.startswith(line), done.err)
        shown = json.loads(self.ferry("inspect", package, "--json").out)
        self.assertEqual(shown["manifest"]["name"], "sums")
        self.assertEqual(len(shown["damage"]), 1)
        for command in (("run",), ("task", "run"), ("task", "test")):
            said = self.ferry(*command, package)
            self.assertTrue(said.err.startswith(line), (command, said.err))
        for at in (3, 20, 16 + 30):  # the magic, the manifest's hash
            data = bytearray(good)
            data[at] ^= 1
            package.write_bytes(data)
            done = self.ferry("inspect", package)
            self.assertEqual(done.status, 1)
            self.assertRegex(done.out, r"^package sums 1\.0\.0 ", at)
            self.assertIn(str(package), done.err)

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

    def test_errors_name_thing_place_and_next_step(self):
        """Each error of a kind that once said neither: command, error, what and where, what to do."""
        task = self.task("task")
        (self.folder / "model.onnx").write_bytes(fixture.onnx("Relu"))
        (self.folder / "odd.onnx").write_bytes(fixture.onnx("Relru"))
        (self.folder / "json.onnx").write_text("{}")
        (self.folder / "lfs.onnx").write_text("version https://git-lfs.github.com/spec/v1\n")
        package = self.pack("1.0.0", b"w" * 1000)
        cut = self.folder / "cut.fpk"
        cut.write_bytes(package.read_bytes()[:-64])
        bad = self.task("bad", entry="on_triger")
        here = self.folder
        rows = [
            (("run", here / "modle.onnx"), "not_found", f"{here}/modle.onnx does not exist", f"did you mean {here}/model.onnx?"),
            (("run", here / "zzzzzzzz.fpk"), "not_found", f"{here}/zzzzzzzz.fpk does not exist", "check the path"),
            (("convert", here / "none/m.onnx"), "not_found", f"{here}/none/m.onnx does not exist", f"no folder {here}/none"),
            (("inspect", here / "modle.onnx"), "not_found", f"{here}/modle.onnx does not exist", "did you mean"),
            (("bench", here / "modle.onnx"), "not_found", f"{here}/modle.onnx does not exist", "did you mean"),
            (("pack", here / "tsak", "-o", here / "x.fpk"), "not_found", f"{here}/tsak does not exist", f"did you mean {task}?"),
            (("task", "check", here / "tsak"), "not_found", f"{here}/tsak does not exist", f"did you mean {task}?"),
            (("task", "run", here / "tsak"), "not_found", f"{here}/tsak does not exist", f"did you mean {task}?"),
            (("task", "test", here / "tsak"), "not_found", f"{here}/tsak does not exist", f"did you mean {task}?"),
            (("pack", task, "-o", here / "none/x.fpk"), "not_found", f"{here}/none/x.fpk cannot be written",
             f"there is no folder {here}/none"),
            (("convert", here / "model.onnx", "-o", here / "none/x.fm"), "not_found", f"{here}/none/x.fm cannot be written",
             f"there is no folder {here}/none"),
            (("run", here / "model.onnx"), "invalid_argument", f"{here}/model.onnx: input is missing: x f32 [1,4]", "give --input x=FILE"),
            (("run", here / "model.onnx", "--input", "x=none.npy"), "not_found", "none.npy does not exist", "check the path"),
            (("convert", here / "odd.onnx"), "unsupported_operator", f"{here}/odd.onnx: no operator 'Relru' (node 'node_7'",
             "perhaps 'Relu'; `ferry ops` lists the operators"),
            (("convert", here / "json.onnx"), "bad_model", f"{here}/json.onnx: not an ONNX model", "but a JSON text"),
            (("convert", here / "lfs.onnx"), "bad_model", f"{here}/lfs.onnx: not an ONNX model", "`git lfs pull`"),
            (("run", cut), "truncated_content", f"{cut}: ", "fetch it or make it again"),
            (("task", "check", bad), "not_found", "entry of task.py: module 'task' has no variable 'on_triger'", "did you mean 'on_trigger'?"),
        ]
        for arguments, error, what, then in rows:
            with self.subTest(arguments):
                done = self.ferry(*arguments)
                self.assertEqual(done.status, 1, done.out)
                self.assertEqual(done.err.count("\n"), 1, done.err)
                self.assertTrue(done.err.startswith(f"ferry: {error}: "), done.err)
                self.assertIn(what, done.err)
                self.assertIn(then, done.err[done.err.index(what) + len(what):])
                for inner in ("map ", "stat ", "open ", ".new", ".partial"):
                    self.assertNotIn(inner, done.err)


if __name__ == "__main__":
    unittest.main()
