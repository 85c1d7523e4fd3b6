"""Every example task, and a new one, on Ferry's VM and under CPython with the package of sdk/python: same outcomes."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("FERRY_BIN", "build/release/bin")).resolve() / "ferry"
LIBRARIES = pathlib.Path(os.environ.get("FERRY_LIBRARY", PROGRAM.parents[1] / "lib"))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "sdk/python"), "FERRY_CLI": str(PROGRAM),
               "FERRY_LIBRARY": str(LIBRARIES), "FERRY_LOG": "warn",
               "PYTHONDONTWRITEBYTECODE": "1"}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    if not done.stdout.strip():
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def on_ferry(folder):
    task = json.loads((folder / "task.json").read_text())
    read = run(PROGRAM, "task", "run", folder, "--events", folder / task["simulation"]["cases"], "--json")
    outcomes = []
    for outcome in read["outcomes"]:
        named = {name: outcome[name] for name in ("event", "function") if name in outcome}
        if "error" in outcome:
            kind, _, text = outcome["error"]["text"].split("\n")[0].partition(": ")
            outcomes.append({**named, "error": {"type": kind, "text": text}})
        else:
            outcomes.append({**named, "result": outcome["result"]})
    return {"outcomes": outcomes, "metrics": read["stats"]["metrics"]}


class BothWays(unittest.TestCase):
    def compare(self, folder):
        ours = on_ferry(folder)
        theirs = run(sys.executable, "-m", "ferry", folder)
        self.assertTrue(ours["outcomes"])
        self.assertEqual(ours["outcomes"], theirs["outcomes"])
        self.assertEqual(ours["metrics"], theirs["metrics"])
        return theirs

    def test_example_tasks(self):
        folders = sorted(path.parent for path in (ROOT / "tasks").glob("*/task.json"))
        self.assertGreaterEqual(len(folders), 2)
        for folder in folders:
            with self.subTest(folder.name):
                both = self.compare(folder)
                self.assertTrue(both["rows"] or both.get("left"))

    def test_a_new_task(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "steps"
            made = subprocess.run([PROGRAM, "task", "new", folder], capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stderr)
            both = self.compare(folder)
            self.assertEqual(both["rows"], [["steps.mean", {"mean": 3.0, "count": 3}]])
            self.assertEqual(both["outcomes"][1]["error"], {"type": "ValueError", "text": "a reading without values"})
            self.assertEqual(both["metrics"], {"readings": 1.0})
            again = subprocess.run([PROGRAM, "task", "new", folder], capture_output=True, text=True)
            self.assertEqual(again.returncode, 1)

    def test_a_wrong_model_is_a_lookup_error_in_both(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "wrong"
            subprocess.run([PROGRAM, "task", "new", folder], check=True, capture_output=True)
            (folder / "task.py").write_text(
                "from ferry import engine, events\n"
                "def on_trigger(matched):\n"
                "    try:\n        engine.load('no')\n"
                "    except LookupError as e:\n        text = str(e)\n"
                "    t = engine.tensor([[1.5, 2], [3, float('inf')]])\n"
                "    if len(matched[-1]['data']['values']) == 0:\n"
                "        events.emit('nowhere', {})\n"
                "    return [text, t.shape, t.dtype, len(t), t[0].tolist(), t.argmax(), repr(t), t.reshape([4]).tolist()[:3]]\n")
            both = self.compare(folder)
            self.assertIn("no model", both["outcomes"][0]["result"][0])
            self.assertEqual(both["outcomes"][1]["error"]["type"], "LookupError")


if __name__ == "__main__":
    if not (LIBRARIES / "_ferry.abi3.so").exists():
        print(f"SKIPPED: no _ferry.abi3.so in {LIBRARIES}; it needs python3-dev when the build is configured", file=sys.stderr)
        sys.exit(0)
    unittest.main()
