"""tools/tidy.py: this tree is clean (formatting apart), and each kind of violation is found in a small bad tree."""
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
        for name, text in {"tools/layers.txt": layers, "low/README.md": "x\n", "high/README.md": "x\n", **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return root

    def test_this_tree_is_clean(self):
        code, out = tidy(ROOT)
        self.assertEqual(code, 0, out)

    def test_a_good_tree_passes(self):
        code, out = tidy(self.tree({"low/a.h": "", "high/b.cc": '#include "low/a.h"\n'}))
        self.assertEqual(code, 0, out)

    def test_an_include_against_the_direction_is_found(self):
        code, out = tidy(self.tree({"high/b.h": "", "low/a.cc": '#include "high/b.h"\n'}))
        self.assertEqual(code, 1)
        self.assertIn("low/a.cc:1: room 'low' may not include 'high'", out)

    def test_a_relative_include_is_found(self):
        _, out = tidy(self.tree({"low/a.h": "", "low/a.cc": '#include "a.h"\n'}))
        self.assertIn("low/a.cc:1:", out)

    def test_lists_must_match_their_directory_and_be_sorted(self):
        rows = "// tidy: *.cc except registry\nROW(Relu)\nROW(Conv)\nROW(Gone)\n"
        _, out = tidy(self.tree({"low/list.inc": rows, "low/relu.cc": "", "low/conv.cc": "", "low/extra.cc": "",
                                 "low/registry.cc": ""}))
        self.assertIn("low/list.inc:3: row 'Conv' is out of order", out)
        self.assertIn("no row for 'extra'", out)
        self.assertIn("row 'gone' has no file", out)

    def test_sizes_are_checked(self):
        _, out = tidy(self.tree({"low/long.cc": "\n" * 901, "low/wide.h": "/" * 101 + "\n",
                                 "low/README.md": "x\n" * 61}))
        self.assertIn("low/long.cc: 901 lines", out)
        self.assertIn("low/wide.h:1: 101 columns", out)
        self.assertIn("low/README.md: 61 lines", out)


if __name__ == "__main__":
    unittest.main()
