"""What the suites of `ferry stream` share: a folder with rules, streams and events, and running the program in it."""
import json
import os
import pathlib
import subprocess
import tempfile

PROGRAM = pathlib.Path(os.environ.get("FERRY_BIN", "build/release/bin")).resolve() / "ferry"
LIMIT_S = 120


class Folder:
    """A folder that goes with the `with`; files in it by name."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="ferry-stream-")
        self.path = pathlib.Path(self._folder.name)
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def write(self, name, content):
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path = self.path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def events(self, name, events):
        return self.write(name, "".join(json.dumps(event) + "\n" for event in events))

    def run(self, *words, ok=True, **options):
        """`ferry stream WORDS --json` in this folder: what it printed."""
        done = subprocess.run([PROGRAM, "stream", *map(str, words), "--json"], cwd=self.path, capture_output=True,
                              timeout=LIMIT_S, **options)
        if ok and done.returncode != 0:
            raise AssertionError(f"{words}: {done.returncode}: {done.stderr.decode()}")
        answer = json.loads(done.stdout) if done.stdout else {}
        return answer if ok else (done.returncode, answer, done.stderr.decode())

    def arguments(self, events="events", state="state", out="out", rules="rules", streams="streams"):
        words = ["run", "--events", events, "--state", state, "--out", out]
        for option, name in (("--rules", rules), ("--streams", streams)):
            if (self.path / name).exists():
                words += [option, name]
        return words

    def stream(self, *more, **names):
        return self.run(*self.arguments(**names), *more)

    def text(self, name="out"):
        return (self.path / name).read_text()

    def lines(self, name="out"):
        return [json.loads(line) for line in self.text(name).splitlines()]

    def outbox(self, state="state"):
        return self.run("outbox", state)["records"]
