"""Runs recorded events through a task under CPython.

usage: python3 -m ferry FOLDER [--events FILE]

Prints one JSON object: {"outcomes": [{"event": n, "result": ..} or {"event": n, "error": {"type", "text"}}], "rows",
"metrics"}. Without --events the events are those of the task's simulation cases.
"""
import argparse
import importlib
import json
import pathlib
import sys
import traceback

from ferry import _backend, events, files, metrics, tables


def events_of(path):
    text = path.read_text()
    try:
        read = json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(read, list):
        return read
    if "cases" in read:
        return [event for case in read["cases"] for event in case["events"]]
    return read["events"] if "events" in read else [read]


def run_one(entry, matched):
    kept = len(events.rows)
    try:
        # As on the device: the result is what JSON can say.
        result = json.loads(json.dumps(entry(matched), allow_nan=False))
        tables.keep()
        return {"result": result}
    except Exception as e:
        traceback.print_exc()
        del events.rows[kept:]
        tables.forget()
        return {"error": {"type": type(e).__name__, "text": str(e)}}


def main():
    parser = argparse.ArgumentParser(prog="python3 -m ferry", description="run a task under CPython")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--events", type=pathlib.Path)
    arguments = parser.parse_args()
    task = json.loads((arguments.folder / "task.json").read_text())
    recorded = events_of(arguments.events or arguments.folder / task["simulation"]["cases"])
    events.sources = {stream["source"] for stream in task.get("streams", [])}
    files.folder = tables.folder = arguments.folder
    backend = _backend.start(arguments.folder)
    sys.path.insert(0, str(arguments.folder))
    module = importlib.import_module(task["script"].removesuffix(".py").replace("/", "."))
    entry = getattr(module, task.get("entry", "on_trigger"))
    outcomes = []
    for number, event in enumerate(recorded):
        matched = backend.matched(event)
        if matched is not None:
            outcomes.append({"event": number, **run_one(entry, matched)})
    json.dump({"outcomes": outcomes, "rows": events.rows, "metrics": metrics.snapshot()}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
