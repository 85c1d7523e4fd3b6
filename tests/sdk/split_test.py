"""An app with the SDK drafts on its device what a real server verifies, over TLS: `ferry chat` and `ferry serve` with --split."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from adapter import shapes_of, write_adapter  # noqa: E402
from fleet import Chat, Cloud, free_port, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
PAIR = ROOT / "tasks/pair"
PROMPTS = ("It was a dark night, and the", "She looked at him and said", "Chapter I.", "The old house stood")
MAX_NEW = 40


class SplitTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ferry-split-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.cloud = Cloud(BIN, cls.folder, ["--verify", "pair-target"])
        cls.addClassCleanup(cls.cloud.server.stop)
        cli, publisher = cls.cloud.cli, cls.cloud.publisher
        target, draft = cls.folder / "target.fpk", cls.folder / "pair.fpk"
        cli("pack", PAIR / "target.flm", "--name", "pair-target", "--package-version", "1.0.0", "-o", target)
        cli("publish", target, "--dir", publisher)
        cli("pack", PAIR, "-o", draft)
        cli("publish", draft, "--dir", publisher)
        cls.cloud.server.api.post("/releases", {"package": "pair", "version": "1.0.0", "rule": "", "start": True,
                                                "stages": [{"kind": "full", "min_reports": 1}]})
        cls.chat().ask()  # joins and gets the draft

    @classmethod
    def options(cls, *more):
        token = [] if (cls.folder / "app/identity.json").exists() else \
            ["--join", cls.cloud.server.api.post("/join-tokens", {"uses": 1})["token"]]
        return [*token, "--package", "pair", "--target", "pair-target", *more]

    @classmethod
    def chat(cls, *more):
        return Chat(BIN, cls.folder / "app", *cls.options("--max-new", MAX_NEW, *more))

    def target(self, prompt, *sampling):
        return self.cloud.cli("llm", "generate", PAIR / "target.flm", "--prompt", prompt, "--max-new", MAX_NEW, *sampling)["ids"]

    def test_the_text_is_the_targets(self):
        cases = ([], ["--seed", 3], ["--seed", 4, "--temperature", 0.7, "--top-k", 40], ["--seed", 5, "--top-p", 0.9])
        for number, sampling in enumerate(cases):
            mode = ["--pipelined"] if number % 2 else []
            turns = self.chat("--no-fallback", *mode, *sampling).ask(*PROMPTS)
            for prompt, turn in zip(PROMPTS, turns):
                self.assertEqual(turn["ids"], self.target(prompt, *sampling), f"{prompt} {sampling}")
                self.assertEqual(turn["figures"]["tokens"]["verified"], len(turn["ids"]))
                self.assertGreater(turn["figures"]["acceptance"], 0.2)

    def test_a_server_that_starts_anew_amid_a_text(self):
        def restart(write):
            self.cloud.server.kill()
            time.sleep(0.5)
            self.cloud.server.start()
            self.cloud.server.api.login(self.cloud.server.password)
        sampling = ["--seed", 11, "--temperature", 1]
        chat = Chat(BIN, self.folder / "app", *self.options("--max-new", 300, "--no-fallback", *sampling))
        text, _, figures = chat.stream(PROMPTS[0], restart)
        wanted = self.cloud.cli("llm", "generate", PAIR / "target.flm", "--prompt", PROMPTS[0], "--max-new", 300, *sampling)
        self.assertEqual(text.rstrip("\n"), wanted["text"].rstrip("\n"))
        self.assertGreaterEqual(figures["reopens"], 1, figures)

    def test_modes_change_amid_a_text(self):
        sampling = ["--seed", 12, "--temperature", 1]
        chat = Chat(BIN, self.folder / "app", *self.options("--max-new", 300, "--no-fallback", *sampling))
        text, remarks, figures = chat.stream(PROMPTS[1], lambda write: write("/mode cloud-only"))
        wanted = self.cloud.cli("llm", "generate", PAIR / "target.flm", "--prompt", PROMPTS[1], "--max-new", 300, *sampling)
        self.assertEqual(text.rstrip("\n"), wanted["text"].rstrip("\n"))
        self.assertIn("[cloud-only]", remarks)
        self.assertGreater(figures["tokens"]["cloud"], 0, figures)
        self.assertGreater(figures["tokens"]["verified"], 0, figures)
        text, remarks, figures = chat.stream(PROMPTS[1], lambda write: write("/mode device-only"))
        self.assertIn("[device-only]", remarks)
        self.assertEqual(figures["tokens"]["device"] + figures["tokens"]["verified"], figures["emitted"], figures)
        self.assertGreater(figures["tokens"]["device"], 0, figures)

    def test_device_only_is_the_drafts_own_text(self):
        sampling = ["--seed", 3, "--temperature", 1]
        turn = self.chat("--mode", "device-only", *sampling).ask(PROMPTS[0])[0]
        wanted = self.cloud.cli("llm", "generate", PAIR / "draft.flm", "--prompt", PROMPTS[0], "--max-new", MAX_NEW, *sampling)
        self.assertEqual(turn["ids"], wanted["ids"])
        self.assertEqual(turn["figures"]["bytes_up"], 0)

    def test_an_adapter_as_a_package_of_its_own(self):
        draft, folder, file = PAIR / "draft.flm", self.folder / "style", self.folder / "style.fla"
        write_adapter(folder, shapes_of(self.cloud.cli("llm", "describe", draft)))
        base = self.cloud.cli("llm", "import", draft, "--adapter", folder, "-o", file)["base"]
        package = self.folder / "style.fpk"
        self.cloud.cli("pack", file, "--name", "style", "--package-version", "1.0.0", "-o", package)
        self.cloud.cli("publish", package, "--dir", self.cloud.publisher)
        self.cloud.server.api.post("/releases", {"package": "style", "version": "1.0.0", "rule": "", "start": True,
                                                 "stages": [{"kind": "full", "min_reports": 1}]})
        sampling = ["--seed", 3, "--temperature", 1]
        turn = self.chat("--lora", "style:style:0.5", "--mode", "device-only", *sampling).ask(PROMPTS[0])[0]
        wanted, plain = (self.cloud.cli("llm", "generate", draft, "--prompt", PROMPTS[0], "--max-new", MAX_NEW, *sampling, *more)["ids"]
                         for more in (["--lora", f"{file}:0.5"], []))
        self.assertEqual(turn["ids"], wanted)
        self.assertNotEqual(wanted, plain)
        # Split, the text stays the target's, whatever drafts.
        turn = self.chat("--no-fallback", "--lora", "style:style:0.5", *sampling).ask(PROMPTS[0])[0]
        self.assertEqual(turn["ids"], self.target(PROMPTS[0], *sampling))
        # One of another base is refused by both digests, one that never comes by its name.
        other = self.folder / "other.fla"
        write_adapter(self.folder / "other", shapes_of(self.cloud.cli("llm", "describe", PAIR / "target.flm")))
        wrong = self.cloud.cli("llm", "import", PAIR / "target.flm", "--adapter", self.folder / "other", "-o", other)["base"]
        for lora, said in ((other, [base, wrong]), ("absent:style", ["absent"])):
            command = [str(BIN / "ferry"), "chat", "--split", "--state", str(self.folder / "app"), "--template", "off",
                       "--wait-seconds", "0.2", "--lora", str(lora)]
            done = subprocess.run(command, input="x\n", capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            for text in said:
                self.assertIn(text, done.stderr)

    def test_a_device_stays_what_its_first_run_said(self):
        """`ferry chat --split` again, without --profile: rules reach the device as before."""
        said = {"os": "android", "app_version": "1.2.0", "device_class": "high", "tags": ["beta"], "user": {"plan": "pro"}}
        profile = self.folder / "said.json"
        profile.write_text(json.dumps(said))
        api = self.cloud.server.api
        before = {row["id"] for row in api.get("/devices")["devices"]}
        join = ["--join", api.post("/join-tokens", {"uses": 1})["token"], "--profile", profile]
        seen = 0
        for more in (join, [], []):
            options = [*more, "--package", "pair", "--target", "pair-target", "--max-new", 4, "--no-fallback"]
            turn, = Chat(BIN, self.folder / "profiled", *options).ask(PROMPTS[0])
            self.assertEqual(len(turn["ids"]), 4)
            row, = (row for row in api.get("/devices")["devices"] if row["id"] not in before)
            self.assertGreater(row["last_seen_ms"], seen)
            seen = row["last_seen_ms"]
            self.assertEqual({key: row[key] for key in said}, said)
        for rule, reaches in (('tag("beta") and app_version >= "1.2.0"', True), ('os == "linux"', False)):
            reached = api.post("/releases/preview", {"package": "pair", "version": "1.0.0", "rule": rule})
            self.assertEqual(row["id"] in reached["devices"], reaches, reached)

    def test_serve(self):
        port = free_port()
        serve = subprocess.Popen([str(BIN / "ferry"), "serve", "--split", "--state", str(self.folder / "app"), "--port", str(port),
                                  *map(str, self.options("--no-fallback"))], stdout=subprocess.PIPE, text=True)
        self.addCleanup(serve.stdout.close)
        self.addCleanup(serve.wait)
        self.addCleanup(serve.terminate)
        self.assertIn("serving pair", serve.stdout.readline())
        body = {"model": "pair", "prompt": PROMPTS[1], "max_tokens": MAX_NEW, "seed": 5, "temperature": 1}
        request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/completions", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            text = json.load(response)["choices"][0]["text"]
        wanted = self.cloud.cli("llm", "generate", PAIR / "target.flm", "--prompt", PROMPTS[1], "--max-new", MAX_NEW, "--seed", 5,
                                "--temperature", 1)
        self.assertEqual(text, wanted["text"])

    def test_what_cannot_work_is_named(self):
        for options, text in ((["--package", "none", "--wait-seconds", "0.2"], "package none"),
                              (["--draft", "none", "--wait-seconds", "0.2"], "none"),
                              (["--target", "none"], "none")):
            command = [str(BIN / "ferry"), "chat", "--split", "--state", str(self.folder / "app"), "--template", "off",
                       "--no-fallback", *options]
            done = subprocess.run(command, input="x\n", capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn(text, done.stderr)
        for options in ([], ["--split"], ["model", "--split", "--state", "x"], ["--pipelined"]):
            done = subprocess.run([str(BIN / "ferry"), "chat", *options], input="", capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, f"{options}: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
