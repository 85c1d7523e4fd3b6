"""tools/tidy.py: this tree is clean (formatting and clang-tidy apart), and what is wrong in a small tree is found."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tidy(root):
    run = subprocess.run([sys.executable, str(ROOT / "tools/tidy.py"), "--root", str(root), "--no-format"],
                         capture_output=True, text=True)
    return run.returncode, run.stdout


class TidyTest(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        layers = "low: \nhigh: low\n"
        good = {"low/README.md": "# x\n", "low/base.h": "", "high/README.md": "# x\n",
                "high/use.cc": '#include "low/base.h"\n'}
        for name, text in {"tools/layers.txt": layers, **good, **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return root

    def test_this_tree_is_clean(self):
        code, out = tidy(ROOT)
        self.assertEqual(code, 0, out)

    def test_a_good_tree_passes(self):
        code, out = tidy(self.tree({"low/a.h": "", "high/b.cc": '#include "low/a.h"\n'}))
        self.assertEqual(code, 0, out)

    def test_a_readme_that_a_formatter_of_code_broke_is_found(self):
        broken = "#low\n\nText.\n" + 12 * " " + "##The form\n" + 20 * " " + "* Weights : one\n"
        _, out = tidy(self.tree({"low/README.md": broken}))
        self.assertIn("low/README.md:1: does not begin with a heading", out)
        self.assertIn("low/README.md:4: a heading or an item far to the right", out)
        self.assertIn("low/README.md:5: a heading or an item far to the right", out)
        _, out = tidy(self.tree({"low/README.md": "# low\n\n##Form\n"}))
        self.assertIn("low/README.md:3: a heading needs a space", out)
        fenced = "# low\n\n```\n#include <map>\n            * deep\n```\n* item\n  * below\n    ## code\n"
        code, out = tidy(self.tree({"low/README.md": fenced}))
        self.assertEqual(code, 0, out)

    def test_an_include_against_the_direction_is_found(self):
        code, out = tidy(self.tree({"high/b.h": "", "low/a.cc": '#include "high/b.h"\n'}))
        self.assertEqual(code, 1)
        self.assertIn("low/a.cc:1: room 'low' may not include 'high'", out)

    def test_a_relative_include_is_found(self):
        _, out = tidy(self.tree({"low/a.h": "", "low/a.cc": '#include "a.h"\n'}))
        self.assertIn("low/a.cc:1:", out)

    def test_an_edge_that_no_include_uses_is_found(self):
        _, out = tidy(self.tree({"high/use.cc": "int x;\n"}))
        self.assertIn("tools/layers.txt: no file of 'high' includes one of 'low'", out)

    def test_a_room_that_is_not_there_is_found_and_stars_need_no_use(self):
        layers = "low: \nhigh: low\ngone: \ntop: *\n"
        _, out = tidy(self.tree({"tools/layers.txt": layers, "top/README.md": "# x\n", "top/a.cc": ""}))
        self.assertIn("tools/layers.txt: there is no room 'gone'", out)
        self.assertNotIn("'top'", out)

    def test_paths_of_comments_are_there(self):
        code, out = tidy(self.tree({
            "low/deep/a.cc": "// See base.h, low/deep, deep/a.cc, ../shared, keys/<name>.h, I/O, FILE.cc, and/or.\n",
            "high/a.cc": "// base.h is no file here, nor is low/deep/b.h;\n// low/wide is no folder.\n"
                         "/* text\n * in none.inc */ const char* kText = \"// not/a.h comment\";\n",
            "tools/a.py": '"""Reads low/none.txt and low/base.h."""\n# As gone.cmake does: a.py.\n',
            "low/CMakeLists.txt": "# see tools/cmake/none.cmake\n"}))
        self.assertEqual(code, 1)
        found = sorted(line for line in out.splitlines() if line.endswith("is not there"))
        self.assertEqual(found, ["high/a.cc:1: 'base.h' is not there",
                                 "high/a.cc:1: 'low/deep/b.h' is not there",
                                 "high/a.cc:2: 'low/wide' is not there",
                                 "high/a.cc:4: 'none.inc' is not there",
                                 "low/CMakeLists.txt:1: 'tools/cmake/none.cmake' is not there",
                                 "tools/a.py:1: 'low/none.txt' is not there",
                                 "tools/a.py:2: 'gone.cmake' is not there"], out)

    def test_lists_must_match_their_directory_and_be_sorted(self):
        rows = "// tidy: *.cc except registry\nROW(Relu)\nROW(Conv)\nROW(Gone)\n"
        _, out = tidy(self.tree({"low/list.inc": rows, "low/relu.cc": "", "low/conv.cc": "", "low/extra.cc": "",
                                 "low/registry.cc": ""}))
        self.assertIn("low/list.inc:3: row 'Conv' is out of order", out)
        self.assertIn("no row for 'extra'", out)
        self.assertIn("row 'gone' has no file", out)

    def test_sizes_are_checked(self):
        _, out = tidy(self.tree({"low/long.cc": "\n" * 901, "low/wide.h": "/" * 101 + "\n",
                                 "low/README.md": "# x\n" * 61}))
        self.assertIn("low/long.cc: 901 lines", out)
        self.assertIn("low/wide.h:1: 101 columns", out)
        self.assertIn("low/README.md: 61 lines", out)


if __name__ == "__main__":
    unittest.main()
