#!/usr/bin/env python3
"""Packs the Python package into a wheel: its modules and stubs, the extension, and libferry beside it.

usage: sdk/python/wheel.py LIBRARIES -o FOLDER

LIBRARIES is the folder of a build that has _ferry.abi3.so and libferry.so.0. Prints the wheel's path. The same files give
the same bytes. Nothing is fetched, and no other package is needed.
"""
import argparse
import base64
import hashlib
import pathlib
import re
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXTENSION, LIBRARY = "_ferry.abi3.so", "libferry.so.0"
MODES = {".so": 0o755, ".0": 0o755}
EPOCH = (1980, 1, 1, 0, 0, 0)


def version():
    return re.search(r"project\(ferry VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def tag():
    return f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def metadata():
    return (f"Metadata-Version: 2.1\nName: ferry\nVersion: {version()}\n"
            "Summary: Models, tasks and language models on this machine\n"
            "License: see LICENSE\nRequires-Python: >=3.11\n"
            "Provides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n"
            "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text())


def contents(libraries):
    """{path in the wheel: bytes}, the record apart."""
    files = {}
    for path in sorted((HERE / "ferry").rglob("*")):
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            files[f"ferry/{path.relative_to(HERE / 'ferry').as_posix()}"] = path.read_bytes()
    for name in (EXTENSION, LIBRARY):
        path = libraries / name
        if not path.is_file():
            sys.exit(f"wheel.py: {path} is missing: tools/dev build ferry_python")
        files[f"ferry/{name}"] = path.read_bytes()
    info = f"ferry-{version()}.dist-info"
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: ferry\nRoot-Is-Purelib: false\nTag: {tag()}\n").encode()
    return files


def record(files, name):
    lines = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{name},,\n"]).encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", type=pathlib.Path, help="folder with _ferry.abi3.so and libferry.so.0")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder for the wheel")
    arguments = parser.parse_args()
    files = contents(arguments.libraries)
    name = f"ferry-{version()}.dist-info/RECORD"
    files[name] = record(files, name)
    arguments.output.mkdir(parents=True, exist_ok=True)
    wheel = arguments.output / f"ferry-{version()}-{tag()}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = (0o100000 | MODES.get(pathlib.Path(path).suffix, 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(wheel)


if __name__ == "__main__":
    main()
