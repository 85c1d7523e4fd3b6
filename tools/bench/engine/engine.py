#!/usr/bin/env python3
"""Measures this engine against ONNX Runtime (and MNN, ncnn) on the same networks, in one run.

usage: tools/dev bench engine [--models DIR] [--filter TEXT] [--threads 1 2] [--rounds N] [--json]
                              [--int8 DIR] [--mnn DIR] [--ncnn DIR]
       tools/dev bench engine --cliff [--isa NAME] [--json]

Round by round, network by network, each engine runs in a process of its own, one after the other:
only ratios of one run count. Needs node and npm (ONNX Runtime is installed into build/ once).
--cliff: this engine alone on models whose shapes change from run to run, with floors; fails below.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import networks
import peers
import report

ROOT = pathlib.Path(__file__).resolve().parents[3]


def arguments():
    parser = argparse.ArgumentParser(prog="tools/dev bench engine", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, metavar="DIR",
                        help="folder of .onnx files; default: the networks of ../shared/"
                             "models-real-shapes, made into build/")
    parser.add_argument("--int8", type=pathlib.Path, metavar="DIR",
                        help="folder of QDQ .onnx files, run by both engines, a table of their own")
    parser.add_argument("--mnn", type=pathlib.Path, metavar="DIR",
                        help="where MNNConvert and benchmark.out are built")
    parser.add_argument("--ncnn", type=pathlib.Path, metavar="DIR",
                        help="where benchncnn and its .param files are")
    parser.add_argument("--filter", default="", help="only networks whose name contains this")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of an engine in a round")
    parser.add_argument("--cliff", action="store_true",
                        help="what shapes that change cost, with floors; nothing else")
    parser.add_argument("--isa", default="", help="with --cliff: of the kernels")
    parser.add_argument("--json", action="store_true", help="all figures as JSON")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin",
                        help=argparse.SUPPRESS)
    return parser.parse_args()


def measure(network, engines, options, result):
    """One network: agreement first, then rounds; fills result."""
    ferry, ort = engines[0], engines[1]
    network.inputs = ort.make_inputs(network)
    result["agreement"] = ort.compare(network, ferry.run(network))
    for threads in options.threads:
        samples = {engine.name: [] for engine in engines}
        for _ in range(options.rounds):
            for engine in engines:
                if engine.name not in result["refused"] and engine.has(network):
                    try:
                        samples[engine.name].append(engine.time(network, threads, options.seconds))
                    except peers.Failed as error:
                        if engine in (ferry, ort):
                            raise
                        result["refused"][engine.name] = str(error)
        result["threads"][str(threads)] = {
            name: report.summary(rounds) for name, rounds in samples.items() if rounds}


def table(found, engines, options, kind):
    rows = []
    for network in found:
        print(f"{kind}: {network.name}", file=sys.stderr, flush=True)
        result = {"kind": kind, "network": network.name, "threads": {}, "refused": {}}
        rows.append(result)
        try:
            measure(network, engines, options, result)
        except peers.Failed as error:
            result["error"] = str(error)
    return rows


def cliff(options):
    command = [options.bin / "ferry-bench", "cliff", "--rounds", str(options.rounds)]
    command += ["--isa", options.isa] if options.isa else []
    command += ["--json"] if options.json else []
    return subprocess.run(command, check=False).returncode


def main():
    options = arguments()
    if options.cliff:
        sys.exit(cliff(options))
    work = ROOT / "build/bench-engine"
    work.mkdir(parents=True, exist_ok=True)
    try:
        engines = [peers.Ferry(options.bin / "ferry", work), peers.OnnxRuntime(work)]
        if options.mnn:
            engines.append(peers.Mnn(options.mnn, work))
        if options.ncnn:
            engines.append(peers.Ncnn(options.ncnn))
        rows = []
        if options.models or not options.int8:
            found = networks.find(options.models or networks.real_shapes(ROOT, work),
                                  options.filter, work / "float32")
            rows += table(found, engines, options, "float32")
        if options.int8:
            found = networks.find(options.int8, options.filter, work / "int8")
            engines[2:] = [peers.Ncnn(options.ncnn, int8=True)] if options.ncnn else []
            rows += table(found, engines, options, "int8")
    except (peers.Failed, networks.Absent) as error:
        sys.exit(f"tools/dev bench engine: {error}")
    if options.json:
        print(json.dumps({"base_bytes": engines[1].base_bytes, "networks": rows}, indent=2))
    else:
        report.show(rows, engines, options.threads)
    bad = [row for row in rows if report.is_wrong(row)]
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
