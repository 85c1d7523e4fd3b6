#!/usr/bin/env python3
"""The size of the engine and the script runtime as a program would carry them.

usage: tools/dev bench size [--json]

Links every function of the rooms below, used or not, without system libraries, importers, language
models and the agent, and strips the result; a program that links the static libraries carries at
most that. Fails when it is above the limit.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
ROOMS = ["common/base", "common/sys", "device-runtime/tensor", "device-runtime/ir",
         "device-runtime/ops", "device-runtime/passes", "device-runtime/kernels",
         "device-runtime/backends", "device-runtime/engine", "device-runtime/vm"]
LIMIT = 4_000_000


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def archive_of(build, room):
    name = room.replace("/", "_").replace("-", "_")
    path = build / room / f"libferry_{name}.a"
    if not path.is_file():
        sys.exit(f"tools/dev bench size: {path} is not built")
    return path


def code_and_data(archive):
    """Bytes of an archive that are loaded, as `size` counts them."""
    rows = output("size", str(archive)).splitlines()[1:]
    return sum(int(row.split()[0]) + int(row.split()[1]) for row in rows)


def main():
    parser = argparse.ArgumentParser(prog="tools/dev bench size", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    archives = {room: archive_of(options.build, room) for room in ROOMS}
    rooms = {room: code_and_data(archive) for room, archive in archives.items()}
    with tempfile.TemporaryDirectory() as folder:
        linked = pathlib.Path(folder) / "engine.so"
        output("c++", "-shared", "-s", "-o", str(linked), "-Wl,--whole-archive",
               *map(str, archives.values()), "-Wl,--no-whole-archive")
        total = linked.stat().st_size
    if options.json:
        print(json.dumps({"rooms": rooms, "linked_bytes": total, "limit_bytes": LIMIT}, indent=2))
    else:
        print("code and data of each room's library, before the linker drops what is double:")
        for room, count in rooms.items():
            print(f"  {room:<26}{count:>10,}")
        print(f"linked whole and stripped   {total:>10,} bytes (limit {LIMIT:,})")
    sys.exit(0 if total <= LIMIT else 1)


if __name__ == "__main__":
    main()
