"""The Python package itself: stubs, the wheel, examples, how fast it is imported, and task scripts on the library."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import python_binding

python_binding.begin()

ROOT, PACKAGE, LIBRARIES = python_binding.ROOT, python_binding.PACKAGE, python_binding.LIBRARIES
DIGITS = ROOT / "tasks/digits"

TYPED = '''
import asyncio
import ferry
from ferry import engine, events, files, llm, log, metrics, stream, tables

model = ferry.Model("m.onnx", threads=1, precision="fast")
shape: tuple[int | str, ...] | None = model.inputs[0].shape
result: dict[str, ferry.Array] = model.run({"x": [[1.0]]})

def on_result(result: ferry.Json) -> None:
    print(result["result"])

async def main() -> str:
    await model.run_async({"x": [[1.0]]})
    text = ""
    async for piece in ferry.Chat("m.flm", mode="split").complete("a"):
        text += piece
        ids: list[int] = piece.ids
    return text

with ferry.Runtime(on_result) as runtime:
    runtime.send({"id": "a"}, durable=True)
    row = runtime.table("t").get(1)
if ferry.Policy("true").matches({}):
    asyncio.run(main())
try:
    pass
except ferry.Error as error:
    code: int = error.code
tensor = engine.tensor([1], dtype="f32")
engine.load("m").run({"x": tensor})["y"].argmax()
'''
ILL_TYPED = '''
import ferry
ferry.Model("m.onnx", precision="best")
ferry.Chat(5)
ferry.Policy("true").matches()
x: int = ferry.version()
'''


class Stubs(unittest.TestCase):
    def setUp(self):
        if shutil.which("mypy") is None:
            print("SKIPPED: no mypy (Debian's package mypy)", file=sys.stderr)
            self.skipTest("no mypy")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def check(self, text):
        (self.folder / "app.py").write_text(text)
        return subprocess.run(["mypy", "--strict", "--cache-dir", self.folder / "cache", "app.py"], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, env={**os.environ, "MYPYPATH": str(PACKAGE)})

    def test_an_app_passes_mypy(self):
        done = self.check(TYPED)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_is_wrong_does_not(self):
        done = self.check(ILL_TYPED)
        self.assertEqual([line.split(":")[1] for line in done.stdout.splitlines() if "error:" in line], ["3", "4", "5", "6"],
                         done.stdout)

    def test_the_stubs_are_what_there_is(self):
        done = python_binding.run('''
import ast, inspect, pathlib, sys, ferry
missing = []
for node in ast.parse(pathlib.Path(ferry.__file__).with_suffix(".pyi").read_text()).body:
    if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        continue
    one = getattr(ferry, node.name, None)
    if one is None:
        missing.append(node.name)
        continue
    for member in node.body if isinstance(node, ast.ClassDef) else []:
        if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not hasattr(one, member.name):
                missing.append(f"{node.name}.{member.name}")
            elif inspect.isfunction(getattr(one, member.name)) and isinstance(one, type):
                given = inspect.signature(getattr(one, member.name))
                names = [a.arg for a in member.args.posonlyargs + member.args.args + member.args.kwonlyargs]
                loose = any(p.kind is p.VAR_KEYWORD for p in given.parameters.values())
                for name in names:
                    if name not in given.parameters and not loose:
                        missing.append(f"{node.name}.{member.name}({name})")
named = {node.name for node in ast.parse(pathlib.Path(ferry.__file__).with_suffix(".pyi").read_text()).body
         if hasattr(node, "name")}
print(missing, sorted(set(ferry.__all__) - named))
''')
        self.assertEqual(done.stdout.strip(), "[] []", done.stderr)


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="ferry-wheel-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.wheel = cls.build("first")

    @classmethod
    def build(cls, name):
        done = subprocess.run([sys.executable, PACKAGE / "wheel.py", LIBRARIES, "-o", cls.folder / name], text=True,
                              capture_output=True, check=True)
        return pathlib.Path(done.stdout.strip())

    def test_its_files(self):
        self.assertRegex(self.wheel.name, r"^ferry-\d+\.\d+\.\d+-cp311-abi3-linux_\w+\.whl$")
        self.assertEqual(self.wheel.read_bytes(), self.build("second").read_bytes())
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            info = next(name for name in names if name.endswith("/RECORD"))
            listed = [line.split(",")[0] for line in archive.read(info).decode().splitlines()]
        self.assertEqual(sorted(names), sorted(listed))
        for name in ("ferry/_ferry.abi3.so", "ferry/libferry.so.0", "ferry/__init__.pyi", "ferry/py.typed"):
            self.assertIn(name, names)

    def test_it_is_installed_and_runs(self):
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "FERRY_LIBRARY")}
        home = self.folder / "env"
        made = subprocess.run([sys.executable, "-m", "venv", home], capture_output=True, text=True)
        if made.returncode == 0:
            program = home / "bin/python"
            done = subprocess.run([program, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", self.wheel],
                                  capture_output=True, text=True, env=environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        else:
            print("SKIPPED in part: no venv (python3-venv); the wheel is unpacked", file=sys.stderr)
            program = sys.executable
            with zipfile.ZipFile(self.wheel) as archive:
                archive.extractall(home)
            environment["PYTHONPATH"] = str(home)
        done = subprocess.run([program, "-c", "import ferry, sys; m = ferry.Model(sys.argv[1]); print(ferry.__file__); "
                               "print(m([[[[0] * 8] * 8]]).shape)", DIGITS / "digits.onnx"], capture_output=True, text=True,
                              env=environment, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        where, shape = done.stdout.splitlines()
        self.assertTrue(where.startswith(str(home)), where)
        self.assertEqual(shape, "(1, 10)")

    def test_only_functions_of_the_limited_api(self):
        symbols = subprocess.run(["nm", "-D", "--undefined-only", LIBRARIES / "_ferry.abi3.so"], capture_output=True, text=True)
        self.assertEqual(symbols.returncode, 0, symbols.stderr)
        used = {line.split()[-1].split("@")[0] for line in symbols.stdout.splitlines()}
        # What begins so is not for others, but for what the public header's macros stand for.
        private = {name for name in used if name.startswith("_Py") and not name.endswith(("_SizeT", "Struct"))}
        self.assertEqual(private - {"_Py_Dealloc"}, set())
        self.assertIn("PyObject_GetBuffer", used)
        shown = subprocess.run(["nm", "-D", "--defined-only", LIBRARIES / "_ferry.abi3.so"], capture_output=True, text=True)
        self.assertEqual([line.split()[-1] for line in shown.stdout.splitlines()], ["PyInit__ferry"])


class Import(unittest.TestCase):
    def test_it_is_fast(self):
        """The fastest of some: a busy machine only adds."""
        text = ("import time; begin = time.perf_counter(); import ferry; {}; "
                "print((time.perf_counter() - begin) * 1000)")
        for what, limit_ms in (("pass", 50), ("ferry.Model", 150)):
            took = min(float(python_binding.run(text.format(what)).stdout) for _ in range(5))
            print(f"import ferry; {what}: {took:.1f} ms", file=sys.stderr)
            self.assertLess(took, limit_ms, what)

    def test_without_the_extension(self):
        done = python_binding.run("import ferry, os; from ferry import events; print(events.now_ms() > 0)\n"
                                  "os.environ['FERRY_LIBRARY'] = '/nowhere'\n"
                                  "try: ferry.Model\nexcept ImportError as error: print(error)")
        self.assertIn("True\nFerry's extension _ferry.abi3.so is not built: it is not in /nowhere", done.stdout, done.stderr)
        with self.assertRaises(AttributeError):
            import ferry
            ferry.modle


class Examples(unittest.TestCase):
    def run_one(self, name, *arguments):
        path = ROOT / "examples/python" / name
        self.assertLessEqual(len(path.read_text().splitlines()), 60)
        done = subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, timeout=120,
                              env=python_binding.ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_model(self):
        out = self.run_one("model.py", DIGITS / "digits.onnx", DIGITS / "images.f32")
        self.assertIn("image f32 ('n', 1, 8, 8)", out)
        labels = (DIGITS / "labels.u8").read_bytes()
        for number in range(5):
            self.assertIn(f"image {number} shows {labels[number]}: ", out)
        self.assertIn("shape_mismatch: input 'image'", out)

    def test_task(self):
        with tempfile.TemporaryDirectory() as scratch:
            out = self.run_one("task.py", python_binding.pack(scratch, "digits"), DIGITS / "images.f32")
        labels = (DIGITS / "labels.u8").read_bytes()
        for number in range(5):
            self.assertIn(f"image {number} shows {labels[number]}\n", out)
        self.assertIn("p50", out)

    def test_chat(self):
        out = self.run_one("chat.py", ROOT / "tasks/pair/draft.flm", "It was a dark night, and the")
        self.assertIn("tokens a second", out)
        self.assertGreater(len(set(out.splitlines()[-3:])), 1)


class Scripts(unittest.TestCase):
    def test_models_of_a_task_run_in_this_process(self):
        """A folder and a package, without `ferry task backend`."""
        text = ("from ferry import engine\n"
                "model = engine.load('digits')\n"
                "out = model.run({'image': engine.tensor([0] * 64, [1, 1, 8, 8])})\n"
                "print(model, model.inputs, out['prob'].argmax())\n"
                "try: engine.load('none')\nexcept LookupError as error: print(error)\n"
                "try: model.run({'image': [1]})\nexcept TypeError as error: print(error)\n"
                "try: model.run({'image': engine.tensor([1])})\nexcept ValueError as error: print(error)\n")
        with tempfile.TemporaryDirectory() as scratch:
            for task in (DIGITS, python_binding.pack(scratch, "digits")):
                done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60,
                                      env={**python_binding.ENVIRONMENT, "FERRY_TASK": str(task), "FERRY_CLI": "/nowhere"})
                self.assertEqual(done.returncode, 0, done.stderr)
                lines = done.stdout.splitlines()
                self.assertEqual(lines[0].split(" ")[0], "Model(digits)")
                self.assertIn("'shape': [-1, 1, 8, 8]", lines[0])
                self.assertIn("none", lines[1])
                self.assertEqual(lines[2], "input image is no tensor; engine.tensor makes one")
                self.assertIn("image", lines[3])

    def test_a_run_takes_no_turn_of_a_child(self):
        text = ("import json, time\nfrom ferry import engine\n"
                "model = engine.load('digits')\n"
                "given = {'image': engine.tensor([0] * 64, [1, 1, 8, 8])}\n"
                "took = []\n"
                "for _ in range(300):\n"
                "    begin = time.perf_counter(); model.run(given); took.append(time.perf_counter() - begin)\n"
                "print(sorted(took)[150] * 1e3)\n")
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60,
                              env={**python_binding.ENVIRONMENT, "FERRY_TASK": str(DIGITS)})
        print(f"a run of digits by ferry.engine: {float(done.stdout):.4f} ms", file=sys.stderr)
        self.assertLess(float(done.stdout), 0.5)

    def test_language_models_generate_in_this_process(self):
        """The same texts as on the device, by the tests of whole tasks; here without `ferry task backend`."""
        text = ("from ferry import llm\n"
                "m = llm.load('draft')\n"
                "whole = m.generate('It was', max_new=20, temperature=1.0, seed=-2)\n"
                "assert whole == m.generate('It was', max_new=20, temperature=1, seed=-2) != '', whole\n"
                "stop = whole[3:6]\n"
                "cut = m.generate('It was', max_new=20, temperature=1, seed=-2, stop=[stop, 'qqq'])\n"
                "assert cut == whole[:whole.find(stop)], (whole, cut)\n"
                "assert m.generate('It was', max_new=0) == ''\n"
                "for call in (lambda: m.generate(''), lambda: m.generate([]), lambda: m.generate('x', max_new=-1),\n"
                "             lambda: m.generate('x', temperature=-1), lambda: m.generate('x', top_p=0),\n"
                "             lambda: m.generate('x', stop=['']), lambda: m.generate([1 << 30])):\n"
                "    try: print('no error', call())\n    except ValueError: pass\n"
                "try: llm.load('none')\nexcept LookupError as error: print(error)\n"
                "print(m, m.context > 100)\n")
        with tempfile.TemporaryDirectory() as scratch:
            for task in (ROOT / "tasks/pair", python_binding.pack(scratch, "pair")):
                done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60,
                                      env={**python_binding.ENVIRONMENT, "FERRY_TASK": str(task), "FERRY_CLI": "/nowhere"})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("none", done.stdout.splitlines()[0])
                self.assertEqual(done.stdout.splitlines()[1:], ["LanguageModel(draft) True"])

    def test_tokens_and_sessions_are_those_of_the_device(self):
        """The same calls on the library and on the device's own modules, in a child."""
        text = ("from ferry import _backend, llm\n"
                "def calls(m):\n"
                "    yield m.encode('It was <|im_end|> na\\u00efve'), m.encode('<|im_end|>', specials=False), m.end_tokens\n"
                "    yield m.decode(m.encode('It was <|im_end|>'), skip_specials=True)\n"
                "    s = m.session(context=64)\n"
                "    s.append('It was')\n"
                "    yield len(s), list(s.tokens), s.context, s.argmax()\n"
                "    whole = s.generate(max_new=12, temperature=1.0, seed=5)\n"
                "    yield whole, list(s.tokens)\n"
                "    s.truncate(2)\n"
                "    yield s.generate(max_new=12, temperature=1.0, seed=5, stop=[whole[4:6]]), len(s)\n"
                "    s.append([1, 2, 3])\n"
                "    yield list(s.tokens), m.session().context\n"
                "    for call in (lambda: s.append([1 << 30]), lambda: s.truncate(99), lambda: s.append([1] * 99),\n"
                "                 lambda: m.session(context=0 - 1), lambda: m.session(context=4).generate()):\n"
                "        try: yield call()\n        except Exception: yield 'refused'\n"
                "here, there = llm.load('draft'), _backend.current().module('llm').load('draft')\n"
                "ours, theirs = list(calls(here)), list(calls(there))\n"
                "for one, other in zip(ours, theirs): assert one == other, (one, other)\n"
                "print(len(ours), ours.count('refused'))\n")
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120,
                              env={**python_binding.ENVIRONMENT, "FERRY_TASK": str(ROOT / "tasks/pair")})
        self.assertEqual((done.returncode, done.stdout), (0, "11 5\n"), done.stderr)

    def test_a_whole_task(self):
        done = subprocess.run([sys.executable, "-m", "ferry", DIGITS, "--events", DIGITS / "cases.json"], capture_output=True,
                              text=True, timeout=120, env=python_binding.ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        read = json.loads(done.stdout)
        self.assertTrue(all("result" in one for one in read["outcomes"]))
        self.assertEqual(len(read["outcomes"]), len(read["rows"]))

    def test_pytest(self):
        if subprocess.run([sys.executable, "-m", "pytest", "--version"], capture_output=True).returncode:
            print("SKIPPED: no pytest (python3-pytest)", file=sys.stderr)
            self.skipTest("no pytest")
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "steps"
            subprocess.run([python_binding.BIN / "ferry", "task", "new", folder], check=True, capture_output=True)
            done = subprocess.run([sys.executable, "-m", "pytest", folder], capture_output=True, text=True,
                                  env={**python_binding.ENVIRONMENT, "FERRY_TASK": str(folder)})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
