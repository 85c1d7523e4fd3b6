"""The process `ferry task backend`, where the library has no call for it: triggers and rules, and tokens of language
models; and stand-ins for the objects that live in it."""
import builtins
import json
import os
import pathlib
import subprocess
import weakref

from ferry import _task


class Backend:
    """One task's backend. `folder`: the task's folder or package."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        program = os.environ.get("FERRY_CLI", "ferry")
        self.process = subprocess.Popen([program, "task", "backend", str(folder)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.stop = weakref.finalize(self, _stop, self.process)

    def ask(self, request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RuntimeError(f"ferry task backend ended with status {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            kind = getattr(builtins, answer["error"], None)
            if not (isinstance(kind, type) and issubclass(kind, Exception)):
                kind = RuntimeError
            raise kind(answer["text"])
        return answer

    def module(self, name):
        return Remote(self, name, f"<module ferry.{name}>")

    def on_event(self, event):
        """What an event leads to: {"starts": [{"function", "argument", "time_ms"}], "rows"}."""
        return self.ask({"op": "event", "event": event})

    def on_row(self, source, row, time_ms):
        """The same for a row that a function emitted."""
        return self.ask({"op": "emit", "source": source, "row": row, "time_ms": time_ms})

    def at_end(self):
        """The same for the end of the recording: windows close, rules stop waiting."""
        return self.ask({"op": "end"})

    def pack(self, value):
        if isinstance(value, Remote):
            return {"o": value._on}
        if value is None or isinstance(value, (bool, int, str)):
            return {"v": value}
        if isinstance(value, float):
            return {"v": value} if value - value == 0 else {"f": repr(value)}
        if isinstance(value, (list, tuple)):
            return {"l" if isinstance(value, list) else "t": [self.pack(v) for v in value]}
        if isinstance(value, dict):
            return {"d": [[self.pack(k), self.pack(v)] for k, v in value.items()]}
        raise TypeError(f"a {type(value).__name__} does not go into Ferry")

    def unpack(self, x):
        if "v" in x:
            return x["v"]
        if "f" in x:
            return float(x["f"])
        if "l" in x:
            return [self.unpack(v) for v in x["l"]]
        if "t" in x:
            return tuple(self.unpack(v) for v in x["t"])
        if "d" in x:
            return {self.unpack(k): self.unpack(v) for k, v in x["d"]}
        return Remote(self, x["o"], x["repr"])


def _stop(process):
    process.stdin.close()
    process.stdout.close()
    process.wait()


class Remote:
    """An object of the backend: attributes, calls of methods, len() and [] go there."""

    def __init__(self, backend, on, text):
        self._backend, self._on, self._text = backend, on, text

    def _ask(self, op, **more):
        return self._backend.ask({"op": op, "on": self._on, **more})

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        answer = self._ask("get", name=name)
        if "ok" in answer:
            return self._backend.unpack(answer["ok"])

        def method(*args, **kwargs):
            pack = self._backend.pack
            answer = self._ask("call", name=name, args=[pack(a) for a in args],
                               kwargs={k: pack(v) for k, v in kwargs.items()})
            return self._backend.unpack(answer["ok"])
        method.__name__ = name
        return method

    def __len__(self):
        return self._ask("len")["ok"]["v"]

    def __getitem__(self, key):
        return self._backend.unpack(self._ask("item", key=self._backend.pack(key))["ok"])

    def __bool__(self):
        return True

    def __repr__(self):
        return self._text


_current = None


def current():
    """The backend of the task that runs."""
    global _current
    if _current is None:
        _current = Backend(_task.source())
    return _current


def start(folder):
    global _current
    _current = Backend(folder)
    return _current
