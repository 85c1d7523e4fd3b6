"""The console's bundle: it is what its sources give, its parts keep their sizes, and nothing in it comes from elsewhere."""
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from scene import CONSOLE, ROOT  # noqa: E402

BUNDLE = CONSOLE / "bundle"
KB = 1000
MOST_FIRST_KB, MOST_KB = 100, 700
# What only parts that are loaded later may hold, by a name that minifying leaves.
LATER = {"CodeMirror": "cm-content", "uPlot": "u-hz", "the QR code": "createSvgTag", "elkjs": "org.eclipse.elk.layered"}
LICENCES = {"MIT", "EPL-2.0"}
UNITS = ("units.mjs", "graph_units.mjs")


def packed(path):
    return len(gzip.compress(path.read_bytes(), 9, mtime=0))


def first_load():
    """The files that a browser asks for at the start: the index, and what it and the first script name at once."""
    index = BUNDLE / "index.html"
    names = set(re.findall(r'(?:href|src)="/([^"]+)"', index.read_text()))
    for name in list(names):
        if name.endswith(".js"):
            text = (BUNDLE / name).read_text()
            names |= set(re.findall(r'(?:from|import) ?"\./([^"]+)"', text)) | set(re.findall(r'"/(live-[^"]+\.js)"', text))
    return [index] + [BUNDLE / name for name in sorted(names)]


class BundleTest(unittest.TestCase):
    def test_first_load_is_small_and_the_whole_too(self):
        first = sum(map(packed, first_load())) / KB
        whole = sum(map(packed, BUNDLE.iterdir())) / KB
        print(f"first load {first:.1f} KB of {MOST_FIRST_KB}, all {whole:.1f} KB of {MOST_KB}, compressed")
        self.assertGreaterEqual(len(first_load()), 5)
        self.assertLessEqual(first, MOST_FIRST_KB)
        self.assertLessEqual(whole, MOST_KB)

    def test_what_is_seldom_needed_comes_later(self):
        scripts = {path.name: path.read_text() for path in BUNDLE.glob("*.js")}
        first = {path.name for path in first_load()}
        for what, mark in LATER.items():
            holders = {name for name, text in scripts.items() if mark in text}
            self.assertEqual(len(holders), 1, f"{what} ({mark}) is in {holders}")
            self.assertFalse(holders & first, f"{what} is in the first load")

    def test_every_licence_is_told_and_known(self):
        text = (BUNDLE / "LICENCES.txt").read_text()
        told = dict(re.findall(r"^==== (\S+) \S+: (\S+)$", text, re.MULTILINE))
        wanted = json.loads((CONSOLE / "package.json").read_text())["dependencies"]
        self.assertLessEqual(set(wanted), set(told))
        self.assertEqual(set(told.values()), LICENCES)

    def test_the_lock_names_exact_versions_and_no_registry(self):
        package, lock = (json.loads((CONSOLE / name).read_text()) for name in ("package.json", "package-lock.json"))
        for name, version in {**package["dependencies"], **package["devDependencies"]}.items():
            self.assertRegex(version, r"^\d+\.\d+\.\d+$", name)
        for name, entry in lock["packages"].items():
            self.assertNotIn("resolved", entry, name)
            self.assertTrue(not name or "integrity" in entry, name)

    def test_the_sources_give_this_bundle(self):
        if not shutil.which("node") or not (CONSOLE / "node_modules/esbuild").is_dir():
            self.skipTest("NOT TESTED: rebuilding needs node and npm's packages (tools/dev setup_console)")
        subprocess.run(["node", "node_modules/typescript/bin/tsc", "-p", "."], cwd=CONSOLE, check=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["node", "build.mjs", folder], cwd=CONSOLE, check=True)
            made = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
        kept = {path.name: path.read_bytes() for path in BUNDLE.iterdir()}
        self.assertEqual(sorted(made), sorted(kept), "build it anew: node cloud-server/console/build.mjs")
        for name, content in made.items():
            self.assertEqual(content, kept[name], f"{name} is not what the sources give")

    def test_the_parts_without_a_page(self):
        if not shutil.which("node") or not (CONSOLE / "node_modules/esbuild").is_dir():
            self.skipTest("NOT TESTED: needs node and npm's packages (tools/dev setup_console)")
        for units in UNITS:
            done = subprocess.run(["node", "--test", str(ROOT / "tests/console" / units)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"# pass [1-9]")


if __name__ == "__main__":
    unittest.main(verbosity=2)
