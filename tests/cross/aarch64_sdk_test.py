"""The SDK on 64-bit ARM under qemu-user: some ONNX cases on each instruction set, and an app that embeds it.

`tools/dev cross` builds the programs; without them, or without ../shared, the tests are skipped and say so.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
ARM = ROOT / "build/aarch64/bin"
SHARED = pathlib.Path(os.environ.get("FERRY_SHARED", ROOT.parent / "shared"))
CASES = pathlib.Path(os.environ.get("FERRY_TESTDATA", SHARED / "testdata")) / "onnx-conformance.tar.xz"
# What differs between processors: conversions of floats, signs of bytes, rounding, vectors' last lanes.
PATTERNS = ("test_add", "test_and", "test_argmax_d", "test_averagepool", "test_basic_conv", "test_cast_", "test_clip",
            "test_conv", "test_dequantize", "test_gemm", "test_gru", "test_layer_norm", "test_lstm", "test_matmul",
            "test_maxpool", "test_mod", "test_nonmax", "test_qlinear", "test_quantize", "test_resize_down", "test_round",
            "test_softmax", "test_string", "test_topk", "test_bitshift", "test_div", "test_convinteger")
ISAS = ("neon", "dotprod", "i8mm")


def qemu(*arguments, **options):
    return subprocess.run(["qemu-aarch64", "-cpu", "max", *map(str, arguments)], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def need(*paths):
    for path in paths:
        if shutil.which("qemu-aarch64") is None or not path.exists():
            print(f"SKIPPED: no qemu-aarch64 or no {path} (tools/dev cross makes the programs)", file=sys.stderr)
            raise unittest.SkipTest(f"no {path}")


class Aarch64SdkTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-cross-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def unpack(self):
        """Of each pattern's cases the first ten."""
        taken = {}
        with tarfile.open(CASES) as archive:
            for member in archive:
                parts = pathlib.PurePosixPath(member.name).parts
                case = next((part for part in parts if part.startswith("test_")), None)
                pattern = next((p for p in PATTERNS if case is not None and case.startswith(p)), None)
                if pattern is None:
                    continue
                of_pattern = taken.setdefault(pattern, set())
                if case in of_pattern or len(of_pattern) < 10:
                    of_pattern.add(case)
                    archive.extract(member, self.folder)
        return sum(map(len, taken.values()))

    def test_onnx_cases_pass_on_every_instruction_set(self):
        need(ARM / "onnx_cases", CASES)
        count = self.unpack()
        self.assertGreater(count, 150)
        for isa in ISAS:
            with self.subTest(isa):
                done = qemu(ARM / "onnx_cases", self.folder, "--isa", isa, "--jobs", os.cpu_count() or 1)
                failed = [line for line in done.stdout.splitlines() if line.startswith("fail ")]
                self.assertEqual((failed, done.returncode), ([], 0), done.stderr[-4000:])
                self.assertEqual(done.stdout.splitlines()[-1], f"{count} passed, 0 failed")

    def test_an_app_recognises_digits(self):
        need(ARM / "ferry-embed", BIN / "ferry", BIN / "ferry-embed")
        sys.path.insert(0, str(ROOT / "tools/demo"))
        from digits import Digits  # noqa: E402
        package = self.folder / "digits.fpk"
        subprocess.run([BIN / "ferry", "pack", ROOT / "tasks/digits", "-o", package], check=True, cwd=ROOT)
        digits = Digits(ROOT / "tasks/digits")
        events = "".join(line + "\n" for line in digits.events(range(20), 1_700_000_000_000))
        done = qemu(ARM / "ferry-embed", package, input=events)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        results = [json.loads(line)["result"] for line in done.stdout.splitlines() if "result" in json.loads(line)]
        self.assertEqual([item["image"] for item in results], list(range(20)), done.stderr[-4000:])
        right = sum(item["digit"] == digits.labels[item["image"]] for item in results)
        self.assertGreaterEqual(right, 19)


if __name__ == "__main__":
    unittest.main()
