"""What a model costs a process that has just begun: load, first answer, second answer.

Each figure is the median of new processes, ours and the peer's in turn; the files are in the page
cache. Ours are read through the SDK's library, as an app does.
"""
import json
import pathlib
import statistics
import sys

import networks
import peers
import rounds as going
from floors import Floor

ROUNDS = 7  # at least
ANSWER_RATIO, ANSWER_MORE_MS = 1.3, 10
OPEN_MS = 20
IMPORT_RATIO = 1.0
SMALL, LARGE = "mobilenet_v2", "bert_base_qa"
HERE = pathlib.Path(__file__).resolve().parent


def library(options):
    found = options.bin.parent / "lib/libferry_engine.so"
    if not found.is_file():
        raise peers.Failed(f"{found} is not built (target ferry_sdk_engine)")
    return found


def first(options, model, runs):
    """A new process of ours; {"open_ms", "session_ms", "runs_ms", "load_ms"}."""
    text = peers.run([sys.executable, "-B", HERE / "first.py", library(options), model, runs])
    found = json.loads(text)
    found["load_ms"] = found["open_ms"] + found["session_ms"]
    return found


def compiled(options, work, model):
    """The .fm file of a network, made anew, as the program may have changed."""
    target = work / "cold" / (model.stem + ".fm")
    target.parent.mkdir(exist_ok=True)
    peers.run([options.bin / "ferry", "convert", model, "-o", target])
    return target


def said(rounds, *keys):
    """The median of each key over rounds, with the spread of their sum."""
    sums = [sum(r[key] for key in keys) for r in rounds]
    return {"median_ms": statistics.median(sums), "spread": going.spread(sums),
            "range": (max(sums) - min(sums)) / statistics.median(sums), "rounds": len(sums)}


def taken(options, watch, threads, one_round):
    looks = [watch.look()]

    def watched():
        found = one_round()
        looks.append(watch.look())
        return found

    samples = going.run(watched, max(ROUNDS, options.rounds), options.most_rounds)
    return samples, watch.judge(looks, threads)


def answers(options, watch, work, model):
    fm = compiled(options, work, model)

    def one_round():
        found = first(options, fm, 2)
        found |= {"first_ms": found["runs_ms"][0], "second_ms": found["runs_ms"][1]}
        return {"ferry": found | {"median_ms": found["load_ms"] + found["first_ms"]}}

    samples, state = taken(options, watch, 1, one_round)
    ours = samples["ferry"]
    return {"file": fm.name, "machine": state,
            "load_and_first": said(ours, "load_ms", "first_ms"), "load": said(ours, "load_ms"),
            "first": said(ours, "first_ms"), "second": said(ours, "second_ms")}


def loads(options, watch, work, model, peer):
    """Opening the compiled file, and importing beside the peer's load."""
    fm = compiled(options, work, model)

    def one_round():
        opened, imported = first(options, fm, 0), first(options, model, 0)
        found = {"fm": opened | {"median_ms": opened["open_ms"]},
                 "onnx": imported | {"median_ms": imported["load_ms"]}}
        if peer:
            load_ms = peer.load(model.resolve(), 1)
            found[peer.name] = {"load_ms": load_ms, "median_ms": load_ms}
        return found

    samples, state = taken(options, watch, 1, one_round)
    found = {"file": model.name, "machine": state, "fm_open": said(samples["fm"], "open_ms"),
             "fm_load": said(samples["fm"], "load_ms"), "import": said(samples["onnx"], "open_ms"),
             "onnx_load": said(samples["onnx"], "load_ms")}
    if peer:
        found["peer_load"] = said(samples[peer.name], "load_ms")
    return found


def answer_floor(found):
    second = found["second"]["median_ms"]
    return Floor(f"{found['file']}: load and first answer",
                 found["load_and_first"]["median_ms"], ANSWER_RATIO * second + ANSWER_MORE_MS,
                 at_most=True, unit="ms", busy=bool(found["machine"]["busy"]),
                 note=f"{ANSWER_RATIO} times the second answer ({second:.1f} ms) + "
                      f"{ANSWER_MORE_MS} ms")


def load_floors(found):
    busy = bool(found["machine"]["busy"])
    ours, theirs = found["onnx_load"]["median_ms"], found.get("peer_load", {}).get("median_ms")
    name = pathlib.Path(found["file"]).stem
    return [Floor(f"{name}.fm: opens", found["fm_open"]["median_ms"], OPEN_MS, at_most=True,
                  unit="ms", busy=busy,
                  note=f"with a session {found['fm_load']['median_ms']:.1f} ms"),
            Floor(f"{name}.onnx: load over ONNX Runtime's", ours / theirs if theirs else None,
                  IMPORT_RATIO, at_most=True, busy=busy,
                  note=f"{ours:.0f} ms, theirs " +
                       (f"{theirs:.0f} ms" if theirs else "is absent"))]


def show(figures):
    print(f"{'':<42}{'median ms':>11}{'spread':>9}{'range':>9}{'rounds':>8}")
    for name, found in figures.items():
        for key, row in found.items():
            if isinstance(row, dict) and "median_ms" in row:
                print(f"{name + ', ' + key.replace('_', ' '):<42}{row['median_ms']:>11.2f}"
                      f"{row['spread']:>9.1%}{row['range']:>9.1%}{row['rounds']:>8}" +
                      ("  ~" if row["spread"] > going.SPREAD else ""))
        for reason in found["machine"]["busy"]:
            print(f"  BUSY: {reason}")


def measure(options, watch, work, make_peer, find_models):
    """-> figures, floors. What is absent is skipped, and said."""
    figures, limits = {}, []
    try:
        folder = find_models()
    except networks.Absent as error:
        print(f"SKIPPED, all of it: {error}", file=sys.stderr)
        return {"cold": figures}, limits
    try:
        peer = make_peer()
    except peers.Failed as error:
        peer = None
        print(f"SKIPPED, ONNX Runtime's load: {error}", file=sys.stderr)
    for name, part in ((SMALL, answers), (LARGE, loads)):
        model = pathlib.Path(folder) / f"{name}.onnx"
        if not model.is_file():
            print(f"SKIPPED, {name}: {model} is absent", file=sys.stderr)
            continue
        print(f"cold: {name}", file=sys.stderr, flush=True)
        if part is answers:
            figures[name] = answers(options, watch, work, model)
            limits.append(answer_floor(figures[name]))
        else:
            figures[name] = loads(options, watch, work, model, peer)
            limits += load_floors(figures[name])
    if figures and not options.json:
        show(figures)
    return {"cold": figures}, limits
