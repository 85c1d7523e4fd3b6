"""Runs recorded events through a task under CPython.

usage: python3 -m ferry FOLDER [--events FILE]

Prints one JSON object: {"outcomes": [{"event": n, "result": ..} or {"event": n, "error": {"type", "text"}}], "rows",
"metrics"}; "rows" are those that the script emitted. Of a task with rules, tables or ferry.stream each outcome has its
"function", and "left" lists the rows that leave streams for the tunnel or the app. Without --events the events are those of the task's simulation cases.
"""
import argparse
import collections
import importlib
import json
import pathlib
import sys
import traceback

from ferry import _backend, _task, events, files, metrics, stream, tables
from ferry._errors import Error


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


def run_one(function, argument):
    kept = len(events.rows)
    try:
        # As on the device: the result is what JSON can say.
        result = json.loads(json.dumps(function(argument), allow_nan=False))
        tables.keep()
        return {"result": result}
    except Exception as e:
        traceback.print_exc()
        del events.rows[kept:]
        tables.forget()
        return {"error": error_of(e)}


def error_of(error):
    """As scripts see it on the device: Ferry's own errors are Python's."""
    if not isinstance(error, Error):
        return {"type": type(error).__name__, "text": str(error)}
    kind = next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")
    return {"type": kind, "text": f"{error.name}: {error}" if kind == "RuntimeError" else str(error)}


def sources_of(task):
    """The names under which scripts may emit, those of stream.stream() in the script among them."""
    found = set()
    for spec in task.get("streams", []) + [one["spec"] for one in stream.declared if one["kind"] == "stream"]:
        sources = spec["source"] if isinstance(spec["source"], list) else [spec["source"]]
        found.update(sources, (op["with"] for op in spec.get("operators", []) if "with" in op))
    return found


class Run:
    """Functions of the module run as the backend's flow says; what they emit goes back to it."""

    def __init__(self, backend, module, with_rows):
        self.backend, self.module, self.with_rows = backend, module, with_rows
        self.outcomes, self.left = [], []

    def take(self, number, answer):
        waiting = collections.deque([answer])
        while waiting:
            answer = waiting.popleft()
            self.left += answer["rows"]
            for start in answer["starts"]:
                seen = len(events.rows)
                outcome = run_one(getattr(self.module, start["function"]), start["argument"])
                named = {"function": start["function"]} if self.with_rows else {}
                self.outcomes.append({"event": number, **named, **outcome})
                for source, row in events.rows[seen:]:
                    waiting.append(self.backend.on_row(source, row, start["time_ms"]))


def main():
    parser = argparse.ArgumentParser(prog="python3 -m ferry", description="run a task under CPython")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--events", type=pathlib.Path)
    arguments = parser.parse_args()
    task = json.loads((arguments.folder / "task.json").read_text())
    recorded = events_of(arguments.events or arguments.folder / task["simulation"]["cases"])
    files.folder = tables.folder = arguments.folder
    _task.use(arguments.folder)
    backend = _backend.start(arguments.folder)
    sys.path.insert(0, str(arguments.folder))
    module = importlib.import_module(task["script"].removesuffix(".py").replace("/", "."))
    events.sources = sources_of(task)
    flows = "trigger" not in task or "rules" in task or "tables" in task or bool(stream.declared)
    run = Run(backend, module, flows)
    for number, event in enumerate(recorded):
        run.take(number, backend.on_event(event))
    answer = {"outcomes": run.outcomes, "rows": events.rows, "metrics": metrics.snapshot()}
    if flows:
        run.take(len(recorded), backend.at_end())
        answer["left"] = run.left
    json.dump(answer, sys.stdout)
    print()


if __name__ == "__main__":
    main()
