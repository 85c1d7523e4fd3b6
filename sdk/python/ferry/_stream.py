"""Streams: rows through operators, without a package."""
import json

from ferry._native import native
from ferry._runtime import _text


class Stream:
    """A graph of streams, [{"name", "source", "operators": [..], "app": True}, ..]; the functions of the module
    ferry.stream make operators."""

    def __init__(self, streams):
        self._handle = native.stream_open(_text(streams if isinstance(streams, str) else list(streams)))

    def send(self, source, row):
        native.stream_send(self._handle, source, _text(row))

    def send_event(self, event):
        native.stream_send_event(self._handle, _text(event))

    def advance(self, time_ms):
        native.stream_advance(self._handle, time_ms)

    def end(self):
        """Event time is over: all windows close."""
        native.stream_advance(self._handle, -1)

    def read(self, most=0):
        """Takes the rows that have left streams with "app": [(stream, row), ..]."""
        rows = json.loads(native.stream_read(self._handle, most))
        return [(one["stream"], one["row"]) for one in rows]

    @property
    def status(self):
        return json.loads(native.stream_status(self._handle))

    def close(self):
        self._handle.close()

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()
