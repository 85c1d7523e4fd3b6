"""The task whose script runs: its folder or package, and the models that it names."""
import json
import os
import pathlib
import sys

_source = None
_runtime = None


def source():
    """A folder or package: set by `python3 -m ferry`, else FERRY_TASK, else the folder of the first script."""
    return pathlib.Path(_source or os.environ.get("FERRY_TASK") or pathlib.Path(sys.argv[0]).parent)


def use(path):
    global _source, _runtime
    _source, _runtime = path, None


def open_model(name, **options):
    """The ferry.Model under this name of the task."""
    if source().is_file():
        return _runtime_of_package().model(f"{_package()}:{name}", **options)
    from ferry._model import Model
    return Model(_file(name), **options)


def open_language_model(name):
    """The ferry.LanguageModel under this name."""
    from ferry._chat import LanguageModel
    if source().is_file():
        return LanguageModel(f"{_package()}:{name}", runtime=_runtime_of_package())
    return LanguageModel(_file(name))


def _file(name):
    description = source() / "task.json"
    models = json.loads(description.read_text()).get("models", {}) if description.exists() else {}
    if name not in models:
        raise LookupError(f'the task has no model "{name}"')
    return source() / models[name]


def _runtime_of_package():
    global _runtime
    if _runtime is None:
        from ferry._runtime import Runtime
        _runtime = Runtime(threads=1)
        _runtime.open_task(source())
    return _runtime


def _package():
    return next(iter(_runtime_of_package().status["tasks"]))
