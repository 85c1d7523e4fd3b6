"""tools/bench/engine --cold: its floors, and the process that opens a model through the SDK's library."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/bench/engine"), str(ROOT / "tests/cli")]
import cold  # noqa: E402
import fixture  # noqa: E402

LIBRARY = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/unity/bin")).parent / "lib/libferry_engine.so"


def row(median_ms):
    return {"median_ms": median_ms, "spread": 0.0, "range": 0.0, "rounds": 7}


class ColdTest(unittest.TestCase):
    def test_sums_of_a_round(self):
        found = cold.said([{"a": 1, "b": ms} for ms in (7, 9, 8, 10, 11)], "a", "b")
        self.assertEqual((found["median_ms"], found["rounds"]), (10, 5))
        self.assertAlmostEqual(found["spread"], 0.2)
        self.assertAlmostEqual(found["range"], 0.4)

    def test_the_first_answer(self):
        found = {"file": "m.fm", "machine": {"busy": []}, "second": row(10.0), "load_and_first": row(22.9)}
        floor = cold.answer_floor(found)
        self.assertEqual((floor.limit, floor.verdict(), floor.busy), (23, "met", False))
        found |= {"load_and_first": row(23.1), "machine": {"busy": ["others"]}}
        self.assertEqual((cold.answer_floor(found).verdict(), cold.answer_floor(found).busy), ("missed", True))

    def test_loads(self):
        found = {"file": "b.onnx", "machine": {"busy": []}, "fm_open": row(21), "fm_load": row(90), "onnx_load": row(400),
                 "peer_load": row(500)}
        opens, imports = cold.load_floors(found)
        self.assertEqual((opens.name, opens.limit, opens.verdict()), ("b.fm: opens", 20, "missed"))
        self.assertEqual((imports.value, imports.verdict()), (0.8, "met"))
        del found["peer_load"]
        self.assertEqual(cold.load_floors(found)[1].verdict(), "not judged")

    @unittest.skipUnless(LIBRARY.is_file(), f"{LIBRARY} is not built")
    def test_a_process_of_its_own(self):
        def first(model, runs):
            return subprocess.run([sys.executable, "-B", ROOT / "tools/bench/engine/first.py", LIBRARY, model, str(runs)],
                                  capture_output=True, text=True)
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "relu.onnx"
            model.write_bytes(fixture.onnx("Relu"))
            said = json.loads(first(model, 2).stdout)
            self.assertEqual(len(said["runs_ms"]), 2)
            self.assertTrue(all(ms > 0 for ms in (said["open_ms"], said["session_ms"], *said["runs_ms"])))
            model.write_bytes(b"no model")
            failed = first(model, 0)
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("ferry_engine_open: ", failed.stderr)


if __name__ == "__main__":
    unittest.main()
