"""What devices and other outsiders say never reaches a terminal as anything but text; tables are headed, bounded, without JSON."""
import pathlib
import sys
import unicodedata
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import fixture  # noqa: E402

# Clears the screen, sets a colour by a C1 code, rings, turns text around, begins a line, and is long.
HOSTILE = "a\x1b[2J\x9b31m\x07\x7f\u202egnp\u2066\u200e\u2028b\nferry: all is well\r\t" + "w" * 300
BIDI = set("\u061c\u200e\u200f\u2028\u2029") | {chr(code) for code in [*range(0x202a, 0x202f), *range(0x2066, 0x206a)]}
MOST_COLUMNS = 420  # of a table's line: the columns' bounds together

ANY = {"id": "d1", "state": HOSTILE, "reason": HOSTILE}
MEMBER = {"device": HOSTILE, "release": HOSTILE, "stage": 1, "outcome": HOSTILE, "step": HOSTILE, "error_name": HOSTILE,
          "error_text": HOSTILE}
EVENT = {"seq": 1, "time_ms": 1_700_000_000_000, "kind": HOSTILE, "text": HOSTILE, "numbers": {
    "profiles": [{"profile": HOSTILE, "devices": 1, "not_here": HOSTILE}], "differences": [{"case": HOSTILE, "was": HOSTILE, "is": 1}]}}
DEVICE = {"id": HOSTILE, "os": HOSTILE, "app_version": HOSTILE, "device_class": HOSTILE, "tags": [HOSTILE, {"a": HOSTILE}],
          "operator_tags": [HOSTILE], "running": {HOSTILE: HOSTILE, "digits": "1.0.0"}, "runtime_version": HOSTILE, "members": [MEMBER],
          "reports": [{"time_ms": 1, "step": HOSTILE, "package": HOSTILE, "version": HOSTILE, "error_name": "x", "error_text": HOSTILE}]}
RELEASE = {"id": "r1", "package": HOSTILE, "version": HOSTILE, "state": HOSTILE, "rule": HOSTILE, "salt": HOSTILE, "reason": HOSTILE,
           "counts": {"members": 3, HOSTILE: 2}, "stages": [{"index": 0, "name": HOSTILE, "members": 1}, {"index": 1, "kind": HOSTILE}],
           "gates": [{"slice": HOSTILE, "failed": 1, "stop": True}], "members": [MEMBER], "events": [EVENT]}
CASES = [
    ("device list", "GET /devices", {"devices": [DEVICE], "next": None}, "DEVICE"),
    ("device show d1", "GET /devices/d1", DEVICE, "DEVICE"),
    ("device why d1", "GET /devices/d1/why", {"device": HOSTILE, "release": HOSTILE, "text": HOSTILE}, None),
    ("device tag d1 x", "PUT /devices/d1/tags", DEVICE, None),
    ("device losses", "GET /losses", {"losses": [{"device": HOSTILE, "first_seq": 1}]}, None),
    ("device erase d1 --list", "GET /devices/d1/erasures", {"erasures": [{"id": 1, "asked_by": HOSTILE,
                                                                         "device": {"receipt": {"x": HOSTILE}}}]}, None),
    ("device join-token --list", "GET /join-tokens", {"join_tokens": [{"id": HOSTILE, "tags": [HOSTILE]}]}, "TOKEN"),
    ("release list", "GET /releases", {"releases": [RELEASE]}, "RELEASE"),
    ("release show r1", "GET /releases/r1", RELEASE, None),
    ("status r1", "GET /releases/r1", RELEASE, None),
    ("pause r1", "POST /releases/r1/pause", RELEASE, None),
    ("release preview --rule all", "POST /releases/preview", {
        "matched": 1, "stages": [{"index": 0, "name": HOSTILE, "planned": 1, "adds": [HOSTILE]}],
        "outside": [{"device": HOSTILE, "why": HOSTILE}]}, None),
    ("status", "GET /status", {"version": HOSTILE, "devices": 1, "packages": 1, "metadata": {"root": 1, "x": HOSTILE}, "releases": [RELEASE],
                               "streams": [{"stream": HOSTILE, "rows": 1}], "sizes": {}, "expires": [{"what": HOSTILE, "state": "soon"}]}, None),
    ("campaign list", "GET /campaigns", {"campaigns": [ANY]}, "CAMPAIGN"),
    ("campaign show d1", "GET /campaigns/d1", {**ANY, "releases": [RELEASE], "events": [EVENT]}, None),
    ("approval list --all", "GET /approvals", {"approvals": [{**ANY, "path": HOSTILE, "user": HOSTILE}], "policy": {}}, "REQUEST"),
    ("group list", "GET /groups", {"groups": [{"name": HOSTILE, "rule": HOSTILE, "error": HOSTILE}]}, "GROUP"),
    ("group show g", "GET /groups/g", {"name": HOSTILE, "devices_listed": 1, "devices": [HOSTILE], "next": None}, None),
    ("file list --package p", "GET /personal", {"files": [{"device": HOSTILE, "name": HOSTILE}], "next": None}, "DEVICE"),
    ("package list", "GET /packages", {"packages": [{"name": HOSTILE}], "withdrawn": [{"name": HOSTILE, "reason": HOSTILE}]}, "PACKAGE"),
    ("package contents p 1", "GET /packages/p/1/contents", {"files": [{"path": HOSTILE, "length": 1, "sha256": HOSTILE}]}, "FILE"),
    ("package show p 1", "GET /packages/p/1", {"name": HOSTILE, "description": HOSTILE, "requires": {"os": HOSTILE},
                                               "artefacts": [{"path": HOSTILE}]}, None),
    ("user list", "GET /users", {"users": [{"name": HOSTILE, "role": HOSTILE, "packages": [HOSTILE]}]}, "USER"),
    ("user token list u", "GET /users/u/tokens", {"tokens": [{"id": HOSTILE, "name": HOSTILE}]}, "TOKEN"),
    ("webhook list", "GET /webhooks", {"webhooks": [{"id": HOSTILE, "url": HOSTILE, "events": [HOSTILE], "error": HOSTILE}]}, "WEBHOOK"),
    ("webhook deliveries w", "GET /webhooks/w/deliveries", {"deliveries": [{"event": 1, "kind": HOSTILE, "error": HOSTILE}]}, None),
    ("audit", "GET /audit", {"rows": [{"seq": 1, "user": HOSTILE, "action": HOSTILE, "target": HOSTILE, "reason": HOSTILE}],
                             "head": {"seq": 1, "hash": HOSTILE}, "next": 1}, None),
    ("verify sessions", "GET /verify/sessions", {"enabled": True, "sessions": [{"device": HOSTILE, "mode": HOSTILE}]}, "DEVICE"),
    ("verify targets", "GET /verify/targets", {"enabled": True, "targets": [{"name": HOSTILE, "weights": HOSTILE}]}, None),
    ("record list", "GET /streams", {"streams": [{"stream": HOSTILE, "device": HOSTILE, "rows": 1}]}, "STREAM"),
    ("record show s", "GET /streams/s", {"rows": [{"device": HOSTILE, "seq": 1, "data": {HOSTILE: {"x": HOSTILE}}}], "next": 1}, "DEVICE"),
    ("label accuracy s --stream t", "GET /accuracy", {"of": HOSTILE, HOSTILE: {"x": HOSTILE}}, None),
    ("task list", "GET /tasks", {"scenarios": [{"scenario": HOSTILE, "tasks": [{"task": HOSTILE, "versions": [{"version": HOSTILE}]}]}]}, None),
    ("task log t", "GET /tasks/t/log", {"log": [{"version": HOSTILE, "git": None, "releases": [RELEASE]}]}, None),
]


class TerminalTest(fixture.CliTest):
    def clean(self, text):
        for letter in text:
            if letter != "\n":
                self.assertNotEqual(unicodedata.category(letter), "Cc", repr(text))
            self.assertNotIn(letter, BIDI, repr(text))

    def test_no_command_hands_on_what_it_was_told(self):
        server = self.serve()
        server.answers["GET /refusals"] = 200, {"refusals": [{"device": HOSTILE, "reason": HOSTILE, "stream": HOSTILE}]}
        for command, path, answer, heading in CASES:
            with self.subTest(command):
                server.answers[path] = 200, answer
                done = self.ferry(*command.split())
                del server.answers[path]
                self.assertEqual(done.status, 0, done.err)
                self.clean(done.out)
                self.assertIn("\\x1b[2J", done.out)
                self.assertNotIn("\nferry: all is well", done.out)
                for line in done.out.splitlines():
                    self.assertNotIn('{"', line)
                if heading:
                    self.assertTrue(done.out.startswith(heading), done.out)
                    for line in done.out.splitlines() if command != "device show d1" else []:
                        self.assertLessEqual(len(line), MOST_COLUMNS)

    def test_errors_are_text_and_no_lines_of_their_own(self):
        server = self.serve()
        server.answers["GET /status"] = 400, {"error": {"code": 1, "name": "x", "text": HOSTILE}}
        done = self.ferry("status")
        self.assertEqual(done.status, 1)
        self.clean(done.err)
        self.assertNotIn("\nferry:", done.err)
        self.clean(self.ferry("relea\x1b[2Jse").err)

    def test_json_stays_what_it_was(self):
        server = self.serve()
        server.answers["GET /devices"] = 200, {"devices": [DEVICE], "next": None}
        self.assertEqual(self.good("device", "list")["devices"], [DEVICE])

    def test_stages_are_counted_from_one(self):
        server = self.serve()
        release = {"id": "r1", "stages": [{"index": index, "name": f"part{index}"} for index in range(5)],
                   "members": [{"device": "d", "stage": 4, "outcome": "open"}]}
        server.answers["GET /releases/r1"] = 200, release
        text = self.ferry("release", "show", "r1").out
        self.assertRegex(text, r"1 of 5 +part0")
        self.assertRegex(text, r"d +5 of 5 +open")
        self.assertNotIn("0 of 5", text)
        server.answers["POST /releases/preview"] = 200, {"matched": 0, "stages": release["stages"]}
        self.assertRegex(self.ferry("release", "preview", "--rule", "all").out, r"5 of 5 +part4")


if __name__ == "__main__":
    unittest.main()
