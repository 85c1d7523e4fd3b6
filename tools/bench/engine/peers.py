"""The engines: each runs a network in a process of its own and says how long it took.

time() gives {"median_ms", "min_ms"} and, where known, "load_ms" and "peak_bytes" (the process's
largest resident memory).
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


class Failed(Exception):
    pass


def run(command, stderr_too=False, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          errors="replace", **more)
    if done.returncode != 0:
        tail = (done.stdout + done.stderr).strip().splitlines()[-3:]
        raise Failed(f"{pathlib.Path(command[0]).name} failed: " + " | ".join(tail))
    return done.stdout + done.stderr if stderr_too else done.stdout


class Ferry:
    """This engine with the kernels of one instruction set."""

    def __init__(self, program, work, isa="", name="ferry"):
        self.program, self.work, self.name = program, work, name
        self.isa = ["--isa", isa] if isa else []
        if not program.is_file():
            raise Failed(f"{program} is not built")

    def has(self, _):
        return True

    def _inputs(self, network):
        for item in network.inputs:
            yield from ("--input", f"{item['name']}={network.folder / item['file']}")

    def run(self, network):
        """Runs once; {output: {"file"}}."""
        out = network.folder / "ferry"
        out.mkdir(exist_ok=True)
        text = run([self.program, "run", network.path, *self._inputs(network), "--out", out,
                    *self.isa, "--json"])
        return json.loads(text)["files"]

    def time(self, network, threads, seconds):
        text = run([self.program, "bench", network.path, *self._inputs(network), "--threads",
                    threads, "--seconds", seconds, *self.isa, "--json"])
        return json.loads(text)


class OnnxRuntime:
    """Through its package for Node.js, which is installed into build/ on first use."""
    name = "onnxruntime"
    process = "node"

    def __init__(self, work):
        for program in ("node", "npm"):
            if shutil.which(program) is None:
                raise Failed(f"{program} is absent; ONNX Runtime is measured through "
                             "onnxruntime-node (Debian: apt-get install nodejs npm)")
        self.folder = work / "onnxruntime"
        self._install()
        shutil.copy(HERE / "peer.js", self.folder)
        self.command = ["node", "peer.js"]
        self.base_bytes = self._ask("base")["peak_bytes"]

    def _install(self):
        """Into build/, once for each version; no script of a package runs."""
        lock = HERE / "package-lock.json"
        done = self.folder / "installed.json"
        if done.is_file() and done.read_bytes() == lock.read_bytes():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, self.folder)
        try:
            run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=self.folder)
        except Failed as error:
            raise Failed(f"onnxruntime-node cannot be installed (no network?): {error}") from error
        shutil.copy(lock, done)

    def _ask(self, *words):
        done = subprocess.run([*self.command, *[str(word) for word in words]],
                              cwd=self.folder, capture_output=True, text=True)
        try:
            found = json.loads(done.stdout.strip().splitlines()[-1])
        except (IndexError, ValueError):
            raise Failed("onnxruntime: " + done.stderr.strip()[-300:]) from None
        if "error" in found:
            raise Failed("onnxruntime: " + found["error"])
        return found

    def has(self, _):
        return True

    def make_inputs(self, network):
        return self._ask("inputs", network.path, network.folder)["inputs"]

    def compare(self, network, outputs):
        """Error of each of our outputs, relative to the largest element of theirs."""
        listed = network.folder / "ferry.json"
        listed.write_text(json.dumps(outputs))
        return self._ask("compare", network.path, network.folder, listed)["outputs"]

    def time(self, network, threads, seconds):
        return self._ask("time", network.path, network.folder, threads, seconds)

    def load(self, model, threads):
        """Milliseconds until a session of the model is there."""
        return self._ask("load", model, threads)["load_ms"]


class OnnxRuntimePython(OnnxRuntime):
    """Through the package of the Python that runs this, which has to be there."""
    process = "python"

    def __init__(self, work):
        probe = subprocess.run([sys.executable, "-c", "import numpy, onnxruntime"],
                               capture_output=True, text=True)
        if probe.returncode != 0:
            raise Failed("--peer python needs onnxruntime and numpy for " + sys.executable +
                         ": " + probe.stderr.strip().splitlines()[-1])
        self.folder = work
        self.command = [sys.executable, "-B", str(HERE / "peer.py")]
        self.base_bytes = self._ask("base")["peak_bytes"]


class Mnn:
    """The same ONNX files through MNNConvert; figures of MNN's own benchmark (mean and minimum;
    its inputs are zeros)."""
    name = "mnn"

    def __init__(self, folder, work):
        self.work = work / "mnn"
        self.convert = next(folder.rglob("MNNConvert"), None)
        self.program = next(folder.rglob("benchmark.out"), None)
        if self.convert is None or self.program is None:
            raise Failed(f"{folder} has no MNNConvert or no benchmark.out (build MNN with "
                         "-DMNN_BUILD_CONVERTER=ON -DMNN_BUILD_BENCHMARK=ON)")

    def _model(self, network):
        folder = self.work / network.name
        model = folder / (network.name + ".mnn")
        refused = folder / "refused"
        if not model.is_file() and not refused.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            try:
                run([self.convert, "-f", "ONNX", "--modelFile", network.path, "--MNNModel", model,
                     "--bizCode", "bench"])
            except Failed:
                refused.touch()
        return model if model.is_file() else None

    def has(self, network):
        return self._model(network) is not None

    def time(self, network, threads, seconds):
        loops = max(5, int(seconds * 50))
        text = run([self.program, self._model(network).parent, loops, 3, 0, threads, 1])
        found = re.search(r"min *= *([\d.]+) *ms.*avg *= *([\d.]+) *ms", text)
        if not found or float(found[1]) == 0:
            raise Failed("MNN's benchmark printed no time")
        return {"min_ms": float(found[1]), "median_ms": float(found[2])}


class Ncnn:
    """ncnn's own benchmark models (random weights) of the same architecture and input size, so not
    the same file; figures of benchncnn (mean and minimum)."""
    name = "ncnn"
    SAME = {"mobilenet_v2": "mobilenet_v2", "mobilenet_v3_large": "mobilenet_v3",
            "shufflenet_v2_x1_0": "shufflenet_v2", "mnasnet1_0": "mnasnet",
            "squeezenet1_1": "squeezenet", "resnet18": "resnet18", "resnet50": "resnet50",
            "efficientnet_b0": "efficientnet_b0"}
    SAME_INT8 = {"squeezenet1_1": "squeezenet_int8", "resnet18": "resnet18_int8",
                 "resnet50": "resnet50_int8"}

    def __init__(self, folder, int8=False):
        self.same = self.SAME_INT8 if int8 else self.SAME
        self.program = next((p for p in folder.rglob("benchncnn") if p.is_file()), None)
        params = next(folder.rglob("squeezenet.param"), None)
        if self.program is None or params is None:
            raise Failed(f"{folder} has no benchncnn or no squeezenet.param (build ncnn with "
                         "-DNCNN_BUILD_BENCHMARK=ON inside its source)")
        self.models = params.parent

    def has(self, network):
        return network.name in self.same

    def time(self, network, threads, seconds):
        own = self.models / (self.same[network.name] + ".param")
        side = 227 if own.stem.startswith("squeezenet") else 224
        loops = max(5, int(seconds * 50))
        text = run([self.program.resolve(), loops, threads, 0, -1, 0, f"param={own.name}",
                    f"shape=[{side},{side},3]"], cwd=self.models, stderr_too=True)
        found = re.search(r"min *= *([\d.]+) .*?avg *= *([\d.]+)", text)
        if not found or float(found[1]) == 0:
            raise Failed(f"benchncnn printed no time of {own.name}")
        return {"min_ms": float(found[1]), "median_ms": float(found[2])}
