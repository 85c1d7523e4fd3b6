"""A language model split between a device and the cloud: the device drafts, the server verifies."""
import json
import pathlib
import shutil

import adapter
from checks import check, say
from fleet import COME_BACK_SECONDS, Chat, wait_for

PAIR = pathlib.Path(__file__).resolve().parents[2] / "tasks/pair"
TARGET, DRAFT, STYLE, VERSION = "pair-target", "pair", "style", "1.0.0"
PROFILE = dict(os="linux", app_version="1.4.0", device_class="high", tags=["assistant"])
RULE = 'tag("assistant")'
PROMPTS = ("It was a dark night, and the", "She looked at him and said that")
SEED, TEMPERATURE, MAX_NEW = 7, 0.7, 64
LONG_NEW = 400  # of the answer that loses its server
LONG_TRIES = 4
DRAFT_TOKENS = 5  # of a round: left alone, the device chooses by the times that it measures
STYLE_SPREAD = 0.2  # of a random adapter: enough to change words, little enough to leave them words
MAX_BYTES_PER_TOKEN = 24  # of rounds, framing included; the bench holds the exact figures against their limits


class SplitJob:
    def __init__(self, job):
        self.job = job

    def steps(self):
        return [self.split]

    def chat(self, *more, max_new=MAX_NEW):
        return Chat(self.job.bin, self.job.folder / "d7", "--package", DRAFT, "--target", TARGET, "--seed", SEED,
                    "--temperature", TEMPERATURE, "--max-new", max_new, *more)

    def split(self):
        """7. A language model split between a device and the cloud"""
        self.publish()
        turns = self.first_words()
        self.show(turns)
        self.prove(turns)
        self.lose_the_server()
        self.adapt()

    def make_draft(self):
        """The draft in 4 bits, its embedding in 8, in a copy of the task; what its probe expects comes from the new file."""
        self.folder = self.job.folder / "pair-task"
        self.folder.mkdir()
        for name in ("task.json", "task.py"):
            shutil.copy(PAIR / name, self.folder / name)
        self.draft = self.folder / "draft.flm"
        self.job.cli("llm", "import", PAIR / "draft.flm", "-o", self.draft, "--type", "i4", "--embedding", "i8")
        cases = json.loads((PAIR / "cases.json").read_text())["cases"]
        for case in cases:
            data = case["events"][0]["data"]
            if "expect" in case:
                case["expect"]["text"] = self.job.cli(
                    "llm", "generate", self.draft, "--prompt", data["prompt"], "--max-new", data["max_new"], "--seed",
                    data.get("seed", 0), "--temperature", data.get("temperature", 0))["text"]
        cases = [case for case in cases if "stop" not in case["events"][0]["data"]]
        (self.folder / "cases.json").write_text(json.dumps({"cases": cases}))
        say(f"draft in 4 bits, its embedding in 8: {self.draft.stat().st_size} bytes; in 8 bits {(PAIR / 'draft.flm').stat().st_size}")

    def publish(self):
        self.make_draft()
        target, draft = self.job.folder / "pair-target.fpk", self.job.folder / "pair.fpk"
        self.job.cli("pack", PAIR / "target.flm", "--name", TARGET, "--package-version", VERSION, "-o", target)
        self.job.cli("publish", target, "--dir", self.job.publisher)
        self.job.cli("pack", self.folder, "-o", draft)
        self.job.cli("publish", draft, "--dir", self.job.publisher)
        say(f"{TARGET} {target.stat().st_size} bytes, published: the server opens it to verify; "
            f"{DRAFT} {draft.stat().st_size} bytes, for devices")
        self.release = self.job.server.api.post("/releases", {
            "package": DRAFT, "version": VERSION, "rule": RULE, "start": True,
            "stages": [{"kind": "simulation"}, {"kind": "full", "min_reports": 1}]})["id"]

    def first_words(self):
        """An app with the SDK joins as d7, gets the draft by the release, and talks; a slow moment must not end the split."""
        token = self.job.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"]
        profile = self.job.folder / "d7.json"
        profile.write_text(json.dumps(PROFILE))
        turns = self.chat("--no-fallback", "--draft-tokens", DRAFT_TOKENS, "--join", token, "--profile", profile).ask(*PROMPTS)
        # The app may have ended before anybody looked: what counts as healthy is heard of after it confirmed.
        with self.chat("--profile", profile).stays():
            self.job.follow(self.release, ["complete"])
        return turns

    def passes(self, rounds):
        """Of the large model, once the server's view, which lags behind, shows the sessions of these rounds ended."""
        def ended():
            sessions = self.job.server.api.get("/verify/sessions")["sessions"]
            if any(session["connected"] for session in sessions):
                return None
            passes = self.job.server.api.get("/verify/targets")["targets"][0]["passes"]
            return passes if passes >= rounds else None
        return wait_for("the sessions to end", ended)

    def show(self, turns):
        for prompt, turn in zip(PROMPTS, turns):
            figures = turn["figures"]
            say(f"{prompt!r} -> {turn['assistant'].split(chr(10))[0][:70]!r}")
            say(f"  {len(turn['ids'])} tokens in {figures['rounds']} rounds, acceptance {figures['acceptance']:.2f}, "
                f"{figures['round_bytes_per_token']:.1f} bytes a token, {figures['tokens_per_s']:.0f} tokens/s, "
                f"round trip {figures['round_trip_ms']:.1f} ms")
            check(figures["tokens"]["verified"] == len(turn["ids"]), f"not all tokens were verified: {figures['tokens']}")
            check(figures["rounds"] < len(turn["ids"]), f"{figures['rounds']} rounds for {len(turn['ids'])} tokens")
            check(figures["round_bytes_per_token"] <= MAX_BYTES_PER_TOKEN, f"{figures['round_bytes_per_token']} bytes a token")
        tokens = sum(len(turn["ids"]) for turn in turns)
        passes = self.passes(sum(turn["figures"]["rounds"] for turn in turns))
        say(f"the large model ran {passes} forward passes for these {tokens} tokens, prompts included: {passes / tokens:.2f} a token")
        check(passes < tokens, f"{passes} passes for {tokens} tokens")

    def prove(self, turns):
        """The text is the large model's own: computed alone from its file, and by a cloud-only session."""
        cloud = self.chat("--no-fallback", "--mode", "cloud-only").ask(*PROMPTS)
        for prompt, turn, alone in zip(PROMPTS, turns, cloud):
            wanted = self.job.cli("llm", "generate", PAIR / "target.flm", "--prompt", prompt, "--max-new", MAX_NEW, "--seed", SEED,
                                  "--temperature", TEMPERATURE)["ids"]
            check(turn["ids"] == wanted, f"split {turn['ids']}, the target alone {wanted}")
            check(alone["ids"] == wanted, f"cloud-only {alone['ids']}, the target alone {wanted}")
            check(alone["figures"]["tokens"]["cloud"] == len(wanted), f"cloud-only tokens: {alone['figures']['tokens']}")
        say(f"proof: split, cloud-only and the target's own file give the same {sum(len(turn['ids']) for turn in turns)} tokens")

    def lose_the_server(self):
        for _ in range(LONG_TRIES):
            text, remarks, figures = self.chat(max_new=LONG_NEW).stream(PROMPTS[0], lambda write: self.job.server.kill())
            tokens = figures["tokens"]
            self.job.server.start()
            self.job.server.api.login(self.job.server.password)
            # On a slow machine the device may be alone before the server goes, or done with its answer.
            if tokens["verified"] > 0 and tokens["device"] > 0:
                break
        check("[device-only]" in remarks, f"the change to device-only was not shown: {remarks[-500:]}")
        check(tokens["verified"] > 0 and tokens["device"] > 0, f"tokens by source: {tokens}")
        say(f"server killed amid an answer: {tokens['verified']} tokens verified, then {tokens['device']} by the device alone, marked")
        check(figures["emitted"] == tokens["verified"] + tokens["device"], f"tokens were lost or doubled: {figures}")
        check(len(text) > LONG_NEW, f"the answer ends early: {text!r}")
        wait_for("the devices to come back", lambda: all(device.connected() for device in self.job.devices.values()),
                 COME_BACK_SECONDS)

    def adapt(self):
        """An adapter for the draft is released like any package; the device alone then writes what the adapted draft would."""
        shapes = adapter.shapes_of(self.job.cli("llm", "describe", self.draft))
        folder = adapter.write_adapter(self.job.folder / STYLE, shapes, spread=STYLE_SPREAD)
        style, package = self.job.folder / f"{STYLE}.fla", self.job.folder / f"{STYLE}.fpk"
        self.job.cli("llm", "import", self.draft, "--adapter", folder, "-o", style)
        self.job.cli("pack", style, "--name", STYLE, "--package-version", VERSION, "-o", package)
        self.job.cli("publish", package, "--dir", self.job.publisher)
        self.job.server.api.post("/releases", {"package": STYLE, "version": VERSION, "rule": RULE, "start": True,
                                               "stages": [{"kind": "full", "min_reports": 1}]})
        turns = self.chat("--mode", "device-only", "--lora", f"{STYLE}:{STYLE}").ask(*PROMPTS)
        for prompt, turn in zip(PROMPTS, turns):
            plain, adapted = (self.job.cli("llm", "generate", self.draft, "--prompt", prompt, "--max-new", MAX_NEW, "--seed", SEED,
                                           "--temperature", TEMPERATURE, *more)["ids"] for more in ((), ("--lora", style)))
            check(turn["ids"] == adapted, f"on the device {turn['ids']}, the adapted draft alone {adapted}")
            check(turn["ids"] != plain, "the adapter changes nothing")
        say(f"adapter {package.stat().st_size} bytes, released for the draft: the device alone writes as the adapted draft does, "
            f"{turns[0]['assistant'].split(chr(10))[0][:60]!r}")
