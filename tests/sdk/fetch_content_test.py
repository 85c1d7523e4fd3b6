"""An app that takes Ferry's tree into its own project by FetchContent: the engine alone is configured, without the
server's packages, and its lowest rooms are built there (all of it takes ten minutes: FERRY_WHOLE=1)."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES C CXX)
include(FetchContent)
set(FERRY_COMPONENTS engine)
set(FERRY_UNITY ON)
FetchContent_Declare(ferry SOURCE_DIR "{root}")
FetchContent_MakeAvailable(ferry)
add_executable(app "{root}/tests/sdk/outside/engine.c")
target_link_libraries(app PRIVATE Ferry::engine)
"""


class FetchContentTest(unittest.TestCase):
    def test_builds_and_runs(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="ferry-fetch-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT))
        target = "app" if os.environ.get("FERRY_WHOLE") else "ferry_device_runtime_tensor"
        # Unoptimised: it is the project that is tested, and this is the quickest to compile.
        for command in (["cmake", "-S", folder, "-B", folder / "b", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug"],
                        ["cmake", "--build", folder / "b", "--target", target, "--parallel", str(os.cpu_count())]):
            done = subprocess.run([str(one) for one in command], capture_output=True, text=True, timeout=3000)
            self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-2000:])
        rules = (folder / "b/build.ninja").read_text()
        self.assertIn("libferry_engine.so", rules)
        for foreign in ("cloud-server", "tools/ferry/", "libssl", "libprotobuf"):
            self.assertNotIn(foreign, rules)
        if target != "app":
            return
        said = subprocess.run([folder / "b/app", ROOT / "tasks/digits/digits.onnx"], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(said.stdout.split(), ["0.1.0", "10", "1.000"], said.stderr)


if __name__ == "__main__":
    unittest.main()
