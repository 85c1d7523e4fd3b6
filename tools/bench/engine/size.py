#!/usr/bin/env python3
"""The size of the engine and the script runtime as a program would carry them.

usage: tools/dev bench size [--json]

Without system libraries, importers, language models and the agent, all stripped:

program   every function of the static libraries of the rooms below, used or not, linked into a
          program: what is compared with the limit
library   the same as a shared library that exports every name
smallest  what a program carries that loads a model file, runs it and runs a script

"without scripts": the same without the virtual machine. Fails when the program is above the limit.

The task VM alone, with its library and without the rooms it stands on, in a program that runs
scripts: with the compiler and as FERRY_VM_COMPILER=OFF builds it.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
ENGINE = ["common/base", "common/sys", "device-runtime/tensor", "device-runtime/ir",
          "device-runtime/ops", "device-runtime/passes", "device-runtime/kernels",
          "device-runtime/backends", "device-runtime/engine"]
SCRIPTS = ["device-runtime/vm", "device-runtime/vm/embed"]
NAMES = {"device-runtime/vm/embed": "device-runtime/vm/embed/libferry_device_runtime_vm_modules.a",
         "bytecode_only":
         "device-runtime/vm/bytecode_only/libferry_device_runtime_vm_bytecode_only.a"}
LIMIT = 4_000_000
VM_AIMS = {"with the compiler": 1_300_000, "bytecode only": 900_000}

EMPTY = "int main() {}\n"
ENGINE_PROGRAM = """
#include "common/sys/filesystem.h"
#include "device-runtime/engine/engine.h"
bool RunModel(const char* path) {
  auto file = ferry::sys::SystemFileSystem().Map(path);
  if (!file.ok()) return false;
  const std::shared_ptr<const ferry::sys::MappedFile> mapped = *std::move(file);
  auto model = ferry::engine::Model::FromBytes(mapped->bytes(), mapped);
  if (!model.ok()) return false;
  auto session = ferry::engine::Session::Create(*model);
  return session.ok() && (*session)->Run({}).ok();
}
"""
SCRIPT_PROGRAM = """
#include "device-runtime/vm/isolate.h"
bool RunScript(const char* text) {
  auto isolate = ferry::vm::Isolate::Create({});
  return isolate.ok() && (*isolate)->RunSource(text, "script").ok();
}
"""


TASK_PROGRAM = """
#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/schedule/scheduler.h"
int main(int, char** a) {
  auto isolate = ferry::vm::Isolate::Create({});
  ferry::vm::Scheduler scheduler({});
  return isolate.ok() && scheduler.RunHere({}, [&](ferry::vm::Pacer& pacer) {
    (*isolate)->SetPacer(&pacer);
    return (*isolate)->RunMain(a[1], "script").status();
  }).ok();
}
"""


def output(*command, **kwargs):
    return subprocess.run(command, check=True, capture_output=True, text=True, **kwargs).stdout


def archive_of(build, room):
    name = room.replace("/", "_").replace("-", "_")
    path = build / NAMES.get(room, f"{room}/libferry_{name}.a")
    if not path.is_file():
        sys.exit(f"tools/dev bench size: {path} is not built")
    return path


def code_and_data(archive):
    """Bytes of an archive that are loaded, as `size` counts them."""
    rows = output("size", str(archive)).splitlines()[1:]
    return sum(int(row.split()[0]) + int(row.split()[1]) for row in rows)


class Linker:
    """Links the archives of some rooms; what system libraries would give stays open."""

    def __init__(self, build, folder, rooms):
        self.out = pathlib.Path(folder) / "linked"
        self.include = ["-std=c++20", "-O2", f"-I{ROOT}", f"-I{build / 'gen'}"]
        self.archives = [str(archive_of(build, room)) for room in rooms]
        self.whole = ["-Wl,--whole-archive", *self.archives, "-Wl,--no-whole-archive"]

    def link(self, *arguments, source=None):
        output("c++", "-s", "-o", str(self.out), *arguments, input=source)
        return self.out.stat().st_size

    def program(self, source, *archives):
        return self.link(*self.include, "-x", "c++", "-", "-x", "none", *archives,
                         "-Wl,--unresolved-symbols=ignore-all", source=source)

    def used(self, source):
        """A program of what `source` uses of the archives; relative relocations are packed."""
        return self.program(source, "-Wl,--start-group", *self.archives, "-Wl,--end-group",
                            "-Wl,--gc-sections", "-Wl,-z,pack-relative-relocs")

    def sizes(self, source):
        used = ["-Wl,--start-group", *self.archives, "-Wl,--end-group", "-Wl,--gc-sections"]
        return {"program_bytes": self.program(EMPTY, *self.whole),
                "library_bytes": self.link("-shared", *self.whole),
                "smallest_bytes": self.program(source, *used)}


def main():
    parser = argparse.ArgumentParser(prog="tools/dev bench size", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rooms = {room: code_and_data(archive_of(options.build, room)) for room in ENGINE + SCRIPTS}
    runs = "int main(int, char** a) { return RunModel(a[1])"
    with tempfile.TemporaryDirectory() as folder:
        both = Linker(options.build, folder, ENGINE + SCRIPTS).sizes(
            ENGINE_PROGRAM + SCRIPT_PROGRAM + runs + " && RunScript(a[2]); }\n")
        engine = Linker(options.build, folder, ENGINE).sizes(ENGINE_PROGRAM + runs + "; }\n")
        rest = ["device-runtime/vm/embed"]
        tasks = {"with the compiler":
                 Linker(options.build, folder, ["device-runtime/vm", *rest]).used(TASK_PROGRAM),
                 "bytecode only":
                 Linker(options.build, folder, ["bytecode_only", *rest]).used(TASK_PROGRAM)}
    if options.json:
        print(json.dumps({"rooms": rooms, "engine_and_scripts": both, "engine": engine,
                          "limit_bytes": LIMIT, "task_vm": tasks, "task_vm_aims": VM_AIMS},
                         indent=2))
    else:
        print("code and data of each room's library, before the linker drops what is double:")
        for room, count in rooms.items():
            print(f"  {room:<26}{count:>10,}")
        print(f"{'stripped, in bytes':<22}{'program':>12}{'library':>12}{'smallest':>12}")
        for name, sizes in (("engine and scripts", both), ("without scripts", engine)):
            print(f"  {name:<20}" + "".join(f"{count:>12,}" for count in sizes.values()))
        print(f"limit of the program  {LIMIT:>12,}")
        print("the task VM with its library:")
        for name, count in tasks.items():
            print(f"  {name:<20}{count:>12,}   aim {VM_AIMS[name]:,}")
    sys.exit(0 if both["program_bytes"] <= LIMIT else 1)


if __name__ == "__main__":
    main()
