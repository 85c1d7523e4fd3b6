"""`ferry task exec`: output and exit status as python3 gives them, imports, limits, bad input."""
import pathlib
import subprocess
import sys
import unittest

import fixture

PROGRAMS = {
    "plain": "print('a', 1)\nprint('\\u00e9', end='')\n",
    "quiet": "x = 1\n",
    "raises": "def f():\n    return [][1]\nprint('before')\nf()\n",
    "exit_number": "raise SystemExit(7)\n",
    "exit_large": "raise SystemExit(1000)\n",
    "exit_negative": "raise SystemExit(-1)\n",
    "exit_none": "raise SystemExit\n",
    "exit_text": "print('out')\nraise SystemExit('stopped')\n",
    "exit_tuple": "raise SystemExit(1, 2)\n",
    "exit_true": "raise SystemExit(True)\n",
    "exit_caught": "try:\n    raise SystemExit(3)\nexcept SystemExit as e:\n    print('caught', e)\n",
    "syntax": "print('not reached')\nx = = 1\n",
    "name": "print(__name__)\n",
    "main": "if __name__ == '__main__':\n    print('main')\n",
}


class TaskExecTest(fixture.CliTest):
    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_both(self, path):
        ours = subprocess.run([fixture.PROGRAM, "task", "exec", path], capture_output=True, env=self.environment)
        theirs = subprocess.run([sys.executable, path], capture_output=True)
        return ours, theirs

    def test_as_python(self):
        for name, text in PROGRAMS.items():
            with self.subTest(name):
                ours, theirs = self.run_both(self.write(name + ".py", text))
                self.assertEqual((ours.returncode, ours.stdout), (theirs.returncode, theirs.stdout), ours.stderr)
                self.assertEqual(bool(ours.stderr), bool(theirs.stderr))

    def test_what_is_uncaught_is_told(self):
        ours, theirs = self.run_both(self.write("raises.py", PROGRAMS["raises"]))
        last = theirs.stderr.decode().splitlines()[-1]
        self.assertEqual(ours.stderr.decode().splitlines()[-1], last)
        self.assertIn("line 4, in <module>", ours.stderr.decode())
        ours, _ = self.run_both(self.write("text.py", PROGRAMS["exit_text"]))
        self.assertEqual(ours.stderr, b"stopped\n")

    def test_imports_beside_it(self):
        self.write("app/helper.py", "value = 5\n")
        self.write("app/parts/__init__.py", "name = 'parts'\n")
        self.write("app/parts/one.py", "value = 6\n")
        self.write("app/bare/two.py", "value = 7\n")
        self.write("app/queue.py", "value = 8\n")  # comes before the library's
        main = self.write("app/main.py", "import helper, parts.one\nfrom parts import name\nimport bare.two, queue\n"
                          "print(helper.value, parts.one.value, name, bare.two.value, queue.value)\n"
                          "try:\n    import nothing_here\nexcept ModuleNotFoundError as e:\n    print(e)\n")
        ours, theirs = self.run_both(main)
        self.assertEqual((ours.returncode, ours.stdout), (theirs.returncode, theirs.stdout), ours.stderr)

    def limit(self, text, *options):
        path = self.write("limit.py", text)
        done = subprocess.run([fixture.PROGRAM, "task", "exec", *options, path], capture_output=True,
                              env=self.environment, timeout=60)
        return done.returncode, done.stderr.decode().splitlines()[-1:], done.stdout

    def test_limits(self):
        endless = "print('begin')\nwhile True:\n    pass\n"
        grows = "x = []\nwhile True:\n    x.append('a' * 100000 + str(len(x)))\n"
        self.assertEqual(self.limit(endless, "--limits"), (3, ["limit: instructions"], b"begin\n"))
        self.assertEqual(self.limit(endless, "--instructions", "1000"), (3, ["limit: instructions"], b"begin\n"))
        self.assertEqual(self.limit(endless, "--seconds", "0.2"), (3, ["limit: time"], b"begin\n"))
        self.assertEqual(self.limit(grows, "--memory-mb", "8"), (3, ["limit: memory"], b""))
        self.assertEqual(self.limit(grows, "--limits"), (3, ["limit: memory"], b""))
        large = "try:\n    'ab' * (1 << 50)\nexcept MemoryError:\n    print('caught')\n"
        self.assertEqual(self.limit(large), (0, [], b"caught\n"))
        self.assertEqual(self.limit(large, "--limits"), (3, ["limit: memory"], b""))
        self.assertEqual(self.limit(large, "--memory-mb", "64"), (3, ["limit: memory"], b""))
        self.assertEqual(self.limit("print(1)\n", "--limits", "--memory-mb", "4", "--seconds", "5"), (0, [], b"1\n"))

    def test_bad_input(self):
        missing = subprocess.run([fixture.PROGRAM, "task", "exec", self.folder / "none.py"], capture_output=True,
                                 env=self.environment)
        self.assertEqual(missing.returncode, 2)
        self.assertIn(b"none.py", missing.stderr)
        self.assertEqual(self.limit("x", "--memory-mb", "0")[0], 2)
        self.assertEqual(self.limit("x", "--seconds", "nan")[0], 2)
        self.assertEqual(self.limit("x", "--json")[0], 1)
        binary = self.folder / "binary.py"
        binary.write_bytes(b"\xff\xfe\x00print(1)")
        ours, theirs = self.run_both(binary)
        self.assertEqual((ours.returncode, ours.stdout), (theirs.returncode, theirs.stdout))


if __name__ == "__main__":
    unittest.main()
