#!/usr/bin/env python3
"""Measures this engine against ONNX Runtime (and MNN, ncnn) on the same networks, in one run.

usage: tools/dev bench engine [--models DIR] [--filter TEXT] [--threads 1 2] [--rounds N] [--json]
                              [--most-rounds N] [--peer node|python] [--isa NAME]
                              [--int8 DIR] [--mnn DIR] [--ncnn DIR]
       tools/dev bench engine --cliff [--isa NAME] [--json]
       tools/dev bench engine --cold [--models DIR] [--peer node|python] [--json]

Round by round, network by network, each engine runs in a process of its own, one after the other:
only ratios of one run count. Where rounds of an engine disagree by over 5 % (the distance between
their quartiles over the median) more follow, at most --most-rounds; the spread is printed, and
rows are marked while which the machine was too busy. Floors come last, with what was measured:
one that is missed fails nothing. --isa: our kernels, and products beside the peak of its
instructions. ONNX Runtime comes from npm into build/ once, or is that of Python.
--cliff: this engine alone on models whose shapes change from run to run. --cold: new processes.
"""
import argparse
import json
import pathlib
import signal
import subprocess
import sys

import asked
import cold
import floors
import machine
import networks
import peers
import report
import rounds

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
    parser.add_argument("--rounds", type=int, default=5, help="at least; --cold: 7")
    parser.add_argument("--most-rounds", type=int, default=15, help="while rounds disagree")
    parser.add_argument("--seconds", type=float, default=0.5, help="of an engine in a round")
    parser.add_argument("--cliff", action="store_true",
                        help="what shapes that change cost, with floors; nothing else")
    parser.add_argument("--cold", action="store_true",
                        help="load and first answer in new processes; nothing else")
    parser.add_argument("--isa", default="", help="of our kernels")
    parser.add_argument("--peer", choices=("node", "python"), default="node",
                        help="whose package of ONNX Runtime")
    parser.add_argument("--json", action="store_true", help="all figures as JSON")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin",
                        help=argparse.SUPPRESS)
    return parser.parse_args()


def measure(network, engines, options, watch, result):
    """One network: agreement first, then rounds; fills result."""
    ferry, ort = engines[0], engines[1]
    network.inputs = ort.make_inputs(network)
    result["agreement"] = ort.compare(network, ferry.run(network))
    for threads in options.threads:
        looks = [watch.look()]

        def one_round():
            found = {}
            for engine in engines:
                if engine.name in result["refused"] or not engine.has(network):
                    continue
                try:
                    found[engine.name] = engine.time(network, threads, options.seconds)
                except peers.Failed as error:
                    if engine in (ferry, ort):
                        raise
                    result["refused"][engine.name] = str(error)
            looks.append(watch.look())
            return found

        samples = rounds.run(one_round, options.rounds, options.most_rounds)
        result["machine"][str(threads)] = watch.judge(looks, threads)
        result["threads"][str(threads)] = {
            name: report.summary(found) for name, found in samples.items()}


def table(found, engines, options, watch, kind):
    rows = []
    for network in found:
        print(f"{kind}: {network.name}", file=sys.stderr, flush=True)
        result = {"kind": kind, "network": network.name, "threads": {}, "machine": {},
                  "refused": {}}
        rows.append(result)
        try:
            measure(network, engines, options, watch, result)
        except peers.Failed as error:
            result["error"] = str(error)
        except KeyboardInterrupt:
            rows.pop()
            if not rows:
                raise
            print("stopped: what was measured so far follows", file=sys.stderr)
            break
    return rows


def of_bench(options, *words):
    """What ferry-bench prints as JSON; its status says nothing that the floors do not."""
    done = subprocess.run([str(word) for word in (options.bin / "ferry-bench", *words, "--json")],
                          check=False, capture_output=True, text=True)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        found = None
    if found is None or done.stderr.strip():
        print(done.stderr.strip(), file=sys.stderr)
    if found is None:
        raise peers.Failed(f"ferry-bench {words[0]} failed")
    return found


def watched(watch, measuring):
    """-> what measuring() gives, and what the machine did meanwhile."""
    looks = [watch.look()]
    found = measuring()
    looks.append(watch.look())
    return found, watch.judge(looks)


def cliff(options, watch):
    words = ["cliff", "--rounds", options.rounds] + (["--isa", options.isa] if options.isa else [])
    found, state = watched(watch, lambda: of_bench(options, *words))
    return {"machine": state}, [
        floors.Floor(row["name"], row["value"], row["limit"], at_most=True, unit=row["unit"],
                     note=row.get("note", ""), busy=bool(state["busy"]))
        for row in found["floors"]]


def products(options, watch):
    # One thread, by its processor time: a share of a peak that others had taken from is none.
    words = ["--group", "peak", "--group", "gemm", "--isa", options.isa, "--processor-time"]
    found, state = watched(watch, lambda: of_bench(options, *words))
    results, busy = found["results"], bool(state["busy"])
    return {"products": results, "products_machine": state}, [
        *asked.of_products(results, options.isa, busy),
        *asked.of_bfloat16(results, machine.host(), busy)]


def peer(options, work):
    return (peers.OnnxRuntimePython if options.peer == "python" else peers.OnnxRuntime)(work)


def all_networks(options, watch, work):
    """-> rows, engines."""
    engines = [peers.Ferry(options.bin / "ferry", work, options.isa), peer(options, work)]
    if options.mnn:
        engines.append(peers.Mnn(options.mnn, work))
    if options.ncnn:
        engines.append(peers.Ncnn(options.ncnn))
    rows = []
    if options.models or not options.int8:
        found = networks.find(options.models or networks.real_shapes(ROOT, work), options.filter,
                              work / "float32")
        rows += table(found, engines, options, watch, "float32")
    if options.int8:
        found = networks.find(options.int8, options.filter, work / "int8")
        eights = engines[:2] + ([peers.Ncnn(options.ncnn, int8=True)] if options.ncnn else [])
        if "amx_int8" in machine.host().flags and not options.isa:
            eights.append(peers.Ferry(options.bin / "ferry", work, "vnni", "ferry-vnni"))
        rows += table(found, eights, options, watch, "int8")
    return rows, engines


def compared(options, watch, work):
    """Networks beside the peer, and with --isa products beside the peak -> figures, floors."""
    figures, limits, host = {"networks": []}, [], machine.host()
    try:
        rows, engines = all_networks(options, watch, work)
        figures |= {"base_bytes": engines[1].base_bytes, "networks": rows}
        if not options.json:
            report.show(rows, engines, options.threads)
        limits += asked.of_networks(rows, options.threads, host, watch.cores, options.isa)
    except (peers.Failed, networks.Absent) as error:
        if not options.isa:
            raise
        print(f"SKIPPED, networks beside ONNX Runtime: {error}", file=sys.stderr)
    if options.isa:
        more, shares = products(options, watch)
        figures |= more
        limits += shares
    return figures, limits


def main():
    options = arguments()
    # Either ends the table after the networks that are whole; figures of long runs are not lost.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    work = ROOT / "build/bench-engine"
    work.mkdir(parents=True, exist_ok=True)
    watch = machine.Watch()
    try:
        if options.cliff:
            figures, limits = cliff(options, watch)
        elif options.cold:
            figures, limits = cold.measure(
                options, watch, work, lambda: peer(options, work),
                lambda: options.models or networks.real_shapes(ROOT, work))
        else:
            figures, limits = compared(options, watch, work)
    except (peers.Failed, networks.Absent) as error:
        sys.exit(f"tools/dev bench engine: {error}")
    except KeyboardInterrupt:
        sys.exit("tools/dev bench engine: stopped before anything was measured whole")
    if options.json:
        print(json.dumps({"host": str(machine.host()), "cores": watch.cores} | figures |
                         {"floors": [floor.as_json() for floor in limits]}, indent=2))
    else:
        print()
        print("\n".join(floors.lines(limits)))
        for reason in figures.get("machine", {}).get("busy", []):
            print(f"BUSY: {reason}")
    bad = [row for row in figures.get("networks", []) if report.is_wrong(row)]
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
