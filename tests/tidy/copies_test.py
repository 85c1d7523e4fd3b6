"""tools/checks/copies.py: this tree's references are none of their kernels' code, and copies are found."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from checks.copies import check_copies  # noqa: E402
from checks.tree import tracked_files  # noqa: E402

KERNEL = "device-runtime/kernels/sum/sum.cc"
REFERENCE = "device-runtime/ops/defs/sum.cc"
BODY = ["double Sum(const double* x, int64_t n) {", "  double sum = 0;", "  for (int64_t i = 0; i < n; ++i) {",
        "    sum += x[i];", "  }", "  if (n == 0) return 1;", "  return sum;", "}"]


class CopiesTest(unittest.TestCase):
    def findings(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, lines in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("\n".join(lines) + "\n")
            return list(check_copies(root, sorted(files)))

    def test_this_tree_has_none(self):
        files = tracked_files(ROOT)
        self.assertGreater(sum(name.startswith("device-runtime/ops/defs/") for name in files), 100)
        self.assertEqual(list(check_copies(ROOT, files)), [])

    def test_six_equal_lines_are_found_once_whatever_their_spaces(self):
        copy = ["// Another comment.", ""] + ["\t" + line for line in BODY]
        for name in (REFERENCE, "device-runtime/ops/shared/places/sum.h"):
            findings = self.findings({KERNEL: ["#include <cstdint>"] + BODY, name: copy})
            self.assertEqual(findings, [f"{name}:3: 6 lines stand in {KERNEL}:2 too; write them anew"])

    def test_two_runs_are_two_findings(self):
        apart = BODY + ["int Other() {", "  return 1;", "}"] + BODY
        self.assertEqual(len(self.findings({KERNEL: BODY, REFERENCE: apart})), 2)

    def test_longer_runs_are_one_finding(self):
        longer = BODY[:-1] + ["  // unreachable", "  return 2;", "}"]
        findings = self.findings({KERNEL: longer, REFERENCE: longer})
        self.assertEqual(findings, [f"{REFERENCE}:1: 7 lines stand in {KERNEL}:1 too; write them anew"])

    def test_five_lines_and_trivial_ones_are_none(self):
        filler = ["#include <cmath>", "namespace ferry {", "", "// A comment.", "}", "}  // namespace ferry", "{"]
        self.assertEqual(self.findings({KERNEL: filler + BODY[1:], REFERENCE: filler + BODY[1:]}), [])

    def test_copies_within_a_room_are_none(self):
        self.assertEqual(self.findings({REFERENCE: BODY, "device-runtime/ops/defs/mean.cc": BODY}), [])


if __name__ == "__main__":
    unittest.main()
