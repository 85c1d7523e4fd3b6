"""How the command line explains itself: unknown words, examples, completion, man pages, new projects."""
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import time
import unittest
import zipfile

import engine_test
import fixture

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Commands whose examples need no server, in an order in which each finds what it names.
RUN = ["pack", "run", "convert", "compare", "bench", "ops", "gate simulate", "simulate", "conformance", "completion", "man", "new task",
       "task new", "new app", "new model", "task check", "task run", "task test", "task exec", "stream check", "stream top", "keys init", "keys show"]


def words_of(line):
    """The commands of an example: words of each part between pipes and redirections."""
    parts = [[]]
    for word in shlex.split(line, comments=True):
        if word in ("|", ";", "&&", ">", "<"):
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part and part[0] == "ferry"]


class UsageTest(fixture.CliTest):
    def wrong(self, says, *arguments):
        done = self.ferry(*arguments)
        self.assertEqual(done.status, 2, f"{arguments}: {done.out}{done.err}")
        self.assertEqual(done.out, "")
        self.assertEqual(done.err.count("\n"), 1, done.err)
        self.assertTrue(done.err.startswith("ferry: usage: "), done.err)
        self.assertIn(says, done.err)
        return done.err

    def commands(self):
        return self.good("man")["commands"]

    def test_unknown_commands(self):
        release = 'unknown command "relase"; did you mean "ferry release"? (try ferry --help)'
        for more in ((), ("--help",), ("list",), ("list", "--help"), ("start", "--package", "x")):
            self.wrong(release, "relase", *more)
        start = 'unknown command "strt"; did you mean "ferry release start"? (try ferry release --help)'
        for more in ((), ("--help",)):
            self.wrong(start, "release", "strt", *more)
        self.wrong('unknown command "describe"; did you mean "ferry llm describe"?', "describe", "x")
        self.assertNotIn("did you mean", self.wrong('unknown command "frobnicate"', "frobnicate", "--help"))
        told = self.ferry("relase", "--json")
        self.assertEqual(told.status, 2)
        self.assertEqual(told.json()["error"]["name"], "invalid_argument")
        self.assertIn("ferry release", told.json()["error"]["text"])

    def test_unknown_options(self):
        threads = 'unknown option "--thread"; did you mean "--threads"? (try ferry bench --help)'
        for words in (("--thread", "2", "m.onnx"), ("m.onnx", "--thread", "2"), ("--thread=2", "m.onnx"),
                      ("--thread", "2", "m.onnx", "--help"), ("--thread",)):
            self.assertNotIn("m.onnx", self.wrong(threads, "bench", *words))
        self.wrong('unknown option "--servr"; did you mean "--server"?', "release", "list", "--servr", "http://x")
        self.assertNotIn("did you mean", self.wrong('unknown option "--zzzzzz"', "bench", "m.onnx", "--zzzzzz"))
        self.wrong('"c" is one argument too many (try ferry bench --help)', "bench", "a.onnx", "c")

    def test_what_is_known_gets_its_help(self):
        for words in ((), ("release",), ("release", "start"), ("llm", "describe"), ("bench",)):
            done = self.ferry(*words, "--help")
            self.assertEqual((done.status, done.err), (0, ""))
            self.assertIn("Usage:", done.out)
        self.assertRegex(self.ferry("--version").out, r"^ferry \d+\.\d+\.\d+\n$")

    def test_every_command_has_an_example_of_options_that_it_has(self):
        commands = {one["command"]: one for one in self.commands()}
        self.assertGreater(len(commands), 80)
        names = {path: {name for one in command["options"] for name in one["names"].split(",")}
                 for path, command in commands.items()}
        for path, command in commands.items():
            if command["group"]:
                continue
            with self.subTest(path):
                self.assertTrue(command["examples"], "no example")
                self.assertTrue(any(" ".join(words).startswith(path) for line in command["examples"] for words in words_of(line)),
                                command["examples"])
                for line in command["examples"]:
                    for words in words_of(line):
                        at, known = "ferry", set(names["ferry"])
                        for word in words[1:]:
                            if f"{at} {word}" in commands:
                                at = f"{at} {word}"
                                known |= names[at]
                            elif word.startswith("-") and word != "-":
                                self.assertIn(word.split("=")[0], known, line)
                        self.assertFalse(commands[at]["group"], line)

    def files(self):
        """What the examples name."""
        for task in ("digits", "ipv"):
            shutil.copytree(ROOT / "tasks" / task, self.folder / "tasks" / task)
        shutil.copy(ROOT / "tasks/digits/digits.onnx", self.folder)
        shutil.copy(ROOT / "tasks/digits/cases.json", self.folder / "events.json")
        shape = (1, 3, 224, 224)
        (self.folder / "model.onnx").write_bytes(fixture.onnx("Relu", shape, x="image"))
        elements = 3 * 224 * 224
        with zipfile.ZipFile(self.folder / "golden.npz", "w") as golden:
            for name in ("image", "y"):
                golden.writestr(f"{name}.npy", engine_test.npy("<f4", shape, [1] * elements))
        (self.folder / "cat.jpg").write_bytes(engine_test.png([[(1, 2, 3), (4, 5, 6)]]))
        (self.folder / "classes.txt").write_text("\n".join(f"class {i}" for i in range(224)))
        (self.folder / "stages.json").write_text('[{"kind": "gray", "percent": 5}, {"kind": "full"}]')
        (self.folder / "script.py").write_text("print(6 * 7)\n")
        (self.folder / "rules.txt").write_text("rule cart per user { a: tap; then b: tap; within 10 min }\n")
        (self.folder / "day.jsonl").write_text('{"id": "tap", "time_ms": 1}\n')
        case = self.folder / "cases/node/test_relu"
        (case / "test_data_set_0").mkdir(parents=True)
        (case / "model.onnx").write_bytes(fixture.onnx("Relu"))
        tensor = fixture.field(1, 1) + fixture.field(1, 4) + fixture.field(2, 1) + fixture.field(9, bytes(16))
        for name in ("input_0.pb", "output_0.pb"):
            (case / "test_data_set_0" / name).write_bytes(tensor)
        for folder in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions", "share/man", "server"):
            (self.folder / folder).mkdir(parents=True)
        keys = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("director", "snapshot", "timestamp")}
        (self.folder / "server/online-keys.json").write_text(
            json.dumps({"type": "ferry-online-keys", "escrow": "09" + "00" * 31, **keys}))

    def test_examples_that_need_no_server_run(self):
        self.files()
        folder = pathlib.Path(fixture.PROGRAM).resolve().parent
        environment = {**self.environment, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(self.folder)}
        examples = {one["command"].removeprefix("ferry "): one["examples"] for one in self.commands()}
        for command in RUN:
            for line in examples[command]:
                if "man -l" in line and not shutil.which("man"):
                    continue
                if command == "task new":
                    shutil.rmtree(self.folder / "steps")  # of `new task`
                with self.subTest(line):
                    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120, env=environment,
                                          cwd=self.folder)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_completion_of_commands_options_and_values(self):
        def words(*given):
            done = self.ferry("complete", "--", *given)
            self.assertEqual(done.status, 0, done.err)
            return [line.split("\t")[0] for line in done.out.splitlines()]
        self.assertEqual(words("rel"), ["release"])
        self.assertIn("release", words(""))
        self.assertIn("run", words(""))
        self.assertEqual(words("release", "sta"), ["start"])
        self.assertEqual(words("bench", "m.onnx", "--thr"), ["--threads"])
        self.assertEqual(words("run", "m.onnx", "--layout", ""), ["nchw", "nhwc"])
        self.assertEqual(words("run", "--json", "m.onnx", "--layout", "nh"), ["nhwc"])
        self.assertIn("--server", words("release", "list", "--"))
        self.assertEqual(words("bench", "--threads", "2", ""), [])  # a file
        self.assertEqual(words("frobnicate", "--zzz"), [])
        self.assertEqual(words("completion", ""), ["bash", "fish", "zsh"])
        self.assertEqual(words("new", ""), ["app", "model", "task"])
        self.assertEqual(words("new", "app", "shop", "--lang", ""), ["c", "cpp", "java", "js", "python"])
        self.assertEqual(words("new", "task", "--lang", ""), ["python"])
        self.assertRegex(self.ferry("complete", "--", "rel").out, "^release\t.*releases")

    def test_completion_of_what_the_server_has(self):
        server = self.serve()
        server.answers["GET /devices"] = 200, {"devices": [{"id": "d1"}, {"id": "e2"}]}
        server.answers["GET /packages"] = 200, {"packages": [{"name": "sums"}, {"name": "digits"}]}
        server.answers["GET /releases"] = 200, {"releases": [{"id": "r1"}]}
        for given, expected in ((("device", "show", ""), ["d1", "e2"]), (("device", "why", "e"), ["e2"]),
                                (("release", "start", "--package", "s"), ["sums"]), (("status", ""), ["r1"]),
                                (("rollback", ""), ["r1"])):
            self.assertEqual(self.ferry("complete", "--", *given).out.split(), expected, given)
        with socket.create_server(("127.0.0.1", 0)) as silent:  # which takes a line and never answers
            begun = time.monotonic()
            done = self.ferry("complete", "--", "status", "", FERRY_SERVER=f"http://127.0.0.1:{silent.getsockname()[1]}")
            self.assertEqual((done.status, done.out, done.err), (0, "", ""))
            self.assertLess(time.monotonic() - begun, 30)
        server.close()
        gone = self.ferry("complete", "--", "status", "")
        self.assertEqual((gone.status, gone.out, gone.err), (0, "", ""))

    def test_completion_in_bash(self):
        folder = pathlib.Path(fixture.PROGRAM).resolve().parent
        script = self.folder / "complete.bash"
        script.write_text(f"""PATH={folder}:$PATH
source <(ferry completion bash)
complete -p ferry
COMP_WORDS=(ferry release sta); COMP_CWORD=2; _ferry; echo "${{COMPREPLY[*]}}"
COMP_WORDS=(ferry bench m.onnx --thr); COMP_CWORD=3; _ferry; echo "${{COMPREPLY[*]}}"
COMP_WORDS=(ferry run --layout ""); COMP_CWORD=3; _ferry; printf '%s,' "${{COMPREPLY[@]}}"
""")
        done = subprocess.run(["bash", "--norc", script], capture_output=True, text=True, timeout=60, env=self.environment)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.splitlines(),
                         ["complete -o default -F _ferry ferry", "start", "--threads", "nchw,nhwc,"])

    def test_completion_scripts_are_taken_by_their_shells(self):
        for shell, check in (("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])):
            script = self.folder / shell
            script.write_text(self.ferry("completion", shell).out)
            self.assertIn("complete --", script.read_text())
            if shutil.which(shell):
                done = subprocess.run([shell, *check, script], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
        self.assertEqual(self.ferry("completion", "tcsh").status, 2)

    def test_man_pages(self):
        folder = self.folder / "man1"
        pages = self.good("man", "--dir", folder)["pages"]
        tops = [one["command"].split()[1] for one in self.commands() if one["command"].count(" ") == 1]
        self.assertEqual(sorted(pages), sorted(["ferry.1"] + [f"ferry-{name}.1" for name in tops]))
        release = (folder / "ferry-release.1").read_text()
        for part in (".TH FERRY", ".SH NAME\nferry\\-release \\- ", ".SH SYNOPSIS", ".SS ferry release start", "\\-\\-package"):
            self.assertIn(part, release)
        self.assertEqual(self.ferry("man", "release").out, release)
        self.assertEqual(self.ferry("man", "release", "start").out, release)
        self.bad("not_found", "man", "relase")
        if shutil.which("groff"):
            for page in pages:
                done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z", folder / page], capture_output=True, text=True,
                                      timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""), page)

    def test_new_projects_pass_their_test(self):
        folder = pathlib.Path(fixture.PROGRAM).resolve().parent
        environment = {**self.environment, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
        for kind, more, says in (("task", (), "4 passed, 0 failed"), ("task", ("--lang", "python"), "4 passed, 0 failed"),
                                 ("model", (), "2 passed")):
            made = self.good("new", kind, self.folder / f"{kind}{len(more)}", *more)
            self.assertEqual(made[kind], f"{kind}{len(more)}")
            for file in made["files"]:
                self.assertNotIn("@NAME@", (self.folder / made[kind] / file).read_bytes().decode(errors="replace"))
            done = subprocess.run(made["test"], shell=True, capture_output=True, text=True, timeout=120, env=environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(says, done.stdout)
        readme = (self.folder / "model0/README.md").read_text()
        for line in re.findall("^    (ferry .*)$", readme, re.M):
            done = subprocess.run(line.split("#")[0].replace("--threads 2", "--seconds 0"), shell=True, capture_output=True, text=True,
                                  timeout=120, env=environment, cwd=self.folder / "model0")
            self.assertEqual(done.returncode, 0, (line, done.stderr))
        test = self.folder / "model0/test_model.py"
        test.write_text(test.read_text().replace("0.651564", "0.751564"))
        broken = subprocess.run(["python3", test], capture_output=True, text=True, timeout=60, env=environment)
        self.assertEqual(broken.returncode, 1)
        self.bad("already_exists", "new", "task", self.folder / "task0")

    def test_new_projects_that_cannot_be(self):
        place = self.folder / "x"
        self.wrong('an app is made in c, cpp, java, js, python, not in "pyton"; did you mean "python"? (try ferry new app --help)',
                   "new", "app", place, "--lang", "pyton")
        self.assertNotIn("did you mean", self.wrong('not in "cobol"', "new", "model", place, "--lang", "cobol"))
        self.wrong('a task\'s scripts are in python; `ferry new app NAME --lang js` makes an app', "new", "task", place, "--lang", "js")
        self.wrong('did you mean "ferry new app"?', "new", "ap", place)
        for kind in (("new", "app"), ("new", "model"), ("new", "task"), ("task", "new")):
            for name in ("1st", "a b", "shop.js", "a" * 65, "@NAME@", "."):
                self.wrong(f'"{name}": the name of a', *kind, f"{self.folder}/{name}")
            self.wrong('"": the name of a', *kind, "/")
            self.wrong('"Ferry" is the name of the library', *kind, self.folder / "Ferry")
        self.assertEqual(list(self.folder.iterdir()), [])
        place.mkdir()
        for name in ("x", "x/"):
            self.assertIn(f"{place}", self.bad("already_exists", "new", "app", f"{self.folder}/{name}"))
        (self.folder / "file").write_text("mine")
        self.bad("already_exists", "new", "task", self.folder / "file")
        self.assertEqual((self.folder / "file").read_text(), "mine")

    def test_a_new_project_is_told_by_a_command_line_that_holds(self):
        """Of a folder whose path no shell takes as it is."""
        made = self.good("new", "task", self.folder / "it's mine; true/steps")
        environment = {**self.environment, "PATH": f"{pathlib.Path(fixture.PROGRAM).resolve().parent}:{os.environ['PATH']}"}
        done = subprocess.run(made["test"], shell=True, capture_output=True, text=True, timeout=60, env=environment)
        self.assertIn("4 passed", done.stdout, made["test"] + done.stderr)
        said = self.ferry("new", "model", self.folder / "flowers").out
        self.assertEqual(said, f"{self.folder}/flowers: a model in python. Its test: python3 {self.folder}/flowers/test_model.py\n")


if __name__ == "__main__":
    unittest.main()
