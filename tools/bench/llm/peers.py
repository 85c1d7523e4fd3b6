"""Who stands beside Ferry: llama.cpp from npm, MNN-LLM from a build of yours."""
import json
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def run(command, **more):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, **more).stdout


class LlamaCpp:
    """Reads a GGUF file of the same shape and bits. Its package is node-llama-cpp."""
    name = "llama.cpp"

    def __init__(self, build):
        """No script of a package runs: its kernels for every x86 come with it, compiled."""
        self.folder = build / "bench-llm"
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json", "peer.mjs"):
            shutil.copy(HERE / name, self.folder / name)
        if not (self.folder / "node_modules" / "node-llama-cpp").exists():
            # Not `npm ci`: from version 11 on it refuses a lock without other platforms' packages.
            run(["npm", "install", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"],
                cwd=self.folder)

    def measure(self, case, gguf, prompts, generate):
        _, _, threads = case
        out = run(["node", "peer.mjs", gguf, threads, generate, *prompts], cwd=self.folder)
        return {row["prompt"]: row for row in json.loads(out.splitlines()[-1])}


class Mnn:
    """`llm_bench` of a build of MNN, and models that its exporter made of the folders here."""
    name = "MNN"

    def __init__(self, build, models):
        self.program = next((path for path in (build / "llm_bench", build / "build" / "llm_bench")
                             if path.exists()), None)
        if self.program is None:
            raise SystemExit(f"--mnn {build}: no llm_bench there: build MNN with -DMNN_BUILD_LLM=ON")
        self.build, self.models = build, models

    def measure(self, case, gguf, prompts, generate):
        del gguf
        name, bits, threads = case
        config = self.build / "models" / f"{name}-{bits}bit" / "config.json"
        if not config.exists():
            raise SystemExit(f"--mnn: {config} is not there: llmexport.py of MNN makes it, with --path "
                             f"{self.models / name} --export mnn --quant_bit {bits} --quant_block 32")
        # -kv true: a prompt, then what is generated behind it, each timed alone, as ours is.
        out = run([self.program, "-m", config, "-a", "cpu", "-t", threads, "-rep", 1, "-kv", "true",
                   "-p", ",".join(map(str, prompts)), "-n", generate])
        rows = read_mnn_table(out)
        missing = set(prompts) - rows.keys()
        if missing:
            raise SystemExit(f"MNN's llm_bench gave no row for prompts of {sorted(missing)}:\n{out}")
        return rows


def read_mnn_table(text):
    """{prompt: rates} of its table: "prompt=256<br>decode=64" and "88.1 ± 0.0 ..<br>12.5 ± 0.0 .."."""
    rows = {}
    for line in text.splitlines():
        asked = re.search(r"prompt=(\d+)<br>decode=\d+", line)
        rates = re.search(r"([\d.]+) ± [^|]*<br>([\d.]+) ± ", line)
        if asked and rates:
            prompt = int(asked[1])
            rows[prompt] = {"prompt": prompt, "prefill_tokens_per_s": float(rates[1]),
                            "decode_tokens_per_s": float(rates[2])}
    return rows
