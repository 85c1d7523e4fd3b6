"""tools/checks/clang_tidy.py: findings in a small tree, what is remembered of it, and a sample of this tree.

All of this tree takes most of an hour of one core, so a test run does not wait for it. It reports every finding that
build/tidy remembers of files as they are now, and lets clang-tidy look at one more group of files that nobody has
looked at: one that changes with the files. `tools/dev tidy --clang-tidy` looks at all, in parallel.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from checks import clang_tidy  # noqa: E402


@unittest.skipIf(shutil.which("clang-tidy") is None, "clang-tidy is not installed")
class ClangTidyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        shutil.copy(ROOT / ".clang-tidy", self.root)
        self.write("low/shared.h", "inline int Shared(int x) { return x; }\ninline int bad_name() { return 1; }\n")
        self.write("low/clean.cc", '#include "low/shared.h"\nnamespace {\nint Twice() { return Shared(2); }\n}\n'
                                   "int One() { return Twice(); }\n")
        self.write("low/clash.cc", '#include "low/shared.h"\nnamespace {\nint Twice() { return Shared(3); }\n}\n'
                                   "int Two() { return Twice(); }\n")
        self.write("low/bug.cc", "#include <string>\n#include <utility>\nstd::string Moved(std::string text) {\n"
                                 "  std::string other = std::move(text);\n  return text + other;\n}\n")
        self.calls = []

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def findings(self, **options):
        names = sorted(p.relative_to(self.root) for p in self.root.glob("low/*.cc"))
        self.write("build/release/compile_commands.json", json.dumps(
            [{"directory": str(self.root), "file": str(name),
              "command": f"c++ -std=c++20 -Winvalid-pch -I{self.root} -o x.o -c {name}"} for name in names]))
        run, self.calls = clang_tidy.run_clang_tidy, []

        def counted(root, sources, flags):
            self.calls.append(sorted(source.name for source in sources))
            return run(root, sources, flags)

        clang_tidy.run_clang_tidy = counted
        try:
            return sorted(clang_tidy.check_clang_tidy(self.root, 1, **options))
        finally:
            clang_tidy.run_clang_tidy = run

    def test_findings_are_told_once_and_remembered(self):
        expected = ["low/bug.cc:5: 'text' used after it was moved [bugprone-use-after-move]",
                    "low/shared.h:2: invalid case style for function 'bad_name' [readability-identifier-naming]"]
        self.assertEqual(self.findings(), expected)
        self.assertEqual(sorted(sum(self.calls, [])), ["bug.cc", "clash.cc", "clean.cc"])
        self.assertEqual(self.findings(), expected)
        self.assertEqual(self.calls, [])
        # A header's change is one of all that include it.
        self.write("low/shared.h", "inline int Shared(int x) { return x; }\n")
        self.assertEqual(self.findings(), expected[:1])
        self.assertEqual(sorted(sum(self.calls, [])), ["clash.cc", "clean.cc"])
        self.write("low/bug.cc", "int Three() { return 3; }\n")
        self.assertEqual(self.findings(), [])
        self.assertEqual(self.calls, [["bug.cc"]])

    def test_names_that_clash_are_looked_at_apart(self):
        sources = clang_tidy.read_database  # groups are made of what the database has
        self.findings()
        groups = clang_tidy.groups_of(sources(self.root, self.root / "build/release", ()), 16)
        together = [sorted(source.name for source in some) for some, _ in groups]
        self.assertEqual(sorted(together), [["bug.cc", "clash.cc"], ["clean.cc"]])
        # Where it only shows to the compiler the group falls apart.
        pairs = clang_tidy.look_at(self.root, [self.root / "low/clash.cc", self.root / "low/clean.cc"],
                                   ["-std=c++20", f"-I{self.root}"])
        self.assertEqual(sorted(source.name for source, _ in pairs), ["clash.cc", "clean.cc"])
        self.assertFalse([what for _, found in pairs for _, _, what in found if "diagnostic" in what])

    def test_what_does_not_compile_is_a_finding_and_not_remembered(self):
        self.write("low/broken.cc", "int Broken() { return none; }\n")
        for _ in range(2):
            found = [finding for finding in self.findings() if "broken.cc" in finding]
            self.assertEqual(len(found), 1, found)
            self.assertIn("undeclared identifier 'none' [clang-diagnostic-error]", found[0])

    def test_shards_are_all_of_it_and_cached_runs_nothing(self):
        self.assertEqual(self.findings(cached=True), ["3 files have not been looked at (tools/dev tidy --clang-tidy)"])
        self.assertEqual(self.calls, [])
        for part in (1, 2):
            self.findings(shard=(part, 2))
        self.assertEqual(len(self.findings(cached=True)), 2)

    def test_this_tree(self):
        programs = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin")).resolve()
        if not (programs.parent / "compile_commands.json").is_file():
            self.skipTest("not configured")
        self.assertEqual(list(clang_tidy.check_clang_tidy(ROOT, 1, programs.parent, sample=1)), [])

    def test_the_command_line(self):
        self.findings(cached=True)  # writes the database
        run = subprocess.run([sys.executable, str(ROOT / "tools/checks/clang_tidy.py"), "--root", str(self.root), "--jobs",
                              "2", "--shard", "1/1", "low/bug.cc"], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout),
                         (1, "low/bug.cc:5: 'text' used after it was moved [bugprone-use-after-move]\n"), run.stderr)

    def jumbo(self, *names):
        self.write("build/release/unity_0_cxx.cxx", "".join(f'#include "{self.root}/{name}"\n' for name in names))
        self.write("build/release/compile_commands.json", json.dumps(
            [{"directory": str(self.root / "build/release"), "file": "unity_0_cxx.cxx",
              "command": f"c++ -std=c++20 -I{self.root} -o x.o -c unity_0_cxx.cxx"}]))

    def test_files_that_are_compiled_as_one_stay_together(self):
        # Both give the name Twice, in namespaces of their own: only the compiler sees that they do not clash.
        self.write("low/one.cc", "namespace one {\nint Twice() { return 2; }\n}\n")
        self.write("low/two.cc", "namespace two {\nint Twice() { return 3; }\n}\n")
        self.jumbo("low/one.cc", "low/two.cc")
        database = self.root / "build/release"
        sources = clang_tidy.read_database(self.root, database, ())
        batches = [files for _, files in clang_tidy.compilations(database)]
        self.assertEqual(len(clang_tidy.groups_of(sources, 16)), 2)
        groups = clang_tidy.groups_of(sources, 16, batches)
        self.assertEqual([[source.name for source in some] for some, _ in groups], [["one.cc", "two.cc"]])
        # Too many for a group, or only one of them left to look at: by their names again.
        self.assertEqual(len(clang_tidy.groups_of(sources, 1, batches)), 2)
        left = {source: flags for source, flags in sources.items() if source.name == "two.cc"}
        self.assertEqual(len(clang_tidy.groups_of(left, 16, batches)), 1)
        self.assertEqual(list(clang_tidy.check_clang_tidy(self.root, 1)), [])

    def test_files_of_a_jumbo_build_are_found(self):
        self.jumbo("low/bug.cc")
        self.assertEqual(list(clang_tidy.check_clang_tidy(self.root, 1)),
                         ["low/bug.cc:5: 'text' used after it was moved [bugprone-use-after-move]"])


if __name__ == "__main__":
    unittest.main()
