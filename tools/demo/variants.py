"""The versions of the digits task that the demo publishes: 1 good, 2 wrong, 3 fails on one class of devices, 4 good."""
import json
import pathlib
import shutil

import onnx_edit

RETRAINED_LAYER = "f.weight"
RETRAINED_FACTOR = 1.001
RETRAINED_TOLERANCE = 0.002  # of a confidence, after the factor above


def _edit(path, old, new):
    text = path.read_text()
    if old not in text:
        raise KeyError(f"{path} has no '{old}'")
    path.write_text(text.replace(old, new))


def _wrong_output(folder):
    _edit(folder / "task.py", "digit = max(range", "digit = min(range")


def _only_flat_images(folder):
    _edit(folder / "preprocess.py", 'if "rows" in data:', "if False:")


def _retrained(folder):
    _edit(folder / "task.py", '"confidence": prob[digit]}', '"confidence": round(prob[digit], 6)}')
    onnx_edit.scale_layer(folder / "digits.onnx", folder / "retrained.onnx", RETRAINED_LAYER, RETRAINED_FACTOR)
    (folder / "retrained.onnx").replace(folder / "digits.onnx")
    cases = json.loads((folder / "cases.json").read_text())
    for case in cases["cases"]:
        case["tolerance"] = RETRAINED_TOLERANCE
    (folder / "cases.json").write_text(json.dumps(cases))


CHANGES = {"1.0.0": None, "2.0.0": _wrong_output, "3.0.0": _only_flat_images, "4.0.0": _retrained}
TASK_FILES = ("task.json", "task.py", "preprocess.py", "cases.json", "digits.onnx")


def make(source, target, version):
    """Copies the task folder `source` to `target` as `version` of it."""
    source, target = pathlib.Path(source), pathlib.Path(target)
    target.mkdir(parents=True)
    for name in TASK_FILES:
        shutil.copyfile(source / name, target / name)
    task = json.loads((target / "task.json").read_text())
    task["version"] = version
    (target / "task.json").write_text(json.dumps(task, indent=2))
    if CHANGES[version]:
        CHANGES[version](target)
    return target
