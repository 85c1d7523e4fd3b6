"""Finds the package `ferry` and its extension for the suites of Python's binding.

With NumPy they test more: where the interpreter of the build has none, Debian's runs them.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/unity/bin")).resolve()
LIBRARIES = pathlib.Path(os.environ.get("FERRY_LIBRARY", BIN.parent / "lib")).resolve()
PACKAGE = ROOT / "sdk/python"
DEBIAN = "/usr/bin/python3"
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{PACKAGE}:{ROOT / 'tests/sdk'}", "FERRY_LIBRARY": str(LIBRARIES), "FERRY_CLI": str(BIN / "ferry"),
               "FERRY_LOG": "error", "PYTHONDONTWRITEBYTECODE": "1"}


def begin():
    """To be called first: the process goes on with the package in reach, or ends and says what is missing."""
    if not (LIBRARIES / "_ferry.abi3.so").exists():
        print(f"SKIPPED: no _ferry.abi3.so in {LIBRARIES}; it needs python3-dev when the build is configured",
              file=sys.stderr)
        sys.exit(0)
    if sys.version_info < (3, 11):
        print(f"SKIPPED: Python {sys.version}, the package needs 3.11", file=sys.stderr)
        sys.exit(0)
    if not has_numpy(sys.executable) and sys.executable != DEBIAN and has_numpy(DEBIAN):
        sys.stderr.flush()
        os.execve(DEBIAN, [DEBIAN, *sys.argv], ENVIRONMENT)
    os.environ.update(ENVIRONMENT)
    sys.path.insert(0, str(PACKAGE))
    if not has_numpy(sys.executable):
        print("SKIPPED in part: no NumPy (python3-numpy)", file=sys.stderr)


def has_numpy(program):
    return subprocess.run([program, "-c", "import sys, numpy; sys.exit(sys.version_info < (3, 11))"],
                          capture_output=True).returncode == 0


def run(text, *arguments, **options):
    """A program of its own, with the package in reach."""
    return subprocess.run([sys.executable, "-c", text, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          env=ENVIRONMENT, **options)


def pack(folder, *arguments):
    """The task of a folder of tasks/ as a package in `folder`."""
    package = pathlib.Path(folder) / f"{arguments[0]}.fpk"
    subprocess.run([BIN / "ferry", "pack", ROOT / "tasks" / arguments[0], "-o", package], check=True, capture_output=True,
                   env=ENVIRONMENT)
    return package
