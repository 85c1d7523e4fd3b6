"""Loads the extension: from the package, or from where a build of the checkout has put it."""
import importlib.machinery
import importlib.util
import os
import sys

_FILE = "_ferry.abi3.so"


def _folders():
    """Where it may lie, in order; FERRY_LIBRARY (a folder, or a file in it) is the only one when it is set."""
    given = os.environ.get("FERRY_LIBRARY")
    if given:
        return [os.path.dirname(given) if os.path.isfile(given) else given]
    here = os.path.dirname(os.path.abspath(__file__))
    builds = os.path.join(here, os.pardir, os.pardir, os.pardir, "build")
    found = [here]
    if os.path.isdir(builds):
        # What is shipped comes first; others may want a sanitizer's own library in the process.
        names = sorted(os.listdir(builds), key=lambda name: (name not in ("release", "unity"), name))
        found += [os.path.normpath(os.path.join(builds, name, "lib")) for name in names]
    return found


def _load():
    folders = _folders()
    for folder in folders:
        path = os.path.join(folder, _FILE)
        if os.path.isfile(path):
            break
    else:
        raise ImportError(
            f"Ferry's extension {_FILE} is not built: it is not in {', '.join(folders)}. Install the wheel, or in a "
            "checkout run `tools/dev build ferry_python`, or name its folder by FERRY_LIBRARY.", name="ferry._ferry")
    loader = importlib.machinery.ExtensionFileLoader("ferry._ferry", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("ferry._ferry", loader, origin=path))
    loader.exec_module(module)
    sys.modules["ferry._ferry"] = module
    return module


native = _load()
