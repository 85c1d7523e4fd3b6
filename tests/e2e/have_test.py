"""A device that no wake-up reaches and that polls every six hours hears of a release by requests of its app."""
import ctypes
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Api, Cloud, Failed, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
LIBRARIES = pathlib.Path(os.environ.get("FERRY_LIBRARY", BIN.parent / "lib"))
POLL_MS = 6 * 3600 * 1000
TASK = {"name": "greet", "version": "1.0.0", "script": "task.py", "entry": "on_visit", "trigger": {"sequence": [{"event": "visit"}]}}


class AgentOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("directory", ctypes.c_char_p), ("join_token", ctypes.c_char_p),
                ("profile_json", ctypes.c_char_p), ("push", ctypes.c_int), ("poll_ms", ctypes.c_int64)]


class App:
    """An app with the SDK in it, by the C interface."""

    def __init__(self, library, state, token):
        self.library, self.runtime = library, ctypes.c_void_p()
        self.check(library.ferry_runtime_create(None, None, None, ctypes.byref(self.runtime)))
        options = AgentOptions(ctypes.sizeof(AgentOptions), str(state).encode(), token.encode(), b'{"os":"linux"}', 0, POLL_MS)
        self.check(library.ferry_agent_start(self.runtime, ctypes.byref(options)))

    def check(self, code):
        if code != 0:
            raise Failed(f"{code}: {self.library.ferry_error_text().decode()}")

    def text_of(self, function):
        text = ctypes.c_void_p()
        self.check(function(self.runtime, ctypes.byref(text)))
        out = ctypes.string_at(text).decode()
        self.library.ferry_string_free(text)
        return out

    def have(self):
        return self.text_of(self.library.ferry_have_text)

    def take(self, text):
        self.check(self.library.ferry_take_text(self.runtime, text.encode()))

    def agent(self):
        return json.loads(self.text_of(self.library.ferry_status))["agent"]

    def running(self):
        return {name: package["version"] for name, package in self.agent()["packages"].items()}

    def close(self):
        self.library.ferry_runtime_destroy(self.runtime)


def load():
    library = ctypes.CDLL(str(LIBRARIES / "libferry.so"))
    library.ferry_error_text.restype = ctypes.c_char_p
    for name in ("ferry_string_free", "ferry_runtime_destroy"):
        getattr(library, name).restype = None
        getattr(library, name).argtypes = [ctypes.c_void_p]
    library.ferry_take_text.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    library.ferry_have_text.argtypes = library.ferry_status.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.ferry_agent_start.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    return library


class HaveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-have-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.addCleanup(self.cloud.server.stop)
        self.api = self.cloud.server.api
        self.library = load()
        task = self.folder / "task"
        task.mkdir()
        (task / "task.py").write_text("def on_visit(matched):\n    return 1\n")
        (task / "task.json").write_text(json.dumps(TASK))
        self.cloud.cli("pack", task, "-o", self.folder / "greet.fpk")
        self.cloud.cli("publish", self.folder / "greet.fpk", "--dir", self.cloud.publisher)
        # The app's own server may look, and nothing else.
        self.api.post("/users", {"name": "shop", "role": "viewer", "password": "a shop of its own"})
        token = self.api.post("/users/shop/tokens", {"name": "have", "role": "viewer"})["token"]
        self.shop = self.caller(token)

    def caller(self, token):
        api = Api(self.api.url)
        api.token = token
        return api

    def app(self, name):
        app = App(self.library, self.folder / name, self.api.post("/join-tokens", {"uses": 1})["token"])
        self.addCleanup(app.close)
        wait_for(f"the have text of {name}", app.have)
        return app

    def ask(self, *texts):
        return self.shop.post("/have", {"texts": list(texts)})["texts"]

    def pulls(self):
        request = urllib.request.Request(f"{self.api.url}/metrics", headers={"Authorization": f"Bearer {self.api.token}"})
        text = urllib.request.urlopen(request, timeout=10).read().decode()
        return float(re.search(r'^ferry_have_texts_total\{answer="pull"\} (\S+)$', text, re.MULTILINE)[1])

    def test_a_release_comes_with_an_answer_to_the_app(self):
        one, two = self.app("one"), self.app("two")
        texts = [one.have(), two.have()]
        self.assertRegex(texts[0], r"^have1\.[0-9a-f]{24,}$")
        self.assertNotIn(one.agent()["device_id"][:8], texts[0])
        self.assertEqual(self.ask(*texts), ["", ""])
        release = self.api.post("/releases", {"package": "greet", "version": "1.0.0", "rule": "all", "start": True,
                                              "stages": [{"kind": "full", "min_reports": 1}]})["id"]
        told = wait_for("the answers to say pull", lambda: all(self.ask(*texts)) and self.ask(*texts), 10)
        self.assertEqual(self.ask("", "have1.00", texts[1], "x" * 300), ["", "", told[1], ""])
        for text in told:
            self.assertRegex(text, r"^take1\.\d+\.[0-9a-f]{24}$")
        # What is for another device, or no text at all, does nothing.
        one.take("")
        one.take(told[1])
        with self.assertRaises(Failed):
            one.take(told[0] + "0")
        self.assertEqual((one.running(), two.running()), ({}, {}))
        one.take(told[0])
        one.take(told[0])
        wait_for("the device to run it", lambda: one.running() == {"greet": "1.0.0"}, 90)
        self.assertEqual(two.running(), {})
        # It has been told now, and says so; a text of before is of no use to anybody.
        self.assertNotEqual(one.have(), texts[0])
        self.assertEqual(self.ask(one.have()), [""])
        self.assertGreaterEqual(self.pulls(), 2)
        members = wait_for("its reports", lambda: [member for member in self.api.get(f"/releases/{release}")["members"]
                                                   if member["step"] == "confirmed"])
        self.assertEqual([(member["device"], member["by_push"]) for member in members], [(one.agent()["device_id"], True)])

    def test_too_many_at_once_and_strangers_are_refused(self):
        self.assertEqual(self.ask(*[""] * 1000), [""] * 1000)
        with self.assertRaises(Failed) as refused:
            self.ask(*[""] * 1001)
        self.assertIn("1001", str(refused.exception))
        with self.assertRaises(Failed):
            self.caller("wrong").post("/have", {"texts": []})


if __name__ == "__main__":
    unittest.main(verbosity=2)
