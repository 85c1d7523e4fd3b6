"""ferry quantize on the classifier of tasks/digits."""
import pathlib
import struct
import unittest
import zipfile

import engine_test
import fixture

DIGITS = pathlib.Path("tasks/digits")
IMAGE = 64  # numbers


class QuantizeTest(fixture.CliTest):
    def setUp(self):
        super().setUp()
        self.model = DIGITS / "digits.onnx"
        raw = (DIGITS / "images.f32").read_bytes()
        self.numbers = struct.unpack(f"<{len(raw) // 4}f", raw)
        self.data = self.folder / "data"
        self.data.mkdir()
        for i in range(8):
            self.image(self.data / f"{i}.npy", i, [1, 1, 8, 8])

    def image(self, path, first, shape, count=1):
        values = self.numbers[first * IMAGE:(first + count) * IMAGE]
        path.write_bytes(engine_test.npy("<f4", shape, values))
        return path

    def run_on(self, model, image):
        return self.good("run", model, "--input", image)["outputs"]["prob"][0]

    def test_every_type_runs(self):
        image = self.image(self.folder / "x.npy", 300, [1, 1, 8, 8])
        want = self.run_on(self.model, image)
        for kind in ("int8", "int8-dynamic", "weight8", "weight4", "f16", "bf16"):
            for to in ("fm", "qdq-onnx"):
                out = self.folder / f"{kind}.{'fm' if to == 'fm' else 'onnx'}"
                shown = self.good("quantize", self.model, "-o", out, "--type", kind, "--to", to,
                                  "--data", self.data)
                self.assertEqual(shown["samples"], 8)
                self.assertEqual(shown["output_bytes"], out.stat().st_size)
                got = self.run_on(out, image)
                self.assertEqual(got.index(max(got)), want.index(max(want)), kind)
                if kind not in ("f16", "bf16"):
                    self.assertTrue(shown["outputs"][0]["same_top1"])
                    self.assertGreater(shown["outputs"][0]["snr_db"], 10)

    def test_the_name_of_the_file_says_what_it_is(self):
        for name, to, is_onnx in (("a.onnx", None, True), ("a.fm", None, False), ("b.onnx", "fm", False), ("b.fm", "qdq-onnx", True)):
            out = self.folder / name
            self.good("quantize", self.model, "-o", out, "--data", self.data, *(["--to", to] if to else []))
            # A file of ONNX begins with the field of its version; Ferry's has a magic word.
            self.assertEqual(out.read_bytes()[0] == 0x08, is_onnx, name)

    def test_report_names_layers_that_hurt(self):
        out = self.folder / "d.fm"
        shown = self.good("quantize", self.model, "-o", out, "--data", self.data, "--sensitivity")
        layers = {layer["name"]: layer for layer in shown["layers"]}
        self.assertEqual(len(shown["worst"]), 5)
        worst = layers[shown["worst"][0]]
        self.assertEqual(worst["error_alone"], max(layer["error_alone"] for layer in shown["layers"]))
        text = self.ferry("quantize", self.model, "-o", out, "--data", self.data)
        self.assertEqual(text.status, 0)
        self.assertIn("hurt most: ", text.out)
        self.assertIn("times smaller", text.out)

    def test_skip_and_bound(self):
        out = self.folder / "d.fm"
        shown = self.good("quantize", self.model, "-o", out, "--data", self.data)
        first = shown["layers"][0]["name"]
        error = shown["outputs"][0]["relative_error"]
        skipped = self.good("quantize", self.model, "-o", out, "--data", self.data, "--skip", first)
        self.assertEqual(skipped["layers"][0]["form"], "float")
        self.assertEqual({layer["form"] for layer in skipped["layers"][1:]}, {"int8"})
        bound = error / 4
        held = self.good("quantize", self.model, "-o", out, "--data", self.data, "--max-error", str(bound))
        self.assertLessEqual(held["outputs"][0]["relative_error"], bound)
        self.assertIn("int8", {layer["form"] for layer in held["layers"]} | {"int8"})
        self.assertNotEqual({layer["form"] for layer in held["layers"]}, {"int8"})

    def test_ways_to_give_data(self):
        out = self.folder / "d.fm"
        rows = self.image(self.folder / "rows.npy", 0, [5, 1, 1, 8, 8], 5)
        for data, count in ((rows, 5), (f"image={rows}", 5), ("random:3", 3)):
            self.assertEqual(self.good("quantize", self.model, "-o", out, "--data", data)["samples"], count)
        archive = self.folder / "a.npz"
        with zipfile.ZipFile(archive, "w") as to:
            to.writestr("image.npy", rows.read_bytes())
        shown = self.good("quantize", self.model, "-o", out, "--data", archive, "--data", self.data,
                          "--samples", "7")
        self.assertEqual(shown["samples"], 7)

    def test_what_is_refused(self):
        out = self.folder / "d.fm"

        def refused(code, *more):
            return self.bad(code, "quantize", self.model, "-o", out, *more)
        self.assertIn("calibration data", refused("invalid_argument"))
        self.assertIn("weight5", refused("invalid_argument", "--type", "weight5", "--data", self.data))
        self.assertIn("best", refused("invalid_argument", "--calibrate", "best", "--data", self.data))
        self.assertIn("nobody", refused("invalid_argument", "--skip", "nobody", "--data", self.data))
        refused("not_found", "--data", self.folder / "nothing")
        empty = self.folder / "empty"
        empty.mkdir()
        refused("not_found", "--data", empty)
        x = self.image(self.folder / "x.npy", 0, [8, 8])
        self.assertIn("'image'", refused("shape_mismatch", "--data", self.image(self.folder / "y.npy", 0, [2, 32])))
        self.assertIn("'z'", refused("invalid_argument", "--data", f"z={x}"))
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
