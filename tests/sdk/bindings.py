"""What the suites of the bindings share: files to work on, and running programs."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import small_models

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["FERRY_BIN"]).resolve()
ROWS = {
    "task.json": json.dumps({
        "name": "rows", "version": "1.0.0", "script": "task.py", "entry": "on_trigger", "resources": ["note.txt"],
        "trigger": {"sequence": [{"event": "never"}]},
        "tables": [{"name": "seen", "key": ["name"], "columns": {"name": "text", "count": "int"}}]}),
    "task.py": "def on_trigger(matched):\n    return None\n",
    "note.txt": "a note\n",
}


def run(*command, **more):
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, timeout=300, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(str(one) for one in command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_data(case):
    """A folder with small models, digits.fpk and rows.fpk, for a TestCase class; it goes with the class."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ferry-sdk-"))
    case.addClassCleanup(shutil.rmtree, folder)
    small_models.write_to(folder)
    rows = folder / "rows"
    rows.mkdir()
    for name, content in ROWS.items():
        (rows / name).write_text(content)
    for task in (ROOT / "tasks/digits", rows):
        run(BIN / "ferry", "pack", task, "-o", folder / f"{task.name}.fpk")
    return folder


def digits_example(folder):
    """The arguments of an example about digits, and what answers its standard input."""
    return [ROOT / "tasks/digits/digits.onnx", folder / "digits.fpk", ROOT / "tasks/pair/draft.flm"], \
        ROOT / "tasks/digits/images.f32", (ROOT / "tasks/digits/labels.u8").read_bytes()
