"""`ferry task new|check|run|test`."""
import json
import subprocess
import unittest

import fixture


class TaskTest(fixture.CliTest):
    def task(self, *arguments):
        return subprocess.run([fixture.PROGRAM, "task", *arguments], capture_output=True, text=True, env=self.environment)

    def setUp(self):
        super().setUp()
        self.path = self.folder / "steps"
        made = self.task("new", self.path)
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_a_new_task_checks_runs_and_passes(self):
        for command in ("check", "run", "test"):
            done = self.task(command, self.path)
            self.assertEqual(done.returncode, 0, (command, done.stdout, done.stderr))
        self.assertIn("4 passed, 0 failed", done.stdout)

    def test_names(self):
        for name in ("1st", "a b", "-x", "a" * 65):
            done = self.task("new", self.folder / "made" / name)
            self.assertEqual(done.returncode, 2, name)
            self.assertIn("the name of a task is", done.stderr)

    def test_check_shows_all_errors(self):
        (self.path / "task.py").write_text("def f(:\n    pass\n")
        (self.path / "test_task.py").write_text("x = = 1\n")
        done = self.task("check", self.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/task.py", done.stdout)
        self.assertIn("test_task.py", done.stdout)
        self.assertIn("^", done.stdout)
        one = self.task("check", self.path / "task.py")
        self.assertEqual(one.returncode, 1)

    def test_check_warns_of_what_is_probably_wrong(self):
        folder = self.path / "lib"
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        (folder / "part.py").write_text("import math\n\n\ndef f(a):\n    return a + missing\n")
        done = self.task("check", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{folder}/part.py:1:1: 'math' is imported but not used\n", done.stdout)
        self.assertIn(f"{folder}/part.py:5:16: undefined name 'missing'\n", done.stdout)
        read = json.loads(self.task("check", self.path, "--json").stdout)
        self.assertEqual(read["errors"], [])
        self.assertEqual([(one["file"], one["line"], one["column"], one["warning"]) for one in read["warnings"]],
                         [(f"{folder}/part.py", 1, 1, "'math' is imported but not used"),
                          (f"{folder}/part.py", 5, 16, "undefined name 'missing'")])
        self.assertEqual(self.task("check", self.path, "--strict").returncode, 1)
        (folder / "part.py").write_text("def f(a):\n    return a\n")
        clean = self.task("check", self.path, "--strict")
        self.assertEqual(clean.returncode, 0, clean.stdout)
        self.assertIn("scripts are good, 0 warnings", clean.stdout)

    def test_check_warns_of_streams_and_rules_that_lead_nowhere(self):
        path = self.path / "task.json"
        task = {**json.loads(path.read_text()), "streams": [{"name": "idle", "source": "tap"}],
                "rules": [{"name": "left", "steps": [{"name": "a", "event": "tap"}]}]}
        path.write_text(json.dumps(task))
        done = self.task("check", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        read = json.loads(self.task("check", self.path, "--json").stdout)
        self.assertEqual([one["file"] for one in read["warnings"]], [str(path)] * 2)
        for name, one in zip(("stream idle without a reader", "rule left leads nowhere"), read["warnings"]):
            self.assertIn(name, one["warning"])
            self.assertIn(f"{path}: {one['warning']}\n", done.stdout)
        self.assertEqual(self.task("check", self.path, "--strict").returncode, 1)

    def test_check_refuses_what_pack_refuses(self):
        path = self.path / "task.json"
        good = path.read_text()
        script = self.path / "task.py"
        cases = {"entry": (good.replace("on_trigger", "on_triger"), script.read_text(), "'on_triger'; did you mean 'on_trigger'?"),
                 "loop": (good, script.read_text() + "\nwhile True:\n    pass\n", "limit of 1000000 instructions"),
                 "raise": (good, script.read_text() + "\nraise ValueError('at the top')\n", "at the top")}
        for name, (task, text, says) in cases.items():
            path.write_text(task)
            script.write_text(text)
            for command in (("task", "check", self.path), ("pack", self.path, "-o", self.folder / "steps.fpk")):
                done = self.ferry(*command)
                self.assertEqual(done.status, 1, (name, command, done.out))
                self.assertIn(says, done.err)
                self.assertIn("task.py", done.err)

    def test_a_bad_task_json_has_line_and_column(self):
        path = self.path / "task.json"
        path.write_text(path.read_text().replace('"trigger"', "trigger"))
        for command in ("check", "run", "test"):
            self.assertIn(f"{path}: not JSON at line 7, column 3", self.ferry("task", command, self.path).err)

    def test_check_reads_task_json(self):
        (self.path / "task.json").write_text('{"name": "steps", "version": "1", "script": "no.py", "entry": "x"}')
        done = self.task("check", self.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no.py", done.stderr)

    def test_failing_tests_are_named(self):
        (self.path / "test_more.py").write_text(
            "import task\ncount = 0\n"
            "def test_fresh():\n    global count\n    count += 1\n    assert count == 1\n"
            "def test_fresh_again():\n    test_fresh()\n"
            "def test_wrong():\n    assert task.mean([1]) == 2, 'not two'\n"
            "def test_endless():\n    while True: pass\n")
        done = self.task("test", self.path, "--json")
        self.assertEqual(done.returncode, 1)
        read = json.loads(done.stdout)
        self.assertEqual((read["passed"], read["failed"]), (6, 2))
        self.assertEqual([failure["test"] for failure in read["failures"]], ["test_more.test_wrong", "test_more.test_endless"])
        self.assertIn("not two", read["failures"][0]["error"])
        self.assertIn("instructions", read["failures"][1]["error"])

    def test_failing_cases_are_named(self):
        text = (self.path / "cases.json").read_text()
        (self.path / "cases.json").write_text(text.replace('"mean": 3', '"mean": 4'))
        done = self.task("test", self.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("three", done.stdout)
        self.assertIn("expected 4, got 3", done.stdout)

    def test_run_feeds_events(self):
        events = self.folder / "events.json"
        events.write_text('{"id": "reading", "data": {"values": [5]}}\n{"id": "other"}\n')
        done = self.task("run", self.path, "--events", events, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        read = json.loads(done.stdout)
        self.assertEqual([o["result"] for o in read["outcomes"]], [{"mean": 5.0, "count": 1}])
        self.assertEqual(read["stats"]["metrics"], {"readings": 1.0})


if __name__ == "__main__":
    unittest.main()
