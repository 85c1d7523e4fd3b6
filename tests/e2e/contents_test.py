"""What a server shows of what is in packages: files, scripts by role and with a row in the audit log, graphs of models; encrypted ones it does not."""
import json
import os
import pathlib
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cli, Cloud  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
SCRIPT = "def on_visit(matched):\n    return {'größe': 1}  # ünïcode\n"
TASK = {"name": "visits", "script": "task.py", "entry": "on_visit", "trigger": {"sequence": [{"event": "visit"}]}}
VISITS = "/packages/visits/1.0.0"


class GraphServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ferry-graph-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.cloud = Cloud(BIN, cls.folder)
        cls.server = cls.cloud.server
        cls.addClassCleanup(cls.server.stop)
        cls.cli = Cli(BIN, {"FERRY_SERVER": cls.server.url, "FERRY_TOKEN": cls.server.api.token})
        cls.publish("visits", models={"net": "net.onnx", "small": "small.fm"}, resources=["data/notes.txt", "raw.bin", "net.profile.json"])
        cls.publish("secret", models={"net": "net.onnx"}, at_rest="sealed")
        cls.publish("plain")
        cls.tokens = {}
        for name, role, packages in (("vera", "viewer", ["*"]), ("dora", "developer", ["*"]), ("dan", "developer", ["other*"]),
                                     ("rolf", "releaser", ["*"])):
            cls.server.api.post("/users", {"name": name, "role": role, "packages": packages, "password": f"a long password of {name}"})
            cls.tokens[name] = cls.server.api.post("/login", {"user": name, "password": f"a long password of {name}"})["token"]

    @classmethod
    def publish(cls, name, **more):
        task = cls.folder / name
        (task / "data").mkdir(parents=True)
        (task / "task.py").write_text(SCRIPT)
        (task / "data/notes.txt").write_text("first line\nsecond line\n")
        (task / "raw.bin").write_bytes(bytes(range(256)))
        digits = ROOT / "tasks/digits/digits.onnx"
        (task / "net.onnx").write_bytes(digits.read_bytes())
        cls.cli("quantize", digits, "--type", "weight8", "-o", task / "small.fm")
        (task / "net.profile.json").write_text(json.dumps(cls.cli("bench", digits, "--seconds", "0.05", "--explain")))
        (task / "task.json").write_text(json.dumps({**TASK, "name": name, "version": "1.0.0", **more}))
        cls.cli("pack", task, "-o", cls.folder / f"{name}.fpk")
        cls.cli("publish", cls.folder / f"{name}.fpk", "--dir", cls.cloud.publisher)

    def call(self, path, who=None, status=200):
        request = urllib.request.Request(f"{self.server.url}/api/v1{path}")
        request.add_header("Authorization", f"Bearer {self.tokens[who] if who else self.server.api.token}")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                found, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            found, text = error.code, error.read()
        self.assertEqual(found, status, f"{path}: {text[:500]}")
        return json.loads(text)

    def text_of(self, answer):
        return answer["error"]["text"]

    def test_files_are_listed_for_everybody(self):
        for who in ("vera", "dora", "rolf"):
            answer = self.call(f"{VISITS}/contents", who)
            self.assertEqual([item["path"] for item in answer["files"]], ["data/notes.txt", "net.fm", "net.profile.json", "raw.bin", "small.fm", "task.fbc"])
            self.assertEqual(answer["files"][3]["length"], 256)
        self.assertEqual(self.call("/packages/visits/9.9.9/contents", status=404)["error"]["name"], "not_found")

    def test_texts_are_for_developers_in_their_scope_and_logged(self):
        before = self.server.api.get("/audit?limit=1&sort=-seq")["rows"][0]["seq"]
        script = self.call(f"{VISITS}/contents/task.fbc", "dora")
        self.assertEqual((script["text"], script["source"]), (SCRIPT, True))
        notes = self.call(f"{VISITS}/contents/data/notes.txt", "dora")
        self.assertEqual((notes["text"], notes["source"], notes["length"]), ("first line\nsecond line\n", False, 23))
        manifest = json.loads(self.call(f"{VISITS}/contents/.manifest.json", "dora")["text"])
        self.assertEqual(manifest["task"]["entry"], "on_visit")
        for who in ("vera", "rolf"):
            self.assertIn("needs the role developer", self.text_of(self.call(f"{VISITS}/contents/task.fbc", who, 403)))
        self.assertIn("not in the scope of dan", self.text_of(self.call(f"{VISITS}/contents/task.fbc", "dan", 403)))
        rows = self.server.api.get(f"/audit?after={before}")["rows"]
        seen = [(row["user"], row["target"], row["package"], row["outcome"]) for row in rows if "/contents/" in row["action"]]
        self.assertEqual(seen[:3], [("dora", f"visits/1.0.0/{path}", "visits", "done")
                                    for path in ("task.fbc", "data/notes.txt", ".manifest.json")])
        self.assertEqual([(user, outcome) for user, _, _, outcome in seen[3:]], [("vera", "refused"), ("rolf", "refused"), ("dan", "refused")])

    def test_what_is_no_text_or_is_not_there_is_said(self):
        self.assertIn("raw.bin is no text", self.text_of(self.call(f"{VISITS}/contents/raw.bin", "dora", 409)))
        self.assertIn("none.py", self.text_of(self.call(f"{VISITS}/contents/none.py", "dora", 404)))
        self.call(f"{VISITS}/contents/data/../task.fbc", "dora", 404)

    def test_graphs_are_made_for_everybody(self):
        answer = self.call(f"{VISITS}/graph?model=net.fm", "vera")
        shown = self.cli("inspect", self.folder / "visits.fpk", "--graph-json", "--model", "net.fm")
        self.assertEqual(answer, shown, "the server shows what the command shows")
        timed = [node for node in answer["nodes"] if "reported_us" in node]
        self.assertTrue(timed, answer.get("reported"))
        self.assertAlmostEqual(sum(node["reported_us"] for node in timed), answer["reported"]["us"], places=3)
        quantised = self.call(f"{VISITS}/graph?model=small.fm", "vera")["quantization"]
        self.assertTrue(quantised["nodes"])
        self.assertLess(quantised["bytes_after"], quantised["bytes_before"])
        self.assertIn("net.fm, small.fm", self.text_of(self.call(f"{VISITS}/graph", status=404)))
        self.assertIn("no model", self.text_of(self.call("/packages/plain/1.0.0/graph", status=404)))
        self.call("/packages/none/1.0.0/graph", status=404)
        scratch = self.folder / "server/scratch"
        self.assertEqual(list(scratch.iterdir()) if scratch.is_dir() else [], [], "a plain package is left behind")

    def test_what_stays_sealed_is_not_shown(self):
        self.assertTrue(self.call("/packages/secret/1.0.0/contents", "vera")["files"])
        for path in ("contents/task.fbc", "contents/.manifest.json", "graph"):
            answer = self.call(f"/packages/secret/1.0.0/{path}", "dora", 409)
            self.assertIn("encrypted", self.text_of(answer))

    def test_the_command_line_shows_them(self):
        self.assertEqual(self.cli("package", "contents", "visits", "1.0.0"), self.call(f"{VISITS}/contents"))
        self.assertEqual(self.cli("package", "contents", "visits", "1.0.0", "data/notes.txt")["text"],
                         "first line\nsecond line\n")
        graph = self.cli("package", "graph", "visits", "1.0.0", "--model", "net.fm")
        self.assertEqual(graph, self.call(f"{VISITS}/graph?model=net.fm"))


if __name__ == "__main__":
    unittest.main()
