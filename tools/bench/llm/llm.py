"""tools/dev bench llm: Ferry beside llama.cpp on random models of the same shapes."""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import shapes

HERE = pathlib.Path(__file__).resolve().parent
# (Ferry's type, GGUF's, floors of prefill at 256 and of decode: on any host, with VNNI)
PAIRS = {"4": ("i4", shapes.Q4_0, (1.3, 1.6), (1.3, 1.3)),
         "8": ("i8", shapes.Q8_0, (1.15, 1.6), (1.25, 1.25))}
FLOOR_PROMPT = 256


def run(command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def peer_folder(build):
    """llama.cpp from npm, no script of a package run."""
    folder = build / "bench-llm"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder / name)
    shutil.copy(HERE / "peer.mjs", folder / "peer.mjs")
    if not (folder / "node_modules" / "node-llama-cpp").exists():
        run(["npm", "ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"], cwd=folder)
    return folder


def prepare(ferry, folder, name, bits, threads):
    shape = shapes.SHAPES[name]
    source = folder / name
    if not (source / "model.safetensors").exists():
        shapes.write_folder(source, shape)
    kind, gguf_kind = PAIRS[bits][:2]
    model = folder / f"{name}-{kind}.flm"
    seconds = None
    if not model.exists():
        start = time.monotonic()
        run([ferry, "llm", "import", source, "-o", model, "--type", kind, "--threads", str(threads)])
        seconds = time.monotonic() - start
    gguf = folder / f"{name}-q{bits}.gguf"
    if not gguf.exists():
        shapes.write_gguf(gguf, shape, gguf_kind)
    return model, gguf, seconds


def measure_ferry(ferry, model, threads, prompts, generate):
    rows = {}
    for prompt in prompts:
        shown = json.loads(run([ferry, "llm", "bench", model, "--threads", str(threads), "--prompt",
                                str(prompt), "--gen", str(generate), "--rounds", "1",
                                "--json"]))
        rows[prompt] = shown
    return rows


def measure_peer(folder, gguf, threads, prompts, generate):
    out = run(["node", "peer.mjs", str(gguf), str(threads), str(generate), *map(str, prompts)],
              cwd=folder)
    return {row["prompt"]: row for row in json.loads(out.splitlines()[-1])}


def main():
    parser = argparse.ArgumentParser(prog="tools/dev bench llm", description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--models", default="0.5b,1.5b")
    parser.add_argument("--bits", default="4,8")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--prompts", default="64,256,1024,4096")
    parser.add_argument("--generate", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/bench-llm/models"),
                        help="where models are made and kept")
    parser.add_argument("--no-peer", action="store_true", help="Ferry alone")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ferry = options.bin / "ferry"
    prompts = [int(p) for p in options.prompts.split(",")]
    threads = [int(t) for t in options.threads.split(",")]
    options.folder.mkdir(parents=True, exist_ok=True)
    peer = None if options.no_peer else peer_folder(pathlib.Path("build"))
    cases = [(name, bits, t) for name in options.models.split(",")
             for bits in options.bits.split(",") for t in threads]
    made, results, imports = {}, {}, {}
    for name, bits, _ in cases:
        if (name, bits) not in made:
            *made[name, bits], seconds = prepare(ferry, options.folder.resolve(), name, bits,
                                                 max(threads))
            if seconds is not None:
                imports[f"{name} {PAIRS[bits][0]}"] = round(seconds, 1)
    for _ in range(options.rounds):
        for name, bits, t in cases:
            model, gguf = made[name, bits]
            ours = measure_ferry(ferry, model, t, prompts, options.generate)
            theirs = {} if peer is None else measure_peer(peer, gguf, t, prompts, options.generate)
            for prompt in prompts:
                cell = results.setdefault((name, bits, t, prompt), {})
                for side, rows in (("ferry", ours), ("llama.cpp", theirs)):
                    if prompt in rows:
                        for what in ("prefill_tokens_per_s", "decode_tokens_per_s"):
                            cell.setdefault((side, what), []).append(rows[prompt][what])
                cell.setdefault("isa", ours[prompt]["isa"])
                cell.setdefault("pass_ms", []).append(ours[prompt].get("pass_ms", {}))
    report(options, results, imports)


def ratio(cell, what):
    if ("llama.cpp", what) not in cell:
        return None
    pairs = zip(cell["ferry", what], cell["llama.cpp", what])
    return statistics.median(a / b for a, b in pairs)


def report(options, results, imports):
    below, rows = [], []
    for (name, bits, t, prompt), cell in results.items():
        row = {"model": name, "bits": int(bits), "threads": t, "prompt": prompt, "isa": cell["isa"]}
        for what in ("prefill", "decode"):
            key = f"{what}_tokens_per_s"
            row[key] = statistics.median(cell["ferry", key])
            row[f"{what}_ratio"] = ratio(cell, key)
        rows.append(row)
        if prompt == FLOOR_PROMPT and row["prefill_ratio"] is not None:
            vnni = "vnni" in row["isa"] or "bf16" in row["isa"]
            for what, floors in zip(("prefill", "decode"), PAIRS[bits][2:]):
                if row[f"{what}_ratio"] < floors[vnni]:
                    below.append(f"{name} {bits} bit {t} threads {what}: "
                                 f"{row[f'{what}_ratio']:.2f} (floor {floors[vnni]})")
    if options.json:
        print(json.dumps({"rows": rows, "imports_s": imports, "below": below}))
    else:
        for row in rows:
            ratios = "".join(f", {row[f'{w}_ratio']:.2f} of llama.cpp's {w}"
                             for w in ("prefill", "decode") if row[f"{w}_ratio"] is not None)
            print(f"{row['model']} {row['bits']} bit {row['threads']} threads ({row['isa']}), prompt "
                  f"{row['prompt']:4}: prefill {row['prefill_tokens_per_s']:7.1f} decode "
                  f"{row['decode_tokens_per_s']:6.1f} tokens/s{ratios}")
        for what, seconds in imports.items():
            print(f"import of {what}: {seconds} s")
        for line in below:
            print(f"below its floor: {line}")
    sys.exit(1 if below else 0)


if __name__ == "__main__":
    os.chdir(HERE.parents[2])
    sys.path.insert(0, str(HERE))
    main()
