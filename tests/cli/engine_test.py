"""ferry run, compare, bench, backends, ops and conformance on small models."""
import ast
import json
import struct
import unittest
import zipfile
import zlib

import fixture

FORMATS = {"<f4": "f", "<i8": "q", "|b1": "?"}


def npy(descr, shape, values):
    """A file of NumPy's format, version 1.0."""
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    data = struct.pack(f"<{len(values)}{FORMATS[descr]}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def read_npy(path):
    data = path.read_bytes()
    size = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    kind = FORMATS[header["descr"]]
    values = struct.unpack(f"<{(len(data) - 10 - size) // struct.calcsize(kind)}{kind}", data[10 + size:])
    return header["descr"], header["shape"], list(values)


def png(rows):
    """A PNG of rows of (red, green, blue)."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    raw = b"".join(b"\0" + bytes(level for pixel in row for level in pixel) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def resized(rows, height, width):
    """What `ferry run` makes of a picture, from its definition: at each place the mean under a triangle."""
    def weight(at, step, place):
        return max(0, 1 - abs(place - ((at + 0.5) * step - 0.5)) / max(step, 1))
    out = []
    for y in range(height):
        for x in range(width):
            wy = [weight(y, len(rows) / height, k) for k in range(len(rows))]
            wx = [weight(x, len(rows[0]) / width, k) for k in range(len(rows[0]))]
            out.append([sum(a * b * rows[i][k][c] for i, a in enumerate(wy) for k, b in enumerate(wx)) / sum(wy) / sum(wx)
                        for c in range(3)])
    return out


class EngineTest(fixture.CliTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "relu.onnx"
        self.model.write_bytes(fixture.onnx("Relu"))
        self.x = self.folder / "x.npy"
        self.x.write_bytes(npy("<f4", [1, 4], [-1, 2, -3, 4]))

    def golden(self, name, y, compression=zipfile.ZIP_DEFLATED, keys=("in_0__x", "out_0__y")):
        path = self.folder / name
        with zipfile.ZipFile(path, "w", compression) as archive:
            archive.writestr(f"{keys[0]}.npy", self.x.read_bytes())
            archive.writestr(f"{keys[1]}.npy", npy("<f4", [1, 4], y))
        return path

    def test_run_writes_each_output(self):
        out = self.folder / "a" / "out"
        shown = self.good("run", self.model, "--input", f"x={self.x}", "--out", out)
        self.assertEqual(shown["files"]["y"]["file"], str(out / "y.npy"))
        self.assertEqual(read_npy(out / "y.npy"), ("<f4", (1, 4), [0, 2, 0, 4]))
        self.good("convert", self.model)
        again = self.folder / "again"
        self.good("run", self.folder / "relu.fm", "--input", f"x={self.x}", "--out", again, "--isa", "reference")
        self.assertEqual((again / "y.npy").read_bytes(), (out / "y.npy").read_bytes())
        self.assertEqual(self.good("run", self.model, "--input", self.x)["outputs"], {"y": [[0, 2, 0, 4]]})

    def test_runs_tell_their_times(self):
        run = ("run", self.model, "--input", f"x={self.x}", "--runs", "3")
        lines = [json.loads(line) for line in self.ferry(*run, "--json").out.splitlines()]
        self.assertEqual([line.get("run") for line in lines], [1, 2, 3, None])
        self.assertEqual(lines[-1]["runs_ms"], [line["ms"] for line in lines[:3]])
        self.assertEqual(lines[-1]["outputs"], {"y": [[0, 2, 0, 4]]})
        self.assertRegex(self.ferry(*run).out, r"(?s)^run 1: [0-9.]+ ms\nrun 2: .*\nrun 3: .*\ny")
        self.assertEqual(len(self.ferry(*run[:-2], "--json").out.splitlines()), 1)

    def test_run_refuses_what_does_not_fit(self):
        self.x.write_bytes(npy("<i8", [1, 4], [1, 2, 3, 4]))
        self.assertIn("i64", self.bad("shape_mismatch", "run", self.model, "--input", f"x={self.x}"))
        self.x.write_bytes(npy("<f4", [1, 4], [1, 2, 3, 4])[:-1])
        self.assertIn("x.npy", self.bad("malformed", "run", self.model, "--input", f"x={self.x}"))
        self.bad("invalid_argument", "run", self.model, "--input", f"y={self.x}")
        self.bad("invalid_argument", "run", self.model, "--input", f"x={self.x}", "--isa", "fast")

    def test_run_says_what_is_missing(self):
        line = self.bad("invalid_argument", "run", self.model)
        for part in ("relu.onnx", "input is missing: x f32 [1,4]", "--input x=FILE (.npy, .json, a picture", "--seed 1"):
            self.assertIn(part, line)
        self.assertIn("but x f32 [1,4]", self.bad("invalid_argument", "run", self.model, "--input", f"z={self.x}"))

    def test_run_on_random_numbers(self):
        free = self.folder / "free.onnx"
        free.write_bytes(fixture.onnx("Relu", (1, 2, 3)))
        one = self.good("run", free, "--seed", "7")["outputs"]
        self.assertEqual(self.good("run", free, "--seed", "7")["outputs"], one)
        self.assertNotEqual(self.good("run", free, "--seed", "8")["outputs"], one)
        self.assertEqual(self.good("run", free, "--shape", "x=1x2x3")["outputs"], self.good("run", free, "--seed", 1)["outputs"])
        self.assertIn("no input", self.bad("invalid_argument", "run", free, "--shape", "z=1x2"))
        self.bad("shape_mismatch", "run", free, "--shape", "x=1x2x4")

    def test_run_shows_classes(self):
        labels = self.folder / "labels.txt"
        labels.write_text("cat\ndog\nhen\nowl\n")
        run = ("run", self.model, "--input", f"x={self.x}")
        shown = self.good(*run, "--top", "2", "--labels", labels)
        self.assertEqual(shown["top"], {"y": [[{"index": 3, "value": 4, "label": "owl"}, {"index": 1, "value": 2, "label": "dog"}]]})
        self.assertEqual(shown["outputs"], {"y": [[0, 2, 0, 4]]})
        self.assertRegex(self.ferry(*run, "--top", "1", "--labels", labels).out, r"^y\n +3 +4 +owl\n$")
        self.assertEqual(len(self.good(*run, "--labels", labels)["top"]["y"][0]), 4)
        for text in ('["cat", "dog", "hen", "owl"]', '{"3": ["n3", "owl"], "0": "cat", "1": "dog", "2": "hen"}'):
            labels.write_text(text)
            self.assertEqual(self.good(*run, "--top", "1", "--labels", labels)["top"]["y"][0][0]["label"], "owl")
        labels.write_text("cat\ndog\n")
        line = self.bad("invalid_argument", *run, "--labels", labels)
        self.assertIn("labels.txt", line)
        self.assertIn("2 labels for 4 classes", line)
        labels.write_text("{\n 1}")
        self.assertIn("line 2, column 2", self.bad("malformed", *run, "--labels", labels))

    def test_large_results_are_summarised(self):
        large = self.folder / "large.onnx"
        large.write_bytes(fixture.onnx("Identity", (1, 1000)))
        values = self.folder / "values.npy"
        values.write_bytes(npy("<f4", [1, 1000], range(1000)))
        text = self.ferry("run", large, "--input", f"x={values}").out
        self.assertEqual(text, "y f32 [1,1000]: 0 1 2 3 4 5 6 7 ..; min 0, max 999, mean 499.5\n"
                               "all numbers: --json, or --output FOLDER\n")
        self.assertEqual(self.good("run", large, "--input", f"x={values}")["outputs"], {"y": [list(range(1000))]})
        self.good("run", large, "--input", f"x={values}", "--output", self.folder / "out")
        self.assertEqual(read_npy(self.folder / "out/y.npy")[2], list(range(1000)))

    def picture(self, rows, shape, *options, element=1, name="p.png"):
        """The numbers that a model gets of a picture."""
        model = self.folder / "identity.onnx"
        model.write_bytes(fixture.onnx("Identity", shape, element))
        path = self.folder / name
        path.write_bytes(png(rows))
        y = self.good("run", model, "--input", f"x={path}", *options)["outputs"]["y"]
        while isinstance(y[0], list):
            y = [value for row in y for value in row]
        return y

    def assert_near(self, got, expected, within=1e-6):
        self.assertEqual(len(got), len(expected))
        for one, other in zip(got, expected):
            self.assertAlmostEqual(one, other, delta=within)

    def test_run_on_a_picture(self):
        rows = [[(255, 0, 51), (0, 102, 0)], [(10, 20, 30), (153, 204, 255)]]
        flat = [pixel for row in rows for pixel in row]
        planes = [pixel[c] for c in range(3) for pixel in flat]
        self.assert_near(self.picture(rows, (1, 3, 2, 2)), [level / 255 for level in planes])
        self.assert_near(self.picture(rows, (3, 2, 2), name="no_suffix"), [level / 255 for level in planes])
        self.assert_near(self.picture(rows, (1, 2, 2, 3)), [level / 255 for pixel in flat for level in pixel])
        self.assert_near(self.picture(rows, (1, 3, 2, 2), "--mean", "0.5,0.4,0.3", "--std", "0.1,0.2,0.3"),
                         [(level / 255 - mean) / deviation for c, mean, deviation in ((0, 0.5, 0.1), (1, 0.4, 0.2), (2, 0.3, 0.3))
                          for level in planes[4 * c:4 * c + 4]], 1e-5)
        self.assert_near(self.picture(rows, (1, 3, 2, 2), "--mean", "127.5", "--std", "127.5"),
                         [(level - 127.5) / 127.5 for level in planes])
        self.assert_near(self.picture(rows, (1, 1, 2, 2)),
                         [(0.299 * r + 0.587 * g + 0.114 * b) / 255 for r, g, b in flat])
        self.assertEqual(self.picture(rows, (1, 3, 2, 2), element=2), planes)  # u8
        three = [[(i, 2 * i, 3 * i) for i in (1, 2, 3)] for _ in range(3)]
        self.assert_near(self.picture(three, (1, 3, 3, 3), "--layout", "nhwc"),
                         [level / 255 for row in three for pixel in row for level in pixel])

    def test_pictures_are_resized(self):
        rows = [[(3 * x * y % 256, 40 * x, 25 * y) for x in range(6)] for y in range(9)]
        for height, width in ((9, 6), (3, 2), (4, 5), (12, 13), (1, 1)):
            expected = resized(rows, height, width)
            self.assert_near(self.picture(rows, (1, 3, height, width), "--mean", "0", "--std", "1"),
                             [pixel[c] / 255 for c in range(3) for pixel in expected], 0.51 / 255)

    def test_pictures_are_never_raw_numbers(self):
        data = png([[(1, 2, 3)]])
        data += bytes(-len(data) % 16)  # whole elements
        path = self.folder / "p.bin"
        path.write_bytes(data)
        large = self.folder / "large.onnx"
        large.write_bytes(fixture.onnx("Identity", (len(data) // 4,)))
        line = self.bad("invalid_argument", "run", large, "--input", f"x={path}")
        self.assertIn("p.bin", line)
        self.assertIn("takes no picture", line)
        path.write_bytes(data[:40])
        self.model.write_bytes(fixture.onnx("Identity", (1, 3, 2, 2)))
        self.bad("malformed", "run", self.model, "--input", f"x={path}")
        gif = self.folder / "p.gif"
        gif.write_bytes(b"GIF89a" + bytes(42))
        self.assertIn("GIF images are not read", self.bad("unsupported", "run", self.model, "--input", f"x={gif}"))
        path.write_bytes(png([[(1, 2, 3)]]))
        self.assertIn("--std", self.bad("invalid_argument", "run", self.model, "--input", f"x={path}", "--std", "1,2"))
        missing = self.ferry("run", self.model, "--input", f"x={path}", FERRY_WITHOUT_LIBRARIES="libpng16.so.16")
        self.assertEqual(missing.status, 1)
        self.assertRegex(missing.err, "p.bin: PNG images: the library libpng16.so.16 is missing; install Debian's libpng16-16")

    def test_compare(self):
        for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            good = self.golden("good.npz", [0, 2.0001, 0, 4], compression)
            shown = self.good("compare", self.model, good)
            self.assertTrue(shown["passed"])
            self.assertAlmostEqual(shown["outputs"][0]["relative_error"], 0.0001 / 4, 6)
        self.good("compare", self.model, self.golden("plain.npz", [0, 2, 0, 4], keys=("x", "y")))
        far = self.ferry("compare", self.model, self.golden("far.npz", [0, 3, 0, 4]))
        self.assertEqual(far.status, 1)
        self.assertIn("y f32 [1,4]: error 1 of 4, relative 0.25", far.out)
        self.assertIn("failed_precondition", far.err)
        self.good("compare", self.model, self.folder / "far.npz", "--tolerance", "0.3")
        self.assertIn("out_0__y", self.bad("not_found", "compare", self.model,
                                           self.golden("other.npz", [0] * 4, keys=("x", "z"))))
        broken = self.folder / "broken.npz"
        broken.write_bytes(good.read_bytes()[:-30])
        self.assertIn("broken.npz", self.bad("malformed", "compare", self.model, broken))

    def test_bench(self):
        shown = self.good("bench", self.model, "--threads", "2", "--seconds", "0.01", "--explain")
        for key in ("median_ms", "min_ms", "p99_ms", "peak_bytes", "load_ms"):
            self.assertGreater(shown[key], 0, key)
        self.assertLessEqual(shown["min_ms"], shown["median_ms"])
        self.assertLessEqual(shown["median_ms"], shown["p99_ms"])
        self.assertIn("map Max", shown["plan"])
        self.assertEqual(self.good("bench", self.model, "--seconds", "0", "--isa", "reference")["isa"], "reference")
        self.assertIn("median", self.ferry("bench", self.model, "--seconds", "0", "--input", f"x={self.x}").out)
        self.bad("invalid_argument", "bench", self.model, "--shape", "x=1xx4")
        self.bad("invalid_argument", "bench", self.model, "--shape", "z=1x4")
        self.bad("shape_mismatch", "bench", self.model, "--shape", "x=1x5")

    def test_backends(self):
        rows = {row["name"]: row for row in self.good("backends")["backends"]}
        self.assertTrue(rows["cpu"]["available"])
        self.assertIn("conv", rows["cpu"]["primitives"])
        self.assertIn("cpu", self.ferry("backends").out)
        plain = self.good("run", self.model, "--input", f"x={self.x}")["outputs"]
        for options in (["--backend", "cpu"], ["--placement", "cost"], ["--placement", "random:7"]):
            self.assertEqual(self.good("run", self.model, "--input", f"x={self.x}", *options)["outputs"], plain)
            self.assertEqual(self.good("bench", self.model, "--seconds", "0", *options)["fallbacks"], [])
        for command in (["run", self.model, "--input", f"x={self.x}"], ["bench", self.model, "--seconds", "0"]):
            refused = self.bad("unsupported", *command, "--backend", "cpu,nope")
            self.assertIn("no backend 'nope' in this library; it has: cpu", refused)
            for placement in ("best", "random", "random:", "random:x", "random:-1", "random:1 "):
                self.assertIn("neither cost nor random:SEED",
                              self.bad("invalid_argument", *command, "--placement", placement))

    def test_backend_of_the_environment(self):
        self.environment["FERRY_BACKEND"] = "nope"
        for options in ([], ["--backend", "cpu"]):
            self.assertIn("FERRY_BACKEND: no backend 'nope'",
                          self.bad("unsupported", "bench", self.model, "--seconds", "0", *options))
        self.environment["FERRY_BACKEND"] = "cpu"
        self.good("bench", self.model, "--seconds", "0", "--backend", "nope")

    def test_ops(self):
        shown = self.good("ops")
        forms = {row["name"]: row["form"] for row in shown["operators"]}
        self.assertEqual(forms["Conv"], "planned")
        self.assertEqual(sum(shown["counts"][form] for form in ("planned", "expanded", "evaluated")), len(forms))
        self.assertIn(f"{len(forms)} operators", self.ferry("ops").out)

    def test_ops_by_primitive(self):
        rows = self.good("ops", "--primitives")["primitives"]
        cases = {(row["primitive"], row["dtype"], row["backend"]): row["cases"] for row in rows}
        self.assertEqual(len(cases), len(rows))
        for used in ("conv", "map", "matmul", "softmax"):
            self.assertGreater(cases[used, "f32", "cpu"], 0, used)
        self.assertGreater(cases["map", "i64", "cpu"], 0)
        self.assertIn("qconv", {row["primitive"] for row in rows})
        self.assertIn("raster", self.ferry("ops", "--primitives").out)

    def case(self, name, operator, y):
        folder = self.folder / "cases" / name
        (folder / "test_data_set_0").mkdir(parents=True)
        (folder / "model.onnx").write_bytes(fixture.onnx(operator))
        for file, values in (("input_0.pb", [-1, 2, -3, 4]), ("output_0.pb", y)):
            (folder / "test_data_set_0" / file).write_bytes(
                fixture.field(1, 1) + fixture.field(1, 4) + fixture.field(2, 1) +
                fixture.field(9, struct.pack("<4f", *values)))

    def test_conformance(self):
        self.case("node/good", "Relu", [0, 2, 0, 4])
        self.case("node/odd", "Frobnicate", [0, 2, 0, 4])
        self.case("wrong", "Relu", [0, 2, 0, 5])
        cases = self.folder / "cases"
        done = self.ferry("conformance", cases)
        self.assertEqual(done.status, 1)
        lines = done.out.splitlines()
        self.assertEqual(lines[0], "pass node/good")
        self.assertRegex(lines[1], "^fail node/odd: .*Frobnicate")
        self.assertRegex(lines[2], "^fail wrong: .*1 of 4 elements differ")
        self.assertEqual(lines[3:], ["1 passed, 2 failed"])
        for isa in ("reference", ""):
            shown = self.good("conformance", cases / "node", "g*", *(["--isa", isa] if isa else ["--naive"]))
            self.assertEqual(shown, {"cases": [{"name": "good", "passed": True}], "passed": 1, "failed": 0})
        self.bad("invalid_argument", "conformance", cases, "--isa", "fast")
        self.bad("not_found", "conformance", self.folder / "none")
        self.bad("not_found", "conformance", self.folder / "cases" / "node", "x*")


if __name__ == "__main__":
    unittest.main()
