"""tasks/ipv: its files are what its scripts make of their seeds, and the cases expect what the model says outside of Ferry."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tasks/ipv"
sys.path.insert(0, str(FOLDER))
import batch  # noqa: E402
import generate  # noqa: E402
import model  # noqa: E402


class Files(unittest.TestCase):
    def test_the_model_is_made_again(self):
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch) / "intent.onnx"
            subprocess.run([sys.executable, FOLDER / "model.py", "-o", out], check=True, stdout=subprocess.DEVNULL)
            self.assertEqual(out.read_bytes(), (FOLDER / "intent.onnx").read_bytes())

    def test_the_model_sees_who_buys(self):
        self.assertGreater(model.area(model.train(), model.samples(12, 60)), 0.8)

    def test_items(self):
        lines = (FOLDER / "items.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line) for line in lines], generate.items())

    def test_cases(self):
        net = model.train()
        cases = json.loads((FOLDER / "cases.json").read_text())["cases"]
        self.assertGreaterEqual(len(cases), 5)
        for case in cases:
            with self.subTest(case["name"]):
                _, row = batch.features(case["events"], generate.items())[-1]
                self.assertEqual(row["i"], case["expect"]["item"])
                self.assertAlmostEqual(net.run(model.inputs(row))[1], case["expect"]["intent"], places=5)


if __name__ == "__main__":
    unittest.main()
