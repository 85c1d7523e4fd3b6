"""tools/checks: which rooms a change may break, and which files read JSON in vain."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/checks"))
import changed_rooms  # noqa: E402
import json_reads  # noqa: E402

LAYERS = {"low": [], "middle": ["low"], "high": ["middle"], "aside": [], "tests": ["low", "middle", "high"]}
SUITES = ["tests/cli/keys_test.py", "tests/cli/task_test.py", "tests/sdk/split_test.py"]


class ChangedRoomsTest(unittest.TestCase):
    def select(self, *files):
        return changed_rooms.select(files, LAYERS, SUITES)

    def test_a_room_and_those_that_may_include_it(self):
        self.assertEqual(self.select("middle/folder/a.cc"), ["middle", "high"])
        self.assertEqual(self.select("low/a.cc"), ["low", "middle", "high"])
        self.assertEqual(self.select("aside/a.h", "high/b.cc"), ["high", "aside"])

    def test_nothing_for_nothing_and_for_texts(self):
        self.assertEqual(self.select(), [])
        self.assertEqual(self.select("low/README.md", "LICENSE"), [])

    def test_suites_by_themselves_and_by_their_fixture(self):
        self.assertEqual(self.select("tests/cli/task_test.py"), ["tests/cli/task_test.py"])
        self.assertEqual(self.select("tests/cli/fixture.py"), ["tests/cli/keys_test.py", "tests/cli/task_test.py"])

    def test_all_where_no_room_has_the_file(self):
        self.assertEqual(self.select("low/a.cc", "CMakeLists.txt"), ["all"])
        self.assertEqual(self.select("tests/CMakeLists.txt"), ["all"])

    def test_files_of_a_repository(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)

            def git(*arguments):
                subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *arguments], cwd=root, check=True,
                               capture_output=True)
            git("init", "-q")
            for name in ("kept", "edited", "moved"):
                (root / name).write_text(name)
            git("add", ".")
            git("commit", "-qm", "first")
            git("branch", "before")
            self.assertEqual(changed_rooms.changed_files(root, "HEAD"), [])
            git("mv", "moved", "there")
            git("commit", "-qm", "second")
            (root / "edited").write_text("otherwise")
            (root / "new").write_text("new")
            self.assertEqual(changed_rooms.changed_files(root, "HEAD"), ["edited", "new"])
            self.assertEqual(changed_rooms.changed_files(root, "before"), ["edited", "moved", "new", "there"])
            with self.assertRaises(SystemExit):
                changed_rooms.changed_files(root, "nothing")

    def test_every_room_of_this_tree_is_found(self):
        layers, _ = changed_rooms.tree.read_layers(ROOT)
        self.assertIn("tools/ferry", changed_rooms.select(["common/base/status.h"], layers, []))
        self.assertEqual(changed_rooms.select(["tools/npy/npy.cc"], {"tools/npy": []}, []), ["tools/npy"])


class JsonReadsTest(unittest.TestCase):
    DEPS = """a.o: #deps 2, deps mtime 1 (VALID)
    ../a.cc
    /usr/include/nlohmann/json.hpp

b.o: #deps 1, deps mtime 1 (VALID)
    ../b.cc

room/cmake_pch.hxx.gch: #deps 2, deps mtime 1 (VALID)
    room/cmake_pch.hxx
    /usr/include/nlohmann/json.hpp

c.o: #deps 1, deps mtime 1 (VALID)
    ../c.cc
"""

    HEADERS = {"b.o": "/checkout/build/room/cmake_pch.hxx.gch"}

    def test_readers_are_found_also_behind_precompiled_headers(self):
        deps = json_reads.read_deps(self.DEPS)
        self.assertEqual(json_reads.readers(deps, self.HEADERS) - {"room/cmake_pch.hxx"}, {"../a.cc", "../b.cc"})

    def test_precompiled_headers_are_known_by_the_command(self):
        command = "g++ -Winvalid-pch -include /checkout/build/room/cmake_pch.hxx -o b.o -c /checkout/b.cc"
        self.assertEqual(json_reads.precompiled([{"command": command}, {"command": "g++ -o c.o -c c.cc"}]), self.HEADERS)

    def test_only_those_that_do_not_name_it_count(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "build").mkdir()
            (root / "a.cc").write_text('#include "common/base/json.h"\n// Json in a comment\nint a;\n')
            (root / "b.cc").write_text("auto text = ParseJson(t);\n")
            read = json_reads.readers(json_reads.read_deps(self.DEPS), self.HEADERS)
            found = json_reads.unnamed(read, root / "build", root, {"Json", "ParseJson"})
            self.assertEqual(found, ["a.cc"])

    def test_accessors_come_from_the_header(self):
        words = json_reads.accessors((ROOT / "common/base/json.h").read_text())
        self.assertTrue({"ParseJson", "WriteJson", "GetString", "GetArrayOrNull", "GetStringsOr"} <= words, words)


if __name__ == "__main__":
    unittest.main()
