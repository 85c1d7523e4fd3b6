"""tools/dev bench llm: Ferry beside llama.cpp, and MNN-LLM, on random models of the same shapes."""
import argparse
import json
import os
import pathlib
import statistics
import sys
import time

import peers
import shapes
from peers import run

HERE = pathlib.Path(__file__).resolve().parent
# (Ferry's type, GGUF's, floors of prefill at 256 and of decode: on any host, with VNNI)
PAIRS = {"4": ("i4", shapes.Q4_0, (1.3, 1.6), (1.3, 1.3)),
         "8": ("i8", shapes.Q8_0, (1.15, 1.6), (1.25, 1.25))}
FLOOR_PROMPT, LONG_PROMPT = 256, 4096
LONG_PREFILL = 0.7     # at LONG_PROMPT, of that at FLOOR_PROMPT
TWO_THREADS = 1.7      # of one, prefill at FLOOR_PROMPT
# A pass of 8 tokens in steps: any host, with products of bytes.
PASS_OF_8 = {"4": (5, 3.5), "8": (3.3, 2.2)}
LONG_DECODE_Q8 = 0.85  # with --kv q8 at LONG_PROMPT, of that at FLOOR_PROMPT
ADAPTER_RANK, ADAPTER_COST = 16, 0.10  # of a step


def has_vnni(isa):
    return any(name in isa for name in ("vnni", "bf16", "amx"))


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


def bench(ferry, model, threads, prompt, generate, *more):
    return json.loads(run([ferry, "llm", "bench", model, "--threads", str(threads), "--prompt",
                           str(prompt), "--gen", str(generate), "--rounds", "1", "--json", *more]))


def measure_ferry(ferry, model, threads, prompts, generate):
    return {prompt: bench(ferry, model, threads, prompt, generate) for prompt in prompts}


def bandwidth_gb_per_s(folder, threads):
    """What so many threads read from memory, measured on the spot."""
    shown = json.loads(run([folder / "ferry-bench", "--group", "packed", "--filter", "read of memory",
                            "--threads", str(threads), "--json"]))
    return shown["results"][0]["gbytes_per_s"]


def measure_extras(ferry, folder, name, model, options, into):
    """One round of what is compared with Ferry itself: keys and values of 8 bits, an adapter."""
    adapter = folder / f"{name}-adapter"
    if not (adapter / "adapter_model.safetensors").exists():
        shapes.write_adapter(adapter, shapes.SHAPES[name], ADAPTER_RANK)
    decode = "decode_tokens_per_s"
    def one(prompt, *more):
        return bench(ferry, model, 1, prompt, options.generate, *more)[decode]
    long, short = one(LONG_PROMPT, "--kv", "q8"), one(FLOOR_PROMPT, "--kv", "q8")
    into.setdefault((name, "decode at 4096 with --kv q8, of that at 256"), []).append(long / short)
    with_it, without = one(64, "--lora", str(adapter)), one(64)
    into.setdefault((name, "a step with an adapter of rank 16, over one without"),
                    []).append(without / with_it - 1)


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
    parser.add_argument("--no-extras", action="store_true",
                        help="without keys and values of 8 bits and an adapter")
    parser.add_argument("--no-peer", action="store_true", help="without llama.cpp")
    parser.add_argument("--mnn", type=pathlib.Path, metavar="DIR",
                        help="a build of MNN: its llm_bench, and models in DIR/models/NAME-Nbit")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ferry = options.bin / "ferry"
    prompts = [int(p) for p in options.prompts.split(",")]
    threads = [int(t) for t in options.threads.split(",")]
    options.folder.mkdir(parents=True, exist_ok=True)
    beside = [] if options.no_peer else [peers.LlamaCpp(pathlib.Path("build"))]
    if options.mnn is not None:
        beside.append(peers.Mnn(options.mnn.resolve(), options.folder.resolve()))
    cases = [(name, bits, t) for name in options.models.split(",")
             for bits in options.bits.split(",") for t in threads]
    made, results, imports, extras = {}, {}, {}, {}
    for name, bits, _ in cases:
        if (name, bits) not in made:
            *made[name, bits], seconds = prepare(ferry, options.folder.resolve(), name, bits,
                                                 max(threads))
            if seconds is not None:
                imports[f"{name} {PAIRS[bits][0]}"] = round(seconds, 1)
    bandwidth = {}
    for _ in range(options.rounds):
        for t in threads:
            bandwidth.setdefault(t, []).append(bandwidth_gb_per_s(options.bin, t))
        for name, bits, t in cases:
            model, gguf = made[name, bits]
            ours = measure_ferry(ferry, model, t, prompts, options.generate)
            sides = {"ferry": ours}
            for peer in beside:
                sides[peer.name] = peer.measure((name, bits, t), gguf, prompts, options.generate)
            for prompt in prompts:
                cell = results.setdefault((name, bits, t, prompt), {})
                for side, rows in sides.items():
                    for what in ("prefill_tokens_per_s", "decode_tokens_per_s"):
                        cell.setdefault((side, what), []).append(rows[prompt][what])
                cell.setdefault("isa", ours[prompt]["isa"])
                cell.setdefault("bytes_a_token", ours[prompt]["weight_bytes"])
                cell.setdefault("pass_ms", []).append(ours[prompt].get("pass_ms", {}))
        for name in [] if options.no_extras else options.models.split(","):
            if (name, "4") in made:
                measure_extras(ferry, options.folder.resolve(), name, made[name, "4"][0], options,
                               extras)
    for (_, _, t, _), cell in results.items():
        cell["bandwidth"] = statistics.median(bandwidth[t])
    report(options, results, imports, extras)


def ratio(cell, what, peer):
    if (peer, what) not in cell:
        return None
    pairs = zip(cell["ferry", what], cell[peer, what])
    return statistics.median(a / b for a, b in pairs)


def own_ratios(results):
    """(what, ratio, floor, whether a larger one is better) of Ferry's figures beside each other."""
    prefill = {key: statistics.median(cell["ferry", "prefill_tokens_per_s"])
               for key, cell in results.items()}
    for (name, bits, t, prompt), cell in results.items():
        what = f"{name} {bits} bit {t} threads"
        if prompt == LONG_PROMPT and (name, bits, t, FLOOR_PROMPT) in prefill:
            yield (f"{what}: prefill at {LONG_PROMPT} of that at {FLOOR_PROMPT}",
                   prefill[name, bits, t, prompt] / prefill[name, bits, t, FLOOR_PROMPT],
                   LONG_PREFILL, True)
        if prompt != FLOOR_PROMPT:
            continue
        if t == 2 and (name, bits, 1, prompt) in prefill:
            yield (f"{name} {bits} bit: prefill with two threads of that with one",
                   prefill[name, bits, 2, prompt] / prefill[name, bits, 1, prompt],
                   TWO_THREADS, True)
        passes = [p["8"] / p["1"] for p in cell["pass_ms"] if "8" in p and "1" in p]
        if passes:
            yield (f"{what}: a pass of 8 tokens in steps", statistics.median(passes),
                   PASS_OF_8[bits][has_vnni(cell["isa"])], False)


def report(options, results, imports, extras):
    below, rows, own = [], [], []
    for (name, bits, t, prompt), cell in results.items():
        row = {"model": name, "bits": int(bits), "threads": t, "prompt": prompt, "isa": cell["isa"],
               "bandwidth_gb_per_s": cell["bandwidth"], "bytes_a_token": cell["bytes_a_token"]}
        for what in ("prefill", "decode"):
            key = f"{what}_tokens_per_s"
            row[key] = statistics.median(cell["ferry", key])
            row[f"{what}_ratio"] = ratio(cell, key, "llama.cpp")
            row[f"{what}_ratio_mnn"] = ratio(cell, key, "MNN")
        row["decode_of_bandwidth"] = (row["decode_tokens_per_s"] * row["bytes_a_token"] / 1e9 /
                                      row["bandwidth_gb_per_s"])
        rows.append(row)
        if prompt == FLOOR_PROMPT and row["prefill_ratio"] is not None:
            for what, floors in zip(("prefill", "decode"), PAIRS[bits][2:]):
                if row[f"{what}_ratio"] < floors[has_vnni(row["isa"])]:
                    below.append(f"{name} {bits} bit {t} threads {what}: "
                                 f"{row[f'{what}_ratio']:.2f} "
                                 f"(floor {floors[has_vnni(row['isa'])]})")
    lines = list(own_ratios(results))
    for (name, what), found in extras.items():
        is_cost = what.startswith("a step")
        lines.append((f"{name} 4 bit: {what}", statistics.median(found),
                      ADAPTER_COST if is_cost else LONG_DECODE_Q8, not is_cost))
    for what, value, floor, larger in lines:
        own.append({"what": what, "value": round(value, 3), "floor": floor})
        if value < floor if larger else value > floor:
            below.append(f"{what}: {value:.2f} (floor {floor})")
    if options.json:
        print(json.dumps({"rows": rows, "own": own, "imports_s": imports, "below": below}))
    else:
        for row in rows:
            ratios = "".join(f", {row[key]:.2f} of {peer}'s {what}"
                             for peer, end in (("llama.cpp", ""), ("MNN", "_mnn"))
                             for what in ("prefill", "decode")
                             if row[key := f"{what}_ratio{end}"] is not None)
            print(f"{row['model']} {row['bits']} bit {row['threads']} threads ({row['isa']}), prompt "
                  f"{row['prompt']:4}: prefill {row['prefill_tokens_per_s']:7.1f} decode "
                  f"{row['decode_tokens_per_s']:6.1f} tokens/s{ratios}, "
                  f"{row['decode_of_bandwidth']:.2f} of {row['bandwidth_gb_per_s']:.1f} GB/s at "
                  f"{row['bytes_a_token'] / 1e6:.0f} MB a token")
        for line in own:
            print(f"{line['what']}: {line['value']} (floor {line['floor']})")
        for what, seconds in imports.items():
            print(f"import of {what}: {seconds} s")
        for line in below:
            print(f"below its floor: {line}")
    sys.exit(1 if below else 0)


if __name__ == "__main__":
    os.chdir(HERE.parents[2])
    sys.path.insert(0, str(HERE))
    main()
