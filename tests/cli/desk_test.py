"""The desk library: `ferry task exec` and `test` have it; a task that imports one of its modules is refused."""
import json
import subprocess
import unittest

import fixture

MODULES = ("atexit", "codecs", "graphlib", "inspect", "pickle", "pprint", "queue", "reprlib", "shlex", "test", "test.support",
           "test.support.import_helper", "test.support.os_helper", "test.support.warnings_helper", "unittest", "unittest.mock")
ENTRY = "def on_trigger(matched):\n    return {'sum': 0}\n"


class DeskTest(fixture.CliTest):
    def run_ferry(self, *arguments):
        return subprocess.run([fixture.PROGRAM, *arguments], capture_output=True, text=True, env=self.environment)

    def folder_of(self, script, files=None):
        """A task's folder with these files."""
        folder = self.folder / f"task{len(list(self.folder.iterdir()))}"
        for name, text in {"task.py": script, **(files or {})}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        (folder / "task.json").write_text(json.dumps(fixture.TASK))
        return folder

    def packed(self, folder):
        return self.run_ferry("pack", folder, "-o", self.folder / "out.fpk")

    def assert_refused(self, folder, file, line, module):
        place = f"{folder / file}:{line}:"
        for done in (self.packed(folder), self.run_ferry("task", "check", folder)):
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("unsupported", done.stderr)
            self.assertIn(place, done.stderr)
            self.assertIn(f"module '{module}' is only on the desk", done.stderr)
        self.assertFalse((self.folder / "out.fpk").exists())

    def assert_taken(self, folder):
        for done in (self.packed(folder), self.run_ferry("task", "check", folder)):
            self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "out.fpk").unlink()

    def test_each_module_is_refused(self):
        for name in MODULES:
            with self.subTest(name):
                self.assert_refused(self.folder_of(f"x = 1\nimport {name}\n" + ENTRY), "task.py", 2, name)

    def test_every_way_to_import(self):
        for text, line, module in (
                ("from unittest import mock\n", 1, "unittest"),
                ("import math, test.support as s\n", 1, "test.support"),
                ("def f():\n    from pickle import dumps\n    return dumps\n", 2, "pickle"),
                ("class C:\n    import queue\n", 2, "queue"),
                ("try:\n    x = 1\nexcept ImportError:\n    import shlex\n", 4, "shlex"),
                ("try:\n    import codecs\nfinally:\n    x = 1\n", 2, "codecs"),
                ("if 1:\n    pass\nelse:\n    import inspect\n", 4, "inspect")):
            with self.subTest(text):
                self.assert_refused(self.folder_of(text + ENTRY), "task.py", line, module)

    def test_modules_of_the_task(self):
        lib = {"lib/__init__.py": "from . import part\n", "lib/part.py": "y = 1\n\nimport pprint\n"}
        self.assert_refused(self.folder_of("import lib\n" + ENTRY, lib), "lib/part.py", 3, "pprint")
        self.assert_refused(self.folder_of("from lib.part import y\n" + ENTRY, lib), "lib/part.py", 3, "pprint")
        folder = self.folder_of("import pickle, lib\n" + ENTRY, lib)
        self.assert_refused(folder, "task.py", 1, "pickle")
        text = self.run_ferry("task", "check", folder).stdout  # all of them
        self.assertIn(f"{folder}/task.py:1:1: module 'pickle'", text)
        self.assertIn(f"{folder}/lib/part.py:3:1: module 'pprint'", text)
        packed = json.loads(self.run_ferry("pack", folder, "-o", self.folder / "out.fpk", "--json").stdout)
        self.assertEqual(packed["error"]["name"], "unsupported")

    def test_what_never_runs_on_a_device_is_taken(self):
        lib = {"tools_of_tests.py": "import pickle\nfrom unittest import mock\n"}
        for text in ("try:\n    import pickle\nexcept ImportError:\n    pickle = None\n",
                     "if __name__ == '__main__':\n    import unittest\n    unittest.main()\n",
                     "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from queue import Queue\n",
                     "x = 1\n"):
            with self.subTest(text):
                self.assert_taken(self.folder_of(text + ENTRY, lib))

    def test_a_tasks_own_module_of_that_name(self):
        for name in ("queue", "codecs", "atexit", "test", "unittest"):
            with self.subTest(name):
                script = f"import {name}\n\ndef on_trigger(matched):\n    return {{'mine': {name}.mine}}\n"
                events = self.folder / "events.json"
                events.write_text('{"id": "number", "data": {}}\n')
                for file in (f"{name}.py", f"{name}/__init__.py"):
                    folder = self.folder_of(script, {file: "mine = 7\n"})
                    self.assert_taken(folder)
                    ran = self.run_ferry("task", "run", folder, "--events", events, "--json")
                    self.assertEqual(ran.returncode, 0, ran.stderr)
                    self.assertEqual(json.loads(ran.stdout)["outcomes"][0]["result"], {"mine": 7})
                    one = self.run_ferry("task", "check", folder / "task.py")
                    self.assertEqual(one.returncode, 0, one.stderr)

    def test_one_file(self):
        folder = self.folder_of("x = 1\nimport pickle\n" + ENTRY, {"test_task.py": "import unittest\nunittest.main\n",
                                                             "p/__init__.py": "", "p/q.py": "import queue\n", "queue.py": ""})
        refused = self.run_ferry("task", "check", folder / "task.py")
        self.assertEqual(refused.returncode, 1)
        self.assertIn(f"{folder}/task.py:2:1: module 'pickle' is only on the desk", refused.stderr)
        self.assertEqual(self.run_ferry("task", "check", folder / "test_task.py").returncode, 0)
        self.assertEqual(self.run_ferry("task", "check", folder / "p/q.py").returncode, 0)

    def test_tests_of_a_task_have_it(self):
        folder = self.folder_of(ENTRY, {
            "helper_of_tests.py": "import pickle\n\ndef copy(x):\n    return pickle.loads(pickle.dumps(x))\n",
            "test_task.py": "import task\nfrom unittest import mock\nimport helper_of_tests\nimport " + ", ".join(MODULES) + "\n\n"
                            "def test_sum():\n    assert helper_of_tests.copy(task.on_trigger([])) == {'sum': 0}\n"
                            "    with mock.patch('task.on_trigger', return_value=5):\n        assert task.on_trigger([]) == 5\n"})
        done = self.run_ferry("task", "test", folder)
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        self.assertIn("1 passed, 0 failed", done.stdout)
        self.assert_taken(folder)

    def test_exec_has_it(self):
        for name in MODULES:
            with self.subTest(name):
                script = self.folder / "script.py"
                script.write_text(f"import sys, {name}\nprint(sys.modules[{name!r}].__name__)\n")
                done = self.run_ferry("task", "exec", script)
                self.assertEqual((done.returncode, done.stdout), (0, name + "\n"), done.stderr)

    def test_exec_finds_modules_as_python_does(self):
        for name, mine in (("queue", True), ("pickle", True), ("codecs", False), ("atexit", False)):
            with self.subTest(name):
                (self.folder / "d").mkdir(exist_ok=True)
                (self.folder / "d" / f"{name}.py").write_text("mine = True\n")
                script = self.folder / "d" / "script.py"
                script.write_text(f"import {name}\nprint(hasattr({name}, 'mine'))\n")
                done = self.run_ferry("task", "exec", script)
                self.assertEqual((done.returncode, done.stdout), (0, f"{mine}\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
