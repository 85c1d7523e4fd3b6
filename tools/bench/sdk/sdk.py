"""What the SDK costs an app: a run of a one-Add model through each language above the engine's own, sizes, start.

usage: tools/dev bench sdk [--json] [--bin DIR]

overhead_us   of each language, of a run on the caller's memory. C's rounds and the engine's are interleaved in one
              program; the other languages' programs (sdk/<language>/bench) interleave theirs with C's
engine_bytes, all_bytes   of the stripped shared libraries
open_ms       a file of 100 MB of weights, mapped
import_ms     `import ferry` in Python, less an empty python3, interleaved

Fails when a floor is missed: C 2 us, Java 4, Python 10, Node 10; 5 MB, 8 MB; import 50 ms; memory grown by 1 MB over
100,000 runs. Aims are printed beside: 4 MB, 6.5 MB, open 50 ms.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
FLOORS_US = {"c": 2, "java": 4, "python": 10, "node": 10}
MEGABYTE = 1_000_000
FLOOR_BYTES = {"engine_bytes": 5 * MEGABYTE, "all_bytes": 8 * MEGABYTE}
AIM_BYTES = {"engine_bytes": 4 * MEGABYTE, "all_bytes": 6.5 * MEGABYTE}
FLOOR_IMPORT_MS, AIM_OPEN_MS, MOST_GROWN = 50, 50, 1_000_000
ROUNDS = 11


def last_json(command, **more):
    """The one object that a program prints, which may have several lines."""
    said = subprocess.run([str(one) for one in command], check=True, capture_output=True, text=True, timeout=500, **more)
    return json.loads(said.stdout[said.stdout.index("{"):])


def language_commands(build, model, program):
    """How each language's program is run; a language that is not built is left out."""
    python = {**os.environ, "PYTHONPATH": str(ROOT / "sdk/python"), "FERRY_BUILD": str(build)}
    bench = ROOT / "sdk"
    yield "python", [sys.executable, bench / "python/bench/bench.py", build / "lib", "--model", model], python
    yield "node", ["node", "--expose-gc", bench / "node/bench/run.js", model, program], {
        **os.environ, "NODE_PATH": str(build / "sdk/node/node_modules"), "FERRY_BUILD": str(build)}
    yield "java", ["bash", bench / "java/bench/run.sh", model, program], {**os.environ, "FERRY_BUILD": str(build)}


def stripped_bytes(library, folder):
    out = folder / library.name
    subprocess.run(["strip", "-o", out, library], check=True)
    return out.stat().st_size


def import_ms(environment):
    took = {"import ferry": [], "pass": []}
    for _ in range(ROUNDS):
        for code, times in took.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            times.append((time.perf_counter() - start) * 1000)
    return statistics.median(took["import ferry"]) - statistics.median(took["pass"])


def measure(bin_folder):
    build, program = bin_folder.parent, bin_folder / "ferry-sdk-bench"
    found = {"overhead_us": {"c": None, "java": None, "python": None, "node": None}, "grown_bytes": {}, "missing": {}}
    with tempfile.TemporaryDirectory(prefix="ferry-bench-sdk-") as name:
        folder = pathlib.Path(name)
        model, large = folder / "one_add.fm", folder / "large.fm"
        subprocess.run([program, "model", model], check=True)
        c = last_json([program, "run"])
        found["engine_us"], found["overhead_us"]["c"], found["grown_bytes"]["c"] = c["engine_us"], c["overhead_us"], c["grown_bytes"]
        for language, command, environment in language_commands(build, model, program):
            try:
                one = last_json(command, env=environment)
            except (subprocess.SubprocessError, OSError, ValueError, IndexError) as error:
                found["missing"][language] = str(getattr(error, "stderr", "") or error)[-300:]
                continue
            # Above the engine's own: what it costs above C, and what C costs.
            found["overhead_us"][language] = one["overhead_us"] + c["overhead_us"]
            found["grown_bytes"][language] = one.get("grown_bytes", one.get("grown_kb", 0) * 1024)
        found["engine_bytes"] = stripped_bytes(build / "lib/libferry_engine.so", folder)
        found["all_bytes"] = stripped_bytes(build / "lib/libferry.so", folder)
        subprocess.run([program, "large", large], check=True)
        found["open_ms"] = last_json([program, "open", large])["open_ms"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "sdk/python"), "FERRY_BUILD": str(build)}
        try:
            found["import_ms"] = import_ms(environment)
        except subprocess.SubprocessError as error:
            found["missing"]["import"] = str(error)
    return found


def missed(found):
    for language, floor in FLOORS_US.items():
        value = found["overhead_us"][language]
        if value is not None and value > floor:
            yield f"{language}: {value:.2f} us a run above the engine's own, the floor is {floor}"
    for name, floor in FLOOR_BYTES.items():
        if found[name] > floor:
            yield f"{name}: {found[name]:,}, the floor is {floor:,}"
    if found.get("import_ms", 0) > FLOOR_IMPORT_MS:
        yield f"import ferry: {found['import_ms']:.0f} ms, the floor is {FLOOR_IMPORT_MS}"
    for language, grown in found["grown_bytes"].items():
        if grown > MOST_GROWN:
            yield f"{language}: memory grew by {grown:,} bytes over 100,000 runs"


def show(found):
    print(f"a run of one Add, the engine's own: {found['engine_us']:.3f} us")
    for language, value in found["overhead_us"].items():
        text = "not measured" if value is None else f"{value:8.3f} us above it"
        print(f"  {language:8}{text} (floor {FLOORS_US[language]})")
    for name, floor in FLOOR_BYTES.items():
        print(f"{name:14}{found[name]:>12,} (floor {floor:,}, aim {AIM_BYTES[name]:,.0f})")
    print(f"open_ms       {found['open_ms']:12.2f} (aim {AIM_OPEN_MS})")
    if "import_ms" in found:
        print(f"import_ms     {found['import_ms']:12.1f} (floor {FLOOR_IMPORT_MS})")
    for name, why in found["missing"].items():
        print(f"{name}: {why}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--bin", default=ROOT / "build/release/bin", type=pathlib.Path)
    arguments = parser.parse_args()
    found = measure(arguments.bin.resolve())
    failures = list(missed(found))
    if arguments.json:
        print(json.dumps({**found, "missed": failures}))
    else:
        show(found)
    for one in failures:
        print(one, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
