"""ONNX Runtime's side of `tools/dev bench engine --peer python`: what peer.js does, in Python.

    peer.py base                              peak memory of the process without a model
    peer.py inputs MODEL DIR                  one .npy an input, DIR/inputs.json lists them
    peer.py time MODEL DIR THREADS SECONDS    times on those inputs
    peer.py load MODEL THREADS                opens it
    peer.py compare MODEL DIR OURS.json       outputs against .npy files, {name: {file}}

Prints one line of JSON. Free dimensions are 1.
"""
import json
import pathlib
import re
import statistics
import sys
import time

import numpy
import onnxruntime

DTYPES = {"tensor(float)": numpy.float32, "tensor(double)": numpy.float64,
          "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(int8)": numpy.int8,
          "tensor(uint8)": numpy.uint8, "tensor(bool)": numpy.bool_}


def make_input(meta, seed):
    if meta.type not in DTYPES:
        raise ValueError(f"input {meta.name} is of type {meta.type}")
    dtype = numpy.dtype(DTYPES[meta.type])
    dims = [extent if isinstance(extent, int) and extent > 0 else 1 for extent in meta.shape]
    random = numpy.random.default_rng(seed)
    if dtype.kind == "f":
        return random.uniform(-1, 1, dims).astype(dtype)
    # Whole numbers are ids or masks: 1 for masks, 0 for kinds of tokens, else small ones, which
    # any vocabulary has.
    if re.search("mask|length", meta.name, re.IGNORECASE):
        return numpy.ones(dims, dtype)
    if re.search("type|segment", meta.name, re.IGNORECASE):
        return numpy.zeros(dims, dtype)
    return random.integers(0, 16, dims).astype(dtype)


def peak_bytes():
    line = re.search(r"VmHWM:\s*(\d+) kB", pathlib.Path("/proc/self/status").read_text())
    return int(line[1]) * 1024


def open_session(model, threads):
    """-> session, milliseconds."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    begin = time.perf_counter()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session, (time.perf_counter() - begin) * 1e3


def feeds_of(folder):
    listed = json.loads((folder / "inputs.json").read_text())
    return {item["name"]: numpy.load(folder / item["file"]) for item in listed}


def inputs(model, folder):
    folder = pathlib.Path(folder)
    session, _ = open_session(model, 1)
    listed = []
    for i, meta in enumerate(session.get_inputs()):
        numpy.save(folder / f"input{i}.npy", make_input(meta, i + 1))
        listed.append({"name": meta.name, "file": f"input{i}.npy"})
    (folder / "inputs.json").write_text(json.dumps(listed))
    return {"inputs": listed}


def time_runs(model, folder, threads, seconds):
    session, load_ms = open_session(model, int(threads))
    feeds = feeds_of(pathlib.Path(folder))
    for _ in range(3):
        session.run(None, feeds)
    times = []
    end = time.perf_counter() + float(seconds)
    while len(times) < 10 or time.perf_counter() < end:
        begin = time.perf_counter()
        session.run(None, feeds)
        times.append((time.perf_counter() - begin) * 1e3)
    return {"median_ms": statistics.median(times), "min_ms": min(times), "runs": len(times),
            "load_ms": load_ms, "peak_bytes": peak_bytes()}


def error(ours, theirs):
    """The largest difference, relative to their largest element; None where there is none."""
    ours, theirs = ours.astype(numpy.float64), theirs.astype(numpy.float64)
    same = (ours == theirs) | (numpy.isnan(ours) & numpy.isnan(theirs))
    difference = numpy.abs(numpy.where(same, 0, ours - theirs)).max(initial=0)
    if numpy.isnan(difference):
        return None
    return float(difference / max(numpy.abs(numpy.where(same, 0, theirs)).max(initial=0), 1e-30))


def compare(model, folder, listed):
    ours = json.loads(pathlib.Path(listed).read_text())
    session, _ = open_session(model, 1)
    names = [output.name for output in session.get_outputs()]
    outputs = []
    for name, theirs in zip(names, session.run(None, feeds_of(pathlib.Path(folder)))):
        our = numpy.load(ours[name]["file"])
        if our.shape != theirs.shape:
            outputs.append({"name": name, "error": None,
                            "why": f"shape {our.shape} against {theirs.shape}"})
        else:
            outputs.append({"name": name, "error": error(our, theirs)})
    return {"outputs": outputs}


def main(command, *words):
    if command == "base":
        return {"peak_bytes": peak_bytes()}
    if command == "load":
        return {"load_ms": open_session(words[0], int(words[1]))[1]}
    known = {"inputs": inputs, "time": time_runs, "compare": compare}
    if command not in known:
        raise ValueError(f"unknown command {command}")
    return known[command](*words)


if __name__ == "__main__":
    try:
        print(json.dumps(main(*sys.argv[1:])))
    except Exception as failure:  # what the library throws is the answer
        print(json.dumps({"error": f"{type(failure).__name__}: {failure}"}))
        sys.exit(1)
