"""Apps outside of Ferry's tree: what `cmake --install` gives is enough to build and run them, shared and static, by
CMake and by pkg-config, in C99 and C++20; headers of released versions compile and run with today's library; README's
code runs; only ferry_* is visible and every function of the table is.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["FERRY_BIN"]).resolve()
BUILD = BIN.parent
OUTSIDE = ROOT / "tests/sdk/outside"
MODEL = ROOT / "tasks/digits/digits.onnx"
MEGABYTE = 1_000_000
# Sizes of the stripped shared libraries that no change may pass unseen; tools/bench/sdk/sdk.py has the floors.
MOST_BYTES = {"libferry_engine.so": 4 * MEGABYTE, "libferry.so": 8 * MEGABYTE}
# What the engine may need beside the system's loader.
ENGINE_NEEDS = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libz.so.1", "libzstd.so.1"}

sys.path.insert(0, str(ROOT / "sdk"))
import functions  # noqa: E402


def run(*command, **more):
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, timeout=500, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(str(one) for one in command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="ferry-install-"))
        cls.prefix = cls.folder / "prefix"
        for component in ("library", "development"):
            run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", component)
        cls.lib = next(cls.prefix.glob("lib/**/libferry.so")).parent
        cls.package = cls.folder / "digits.fpk"
        run(BIN / "ferry", "pack", ROOT / "tasks/digits", "-o", cls.package)
        # Nothing of the tree may be found by accident.
        cls.environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(cls.lib), "HOME": str(cls.folder),
                           "PKG_CONFIG_PATH": str(cls.lib / "pkgconfig")}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def check_engine(self, program):
        self.assertEqual(run(program, MODEL, env=self.environment).split(), ["0.1.0", "10", "1.000"])

    def check_runtime(self, program):
        result = json.loads(run(program, self.package, env=self.environment).splitlines()[-1])
        self.assertEqual(result["package"], "digits")
        self.assertIn("digit", result["result"])

    def build_by_cmake(self, static):
        build = self.folder / f"cmake-{static}"
        run("cmake", "-S", OUTSIDE, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DSTATIC={static}",
            env=self.environment)
        run("cmake", "--build", build, env=self.environment)
        for program in ("engine_c", "engine_cpp"):
            self.check_engine(build / program)
        for program in ("runtime_c", "llm_c"):
            self.check_runtime(build / program)
        return build

    def test_cmake_shared(self):
        build = self.build_by_cmake("OFF")
        self.assertIn("libferry.so.0", run("readelf", "-d", build / "runtime_c"))

    def test_cmake_static(self):
        build = self.build_by_cmake("ON")
        self.assertNotIn("libferry", run("readelf", "-d", build / "runtime_c"))

    def test_cmake_names_an_unknown_component(self):
        source = self.folder / "unknown"
        source.mkdir()
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(x LANGUAGES CXX)\n"
                                               "find_package(Ferry REQUIRED COMPONENTS motor)\n")
        done = subprocess.run(["cmake", "-S", source, "-B", source / "b", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                              capture_output=True, text=True, timeout=120)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no component 'motor'", " ".join(done.stderr.split()))

    def flags(self, *words):
        return run("pkg-config", *words, env=self.environment).split()

    def test_pkg_config(self):
        strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        for kind, more in (("shared", []), ("static", ["--static"])):
            for source, package, compiler, check in (
                    ("engine.c", "ferry_engine", ["gcc", "-std=c99"], self.check_engine),
                    ("engine.cc", "ferry_engine", ["g++", "-std=c++20", "-fno-exceptions"], self.check_engine),
                    ("runtime.c", "ferry", ["gcc", "-std=c99"], self.check_runtime)):
                with self.subTest(kind=kind, source=source):
                    program = self.folder / f"{kind}-{source}".replace(".", "-")
                    libraries = self.flags("--libs", *more, package)
                    if more:  # the archive, not the shared library beside it
                        libraries = [str(self.lib / f"lib{package}.a") if one == f"-l{package}" else one
                                     for one in libraries]
                    run(*compiler, *strict, *self.flags("--cflags", package), OUTSIDE / source, "-o", program, *libraries)
                    check(program)

    def test_headers_of_released_versions_run_with_todays_library(self):
        released = sorted((ROOT / "tests/sdk/released").iterdir())
        self.assertTrue(released)
        for version in released:
            with self.subTest(version=version.name):
                program = self.folder / f"released-{version.name}"
                run("gcc", "-std=c99", f"-I{version}", OUTSIDE / "released.c", "-o", program, f"-L{self.lib}", "-lferry")
                self.assertEqual(run(program, self.package, env=self.environment), "ok\n")

    def test_only_the_api_is_visible_and_all_of_it(self):
        table = json.loads((ROOT / "sdk/functions.json").read_text())
        for library, component in (("libferry_engine", {"engine"}), ("libferry", {"engine", "runtime"})):
            expected = {row["name"] for row in table if row["component"] in component}
            for file in (f"{library}.so", f"{library}.a"):
                with self.subTest(file=file):
                    shown = run("nm", *(["-D"] if file.endswith(".so") else []), "--defined-only", "--extern-only",
                                self.lib / file)
                    names = {line.split()[-1].split("@")[0] for line in shown.splitlines()
                             # Constants of inline functions (u) are the same in every program that has them.
                             if len(line.split()) == 3 and line.split()[1] != "u"}
                    self.assertEqual(names - {"FERRY_0"}, expected)

    def test_the_table_holds_for_header_and_languages(self):
        run(sys.executable, ROOT / "sdk/functions.py")

    def test_the_table_finds_what_is_missing(self):
        text = functions.HEADER.read_text() + "FERRY_API int ferry_new_thing(const char* name, int (*call)(void*, int));"
        declared = functions.declared_functions(text)
        self.assertEqual(declared["ferry_new_thing"], ("int", [("const char*", "name"), ("int(*)(void*, int)", "call")]))
        table = {row["name"]: row for row in json.loads((ROOT / "sdk/functions.json").read_text())}
        table["ferry_gone"] = table["ferry_version"]
        table["ferry_flush"] = {**table["ferry_flush"], "returns": "void"}
        findings = "\n".join(functions.check_table(table, declared))
        for one in ("no row for ferry_new_thing", "ferry.h has no ferry_gone", "ferry_flush returns int"):
            self.assertIn(one, findings)

    def test_the_engine_needs_little_and_is_small(self):
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", self.lib / "libferry_engine.so")))
        self.assertEqual(needed - ENGINE_NEEDS - {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}, set())
        for library, most in MOST_BYTES.items():
            stripped = self.folder / library
            run("strip", "-o", stripped, self.lib / library)
            self.assertLessEqual(stripped.stat().st_size, most, library)

    def test_what_is_thrown_reaches_its_handler(self):
        library = BIN.parent / "lib/libferry.so"
        frames = re.findall(r"FDE .*pc=([0-9a-f]+)\.\.", run("readelf", "--debug-dump=frames", library))
        known = {int(start, 16) for start in frames}
        catching = [line.split(" ", 2) for line in run("nm", "--demangle", "--defined-only", library).splitlines()
                    if re.search(r"^[0-9a-f]+ [tTwW] (ferry::(net|package)::|boost::asio::)", line)]
        self.assertGreater(len(catching), 300)
        self.assertEqual([name for at, _, name in catching if int(at, 16) not in known], [])

    def test_the_header_alone_compiles(self):
        alone = self.folder / "alone"
        alone.mkdir()
        shutil.copy(ROOT / "device-runtime/api/ferry.h", alone)
        (alone / "main.c").write_text('#include "ferry.h"\nint main(void) { return FERRY_kOk; }\n')
        for compiler in (["gcc", "-std=c99"], ["g++", "-x", "c++", "-std=c++17"]):
            run(*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", alone / "main.c", "-o", alone / "main")

    def follow(self, page):
        """What a page of examples/ has to save and to type; what its commands print."""
        work = self.folder / page.parent.name
        work.mkdir()
        shutil.copy(MODEL, work / "digits.onnx")
        shutil.copy(self.package, work / "digits.fpk")
        text = page.read_text()
        self.assertLessEqual(len(text.splitlines()), 60, page)
        for name, language in re.findall(r"`([\w.]+)`[^`]*\n```(c|cpp|cmake)\n", text.replace("(`ferry pack tasks/digits -o digits.fpk`)", "")):
            (work / name).write_text(re.search(rf"```{language}\n(.*?)```", text, flags=re.S)[1])
        commands = re.search(r"```sh\n(.*?)```", text, flags=re.S)[1]
        return run("bash", "-euc", commands, cwd=work,
                   env={**self.environment, "CMAKE_PREFIX_PATH": str(self.prefix)})

    def test_page_c(self):
        lines = self.follow(ROOT / "examples/c/README.md").splitlines()
        self.assertEqual(len(lines), 10)
        self.assertAlmostEqual(sum(float(line.split()[1]) for line in lines), 1, places=2)

    def test_page_cpp(self):
        said = self.follow(ROOT / "examples/cpp/README.md").splitlines()
        self.assertIn('"digit"', said[-2])
        self.assertEqual(said[-1], "image f32")

    def test_readme(self):
        """Each program of README's section on the SDK, as it stands there."""
        text = (ROOT / "README.md").read_text().split("## Embedding the SDK")[1].split("\n## ")[0]
        programs = re.findall(r"```cpp\n(.*?)```", text, flags=re.S)
        self.assertTrue(programs)
        work = self.folder / "readme"
        work.mkdir()
        shutil.copy(MODEL, work / "digits.onnx")
        shutil.copy(self.package, work / "digits.fpk")
        shutil.copy(ROOT / "tasks/pair/draft.flm", work / "draft.flm")
        said = ""
        for at, program in enumerate(programs):
            source = work / f"readme{at}.cc"
            source.write_text(program)
            run("g++", "-std=c++20", "-Wall", "-Werror", *self.flags("--cflags", "ferry"), source, "-o",
                work / f"readme{at}", *self.flags("--libs", "ferry"))
            said += run(work / f"readme{at}", cwd=work, env=self.environment)
        self.assertIn('"result":', said)
        for program in re.findall(r"```python\n(.*?)```", text, flags=re.S):
            (work / "readme.py").write_text(program)
            said = run(sys.executable, "readme.py", cwd=work,
                       env={**self.environment, "PYTHONPATH": str(ROOT / "sdk/python"), "FERRY_BUILD": str(BUILD)})
            self.assertTrue(said.strip())


if __name__ == "__main__":
    unittest.main()
