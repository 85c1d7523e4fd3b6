"""ferry run, compare, bench, ops and conformance on small models."""
import ast
import struct
import unittest
import zipfile

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

    def test_run_refuses_what_does_not_fit(self):
        self.x.write_bytes(npy("<i8", [1, 4], [1, 2, 3, 4]))
        self.assertIn("i64", self.bad("shape_mismatch", "run", self.model, "--input", f"x={self.x}"))
        self.x.write_bytes(npy("<f4", [1, 4], [1, 2, 3, 4])[:-1])
        self.assertIn("x.npy", self.bad("malformed", "run", self.model, "--input", f"x={self.x}"))
        self.bad("invalid_argument", "run", self.model, "--input", f"y={self.x}")
        self.bad("invalid_argument", "run", self.model, "--input", f"x={self.x}", "--isa", "fast")

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
        self.assertIn("median", self.ferry("bench", self.model, "--seconds", "0", "--input", f"x={self.x}").out)
        self.bad("invalid_argument", "bench", self.model, "--shape", "x=1xx4")
        self.bad("invalid_argument", "bench", self.model, "--shape", "z=1x4")
        self.bad("shape_mismatch", "bench", self.model, "--shape", "x=1x5")

    def test_ops(self):
        shown = self.good("ops")
        forms = {row["name"]: row["form"] for row in shown["operators"]}
        self.assertEqual(forms["Conv"], "planned")
        self.assertEqual(sum(shown["counts"][form] for form in ("planned", "expanded", "evaluated")), len(forms))
        self.assertIn(f"{len(forms)} operators", self.ferry("ops").out)

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
