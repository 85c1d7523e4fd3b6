"""`ferry new`: each project is made, built and tested as its README says, with nothing of Ferry's tree but what was installed:
the prefix of `cmake --install`, the wheel, the npm package, the jar.

Skipped, saying so, where a language's tools or its package are not there.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from bindings import BIN, ROOT, run

BUILD = BIN.parent
JAR = BUILD / "sdk/java/ferry.jar"
NODE_PACKAGE = BUILD / "sdk/node/node_modules/ferry"
EXTENSION = BUILD / "lib/_ferry.abi3.so"
# What each language needs beside the build's own package: a program and Debian's package of it.
TOOLS = {"c": ("cmake", "cmake"), "cpp": ("cmake", "cmake"), "java": ("javac", "openjdk-17-jdk-headless"), "js": ("npm", "npm"),
         "python": ("python3", "python3")}
PACKAGES = {"java": JAR, "js": NODE_PACKAGE / "native/ferry.node", "python": EXTENSION}
MOST_README_LINES = 30
WARNINGS = "-Wall -Wextra -Wpedantic -Werror"
# A number that each project's test expects of its model.
EXPECTED = "0.651564"


class New(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="ferry-new-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        prefix = cls.folder / "prefix"
        for component in ("library", "development"):
            run("cmake", "--install", BUILD, "--prefix", prefix, "--component", component)
        # Nothing of the tree may be found by accident.
        tools = cls.folder / "bin"
        tools.mkdir()
        (tools / "ferry").symlink_to(BIN / "ferry")
        cls.environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(cls.folder), "CMAKE_PREFIX_PATH": str(prefix),
                           "npm_config_offline": "true", "npm_config_update_notifier": "false", "PIP_NO_INDEX": "1",
                           "CFLAGS": WARNINGS, "CXXFLAGS": WARNINGS, "PYTHONDONTWRITEBYTECODE": "1",
                           "FERRY_CONFIG": str(cls.folder / "login.json")}

    def ferry(self, *words):
        return subprocess.run([BIN / "ferry", *map(str, words)], capture_output=True, text=True, timeout=60, env=self.environment)

    def shell(self, line, cwd):
        return subprocess.run(["bash", "-euc", line], capture_output=True, text=True, timeout=300, env=self.environment, cwd=cwd,
                              stdin=subprocess.DEVNULL)

    def needs(self, language):
        tool, package = TOOLS[language]
        missing = None
        if shutil.which(tool) is None:
            missing = f"{tool} is missing (Debian: {package})"
        elif language in PACKAGES and not PACKAGES[language].is_file():
            missing = f"{PACKAGES[language]} is not built"
        elif language == "python" and subprocess.run(["python3", "-c", "import ensurepip, tomllib"], capture_output=True).returncode:
            missing = "python3 is older than 3.11 or has no venv (Debian: python3-venv)"
        if missing:
            print(f"SKIPPED: new_test.py: {language}: {missing}", file=sys.stderr)
            self.skipTest(missing)

    def bring_package(self, language, project):
        """What the README has the user copy: Ferry's package of the language."""
        if language == "java":
            shutil.copy(JAR, project)
        elif language == "js":
            run("npm", "pack", "--pack-destination", project, cwd=NODE_PACKAGE, env=self.environment)
        elif language == "python":
            run(sys.executable, ROOT / "sdk/python/wheel.py", EXTENSION.parent, "-o", project)

    def make(self, kind, language):
        self.needs(language)
        project = self.folder / f"My-{kind}_{language}"
        done = self.ferry("new", kind, project, "--lang", language, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        made = json.loads(done.stdout)
        self.assertEqual((made[kind], made["language"]), (project.name, language))
        self.assertEqual(sorted(made["files"]), sorted(str(one.relative_to(project)) for one in project.rglob("*") if one.is_file()))
        for file in made["files"]:
            self.assertNotRegex((project / file).read_bytes(), rb"@[A-Z]+@", file)
        return project, made["test"]

    def follow_readme(self, project):
        """What the README's indented lines say, in their order."""
        text = (project / "README.md").read_text()
        self.assertLessEqual(len(text.splitlines()), MOST_README_LINES)
        self.assertIn(project.name, text)
        lines = [line for line in re.findall("^    (.*)$", text, re.M) if not line.startswith("cp ")]
        self.assertTrue(lines)
        done = self.shell("\n".join(lines).replace("--threads 2", "--threads 2 --seconds 0"), project)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def check(self, kind, language, test_file):
        project, test = self.make(kind, language)
        self.bring_package(language, project)
        said = self.follow_readme(project)
        if language == "python":  # the environment that the README made
            test = f"PATH={project}/env/bin:$PATH; {test}"
        done = self.shell(test, "/")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # A model that gives something else is told.
        tested = project / test_file
        self.assertIn(EXPECTED, tested.read_text())
        tested.write_text(tested.read_text().replace(EXPECTED, "0.751564"))
        wrong = self.shell(test, "/")
        self.assertNotEqual(wrong.returncode, 0, wrong.stdout + wrong.stderr)
        return project, said

    def check_app(self, language, test_file):
        project, said = self.check("app", language, test_file)
        self.assertRegex(said, r"class 0: 0\.65\d*\nclass 1: 0\.21\d*\nclass 2: 0\.13\d*\n")
        means = said.split("class 2: ")[1]
        self.assertEqual([float(one) for one in re.findall(r'(?:"mean":|[\[ ])(\d(?:\.\d)?)(?=[,}\]\s])', means)], [1, 4], means)
        return project

    def test_app_c(self):
        self.check_app("c", "test.c")

    def test_app_cpp(self):
        self.check_app("cpp", "test.cc")

    def test_app_java(self):
        project = self.check_app("java", "AppTest.java")
        done = self.shell(f"java -jar {project.name.lower()}.jar", project)  # with Ferry's jar beside it
        self.assertIn("class 0: 0.652", done.stdout, done.stderr)

    def test_app_js(self):
        self.check_app("js", "app.test.js")

    def test_app_python(self):
        self.check_app("python", "test_app.py")

    def test_model_c(self):
        self.check("model", "c", "test.c")

    def test_model_cpp(self):
        self.check("model", "cpp", "test.cc")

    def test_model_java(self):
        self.check("model", "java", "ModelTest.java")

    def test_model_js(self):
        self.check("model", "js", "model.test.js")

    def test_model_python(self):
        self.check("model", "python", "test_model.py")

    def test_task_python(self):
        project, test = self.make("task", "python")
        self.assertIn("4 passed, 0 failed", self.shell(test, "/").stdout)
        tests = project / "test_task.py"
        tests.write_text(tests.read_text().replace("== 3", "== 4"))
        self.assertNotEqual(self.shell(test, "/").returncode, 0)

    def test_each_project_has_a_test_here(self):
        listed = re.findall(r'^FERRY_PROJECT\(\w+, "(\w+)", "(\w+)"', (ROOT / "tools/ferry/local/project/list.inc").read_text(), re.M)
        self.assertGreater(len(listed), 10)
        for kind, language in listed:
            self.assertTrue(hasattr(self, f"test_{kind}_{language}"), f"{kind} {language}")

    def test_a_jar_that_is_not_there_is_told(self):
        self.needs("java")
        project = self.folder / "alone"
        test = json.loads(self.ferry("new", "app", project, "--lang", "java", "--json").stdout)["test"]
        done = self.shell(test, "/")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ferry.jar is not there: copy Ferry's jar here", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
