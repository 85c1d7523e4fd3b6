#!/usr/bin/env python3
"""What a run of a one-Add model costs in Python above the C call, and what runs leave behind.

usage: sdk/python/bench/bench.py LIBRARIES [--model FILE] [--rounds N] [--runs N]

LIBRARIES is the folder of a build with _ferry.abi3.so and libferry.so; FILE has inputs x and y of f32 [1,4] and an output
z, and is made when it is left out. Rounds of C and of each way in Python are interleaved; a figure is the median of its
rounds. Prints one JSON object: "overhead_us" is that of model(x, y) on arrays of NumPy (on buffers without NumPy), "ways"
has each; "grown_kb" and "in_use_bytes" are resident memory and malloc's bytes in use after 100,000 runs above before.
"""
import argparse
import array
import ctypes
import gc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WIDTH = 4


def compiled(folder, libraries):
    library = folder / "loop.so"
    subprocess.run(["cc", "-O2", "-std=c11", "-D_GNU_SOURCE", "-fPIC", "-shared", "-I", ROOT, HERE / "loop.c", "-o", library,
                    f"-L{libraries}", "-lferry", f"-Wl,-rpath,{libraries}"], check=True)
    loop = ctypes.CDLL(str(library))
    loop.loop_run.restype = ctypes.c_double
    return loop


def made_model(folder):
    sys.path.insert(0, str(ROOT / "tests/sdk"))
    import onnx_models
    path = folder / "one_add.onnx"
    shape = (1, WIDTH)
    path.write_bytes(onnx_models.model([onnx_models.node("Add", ["x", "y"], ["z"])],
                                       [("x", "f32", shape), ("y", "f32", shape)], [("z", "f32", shape)]))
    return path


def resident_kb():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def in_use():
    class Info(ctypes.Structure):
        _fields_ = [(f"f{k}", ctypes.c_size_t) for k in range(10)]
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Info
    return mallinfo().f7


def timed(call, runs):
    begin = time.perf_counter()
    for _ in range(runs):
        call()
    return (time.perf_counter() - begin) / runs * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--model", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--runs", type=int, default=5000)
    arguments = parser.parse_args()
    os.environ["FERRY_LIBRARY"] = str(arguments.libraries)
    sys.path.insert(0, str(ROOT / "sdk/python"))
    import ferry
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        path = arguments.model or made_model(folder)
        loop = compiled(folder, arguments.libraries)
        code = loop.loop_open(os.fsencode(path))
        if code:
            sys.exit(f"bench.py: {path}: {ferry.code_name(code)}")
        print(json.dumps(measure(ferry, loop, path, arguments)))


def measure(ferry, loop, path, arguments):
    buffers = [array.array("f", [1, 2, 3, 4]) for _ in range(3)]
    addresses = [ctypes.c_void_p(one.buffer_info()[0]) for one in buffers]
    x, y = (memoryview(one).cast("B").cast("f", (1, WIDTH)) for one in buffers[:2])
    tensors = ferry.Model(path, threads=1, arrays=False)
    inputs = {"x": x, "y": y}
    ways = {"tensor": lambda: tensors(x, y), "run_tensor": lambda: tensors.run(inputs)}
    try:
        import numpy
        arrays = ferry.Model(path, threads=1)
        a, b = (numpy.array(one, "f4").reshape(1, WIDTH) for one in buffers[:2])
        named = {"x": a, "y": b}
        ways |= {"numpy": lambda: arrays(a, b), "run_numpy": lambda: arrays.run(named)}
    except ImportError:
        pass
    rounds = {"c": [], **{name: [] for name in ways}}
    for call in ways.values():
        timed(call, 1000)
    for _ in range(arguments.rounds):
        rounds["c"].append(loop.loop_run(arguments.runs, WIDTH, *addresses))
        for name, call in ways.items():
            rounds[name].append(timed(call, arguments.runs))
    median = {name: statistics.median(values) for name, values in rounds.items()}
    if min(median.values()) < 0 or tensors(x, y).tolist() != [[2, 4, 6, 8]]:
        sys.exit("bench.py: a run failed")
    above = {name: round(median[name] - median["c"], 3) for name in ways}
    kept = []
    for call in ways.values():
        gc.collect()
        resident, used = resident_kb(), in_use()
        timed(call, 100_000)
        gc.collect()
        kept.append((resident_kb() - resident, in_use() - used))
    return {"overhead_us": above.get("numpy", above["tensor"]), "c_us": round(median["c"], 3), "ways": above,
            "grown_kb": max(one for one, _ in kept), "in_use_bytes": max(one for _, one in kept)}


if __name__ == "__main__":
    main()
