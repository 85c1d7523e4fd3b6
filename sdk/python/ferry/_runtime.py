"""The runtime: tasks, the agent, tables; and policies."""
import json
import os
from typing import NamedTuple

from ferry._native import native

version = native.version
code_name = native.code_name


def _text(value):
    """JSON as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, allow_nan=False)


def _json(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _milliseconds(seconds):
    return -1 if seconds is None else int(seconds * 1000)


class Runtime:
    """Runs tasks in this process, on its own or with a server. Any thread may call; results come on one of its own."""

    def __init__(self, on_result=None, *, threads=0, outbox=None, kv_bytes=0, at_rest_key=None):
        call = None if on_result is None else lambda text: on_result(json.loads(text))
        outbox = None if outbox is None else os.fspath(outbox)
        self._handle = native.runtime_create(threads, outbox, kv_bytes, at_rest_key, call)

    def open_task(self, package):
        native.task_open(self._handle, os.fspath(package))

    def start_agent(self, directory, *, join_token=None, profile=None, push=True, poll_ms=0, at_rest_key=None,
                    forget_sealed=False):
        profile = None if profile is None else _text(profile)
        native.agent_start(self._handle, os.fspath(directory), join_token, profile, push, poll_ms, at_rest_key,
                           forget_sealed)

    def send(self, event, *, durable=False):
        (native.event_send_durable if durable else native.event_send)(self._handle, _text(event))

    def have_text(self):
        """For any request of the app to its own server; empty while there is none."""
        return native.have_text(self._handle)

    def take_text(self, text):
        """What its server got for it at POST /api/v1/have."""
        native.take_text(self._handle, text)

    def set_conditions(self, **conditions):
        native.conditions_set(self._handle, _json(conditions))

    def flush(self, timeout=None):
        native.flush(self._handle, 1 << 40 if timeout is None else _milliseconds(timeout))

    def call(self, package, function, argument=None):
        return native.task_call(self._handle, package, function, _json(argument))

    def read_file(self, package, name):
        return native.file_read(self._handle, package, name)

    def table(self, name, package=None):
        return Table(self, name, package)

    def model(self, name, *, verify=False, **options):
        """The model "package:model" of a task that was opened here or that the agent has installed."""
        from ferry._model import Model
        return Model._of(native.engine_open_package(self._handle, name, verify), options)

    def language_model(self, name):
        """A folder, a .flm file, or "package:model"."""
        from ferry._chat import LanguageModel
        return LanguageModel(name, runtime=self)

    def set_consent(self, given):
        native.consent_set(self._handle, given)

    def erase_data(self):
        return json.loads(native.data_erase(self._handle))

    @property
    def status(self):
        return json.loads(native.status(self._handle))

    def close(self):
        """Finishes the events sent so far and closes open windows and the line to the server."""
        self._handle.close()

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()


class Table:
    """A table of tasks, as their scripts have it in ferry.tables. A write is on the disk when it returns."""

    def __init__(self, runtime, name, package=None):
        self._handle, self._package, self.name = runtime._handle, package, name

    def get(self, *key):
        return json.loads(native.table_get(self._handle, self._package, self.name, _json(key)))

    def put(self, row):
        native.table_put(self._handle, self._package, self.name, _json(row))

    def delete(self, *key):
        native.table_delete(self._handle, self._package, self.name, _json(key))

    def range(self, prefix=(), limit=10_000, descending=False):
        query = {"prefix": list(prefix), "limit": limit, "descending": descending}
        return json.loads(native.table_range(self._handle, self._package, self.name, _json(query)))


class Match(NamedTuple):
    """True or false as the rule says, with the first condition that failed in words."""
    matches: bool
    reason: str

    def __bool__(self):
        return self.matches


class Policy:
    """A rule over devices. ferry.Error with "bad_rule" names line and column."""

    def __init__(self, rule):
        native.policy_matches(rule, "{}", "")
        self.rule = rule

    def matches(self, attributes, salt=""):
        return Match(*native.policy_matches(self.rule, _text(attributes), salt))
