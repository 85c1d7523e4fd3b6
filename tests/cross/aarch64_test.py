"""The kernels of 64-bit ARM, cross-compiled by `tools/dev test` with Debian's crossbuild-essential-arm64, under qemu-user.

FERRY_SHARDS and FERRY_SHARD (from 0) give this process a share of the kernels' cases; ctest runs several at once.
The whole SDK builds the same way (`tools/dev cross`); here only what differs between processors runs.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/aarch64/bin/test_device_runtime_kernels"
SHARDS = int(os.environ.get("FERRY_SHARDS", "1"))
SHARD = int(os.environ.get("FERRY_SHARD", "0"))


def run(arguments, cpu="max", **environment):
    return subprocess.run(["qemu-aarch64", "-cpu", cpu, PROGRAM, *arguments], cwd=ROOT, text=True, check=False,
                          env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class Aarch64Test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists() or shutil.which("qemu-aarch64") is None:
            print(f"SKIPPED: no {PROGRAM.relative_to(ROOT)} or no qemu-aarch64 (tools/dev test makes both)",
                  file=sys.stderr)
            raise unittest.SkipTest("nothing cross-compiled")

    @unittest.skipIf(SHARD != 0, "in shard 0")
    def test_the_processor_offers_neon(self):
        done = run(["--gtest_filter=IsaTest.NeonRunsOnEveryAarch64"], FERRY_ISA="neon")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 test ran", done.stdout.replace("1 test from 1 test suite ran", "1 test ran"))

    @unittest.skipIf(SHARD != SHARDS - 1, "in the last shard")
    def test_each_processor_runs_what_it_has(self):
        # cortex-a57 has neither kind of products of bytes, neoverse-n1 the first; all cases run on "max" below.
        for cpu, cases, expected in (("cortex-a57", "IsaTest.*:Quant*", "reference neon"),
                                     ("neoverse-n1", "IsaTest.*:Quant*", "reference neon dotprod"),
                                     ("max", "IsaTest.*", "reference neon dotprod i8mm")):
            with self.subTest(cpu), tempfile.TemporaryDirectory() as folder:
                report = pathlib.Path(folder) / "report.xml"
                done = run([f"--gtest_filter={cases}", f"--gtest_output=xml:{report}"], cpu)
                self.assertEqual(done.returncode, 0, done.stdout[-8000:])
                self.assertRegex(done.stdout, r"\[  PASSED  \] [1-9][0-9]* tests?")
                self.assertEqual(re.search(r'name="isas" value="([^"]*)"', report.read_text())[1], expected)

    def test_all_kernels_agree_with_their_references(self):
        done = run(["--gtest_brief=1"], GTEST_TOTAL_SHARDS=str(SHARDS), GTEST_SHARD_INDEX=str(SHARD))
        self.assertEqual(done.returncode, 0, done.stdout[-8000:])
        self.assertRegex(done.stdout, r"\[  PASSED  \] [1-9][0-9]+ tests")


if __name__ == "__main__":
    unittest.main()
