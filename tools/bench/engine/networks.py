"""Which networks are measured, and where their inputs lie."""
import pathlib
import shutil
import subprocess
import sys


class Absent(Exception):
    """What a run needs and this machine lacks; the text says what to do."""


class Network:
    def __init__(self, path, folder):
        self.path = path.resolve()
        self.name = path.stem
        self.folder = folder / path.stem  # of inputs and outputs
        self.folder.mkdir(parents=True, exist_ok=True)
        self.inputs = []  # [{"name", "file"}], files in the folder


def find(models, text, folder):
    """The .onnx files of a folder whose name contains the text."""
    files = sorted(pathlib.Path(models).glob("*.onnx"))
    found = [Network(path, folder) for path in files if text in path.stem]
    if not found:
        raise Absent(f"no .onnx file in {models}" + (f" has '{text}' in its name" if text else ""))
    return found


def real_shapes(root, work):
    """The folder of networks with real shapes and random weights, made on first use."""
    target = work / "models"
    if target.is_dir() and any(target.glob("*.onnx")):
        return target
    maker = root.parent / "shared/models-real-shapes/make_models.py"
    if not maker.is_file():
        raise Absent(f"{maker} is absent: name a folder of .onnx files with --models DIR")
    probe = subprocess.run([sys.executable, "-c", "import numpy, onnx"], capture_output=True)
    if probe.returncode != 0:
        raise Absent("making the networks needs Python's numpy and onnx (Debian: apt-get install "
                     "python3-numpy python3-onnx); or name a folder with --models DIR")
    print(f"making networks in {target}", file=sys.stderr)
    half_made = work / "models.part"
    shutil.rmtree(half_made, ignore_errors=True)
    subprocess.run([sys.executable, str(maker), str(half_made)], check=True, stdout=sys.stderr)
    half_made.rename(target)
    return target
