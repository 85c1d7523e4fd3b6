"""ferry file, ferry keys personal: files for single devices after publication, read by the task of each device alone."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cli, Cloud, Device, Failed, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
SCRIPT = """from ferry import files

def on_trigger(matched):
    return {"names": files.names(), "gain": files.read("gain.json").decode() if files.exists("gain.json") else None}
"""
TASK = {"name": "sums", "version": "1.0.0", "script": "task.py", "entry": "on_trigger",
        "trigger": {"sequence": [{"event": "number"}]}, "streams": []}


class PersonalTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-personal-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.cli, self.server, self.publisher = self.cloud.cli, self.cloud.server, self.cloud.publisher
        self.addCleanup(lambda: self.server.stop())
        task = self.folder / "task"
        task.mkdir()
        (task / "task.py").write_text(SCRIPT)
        (task / "task.json").write_text(json.dumps(TASK))
        package = self.folder / "sums.fpk"
        self.cli("pack", task, "-o", package)
        self.cli("publish", package, "--dir", self.publisher)
        self.asked = 0

    def devices(self, *names):
        token = self.server.api.post("/join-tokens", {"uses": len(names)})["token"]
        out = []
        for name in names:
            device = Device(BIN, self.folder / name, name, {"os": "linux", "app_version": "1.0.0"})
            device.start(token)
            self.addCleanup(device.stop)
            device.wait_enrolled()
            out.append(device)
        self.server.api.post("/releases", {"package": "sums", "version": "1.0.0", "rule": "", "start": True,
                                           "stages": [{"kind": "full", "min_reports": len(names)}]})
        for device in out:
            wait_for(f"{device.name} to run sums", lambda: "sums" in device.status().get("packages", {}))
        return out

    def delegate(self, *arguments):
        return self.cli("keys", "personal", "--dir", self.publisher, "--package", "sums", *arguments)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def put(self, device, text, *arguments):
        return self.cli("file", "put", "--package", "sums", "--device", device.id, self.write("gain.json", text), *arguments)

    def has(self, device, *names):
        wait_for(f"{device.name} to have {names}", lambda: device.status().get("personal") == [f"sums/{name}" for name in names])

    def read(self, device):
        """What the device's task says now."""
        before = len(device.result_lines())
        device.send([json.dumps({"id": "number", "page": "p", "data": {}})])
        wait_for(f"{device.name} to answer", lambda: len(device.result_lines()) > before)
        return device.result_lines()[-1]["result"]

    def until_read(self, device, gain):
        wait_for(f"{device.name} to read {gain}", lambda: self.read(device)["gain"] == gain)

    def test_a_device_reads_its_own_and_no_other_has_it(self):
        one, two = self.devices("one", "two")
        self.delegate("--max-bytes", "1000")
        self.assertIsNone(self.read(one)["gain"])
        done = self.put(one, "1.5")
        self.assertEqual((done["put"], done["devices"]), (1, 1))
        self.has(one, "gain.json")
        self.assertEqual(self.read(one), {"names": ["gain.json", "task.fbc"], "gain": "1.5"})
        self.assertIsNone(self.read(two)["gain"])
        self.assertEqual(two.status()["personal"], [])
        self.put(one, "2.5")
        self.until_read(one, "2.5")
        # It survives a start of the device and of the server, beside another one's.
        self.put(two, "9")
        self.until_read(two, "9")
        self.server.stop()
        self.server.start()
        one.stop()
        one.start()
        self.until_read(one, "2.5")
        listed = self.cli("file", "list", "--package", "sums")["files"]
        self.assertEqual({(file["device"], file["name"], file["length"]) for file in listed},
                         {(one.id, "gain.json", 3), (two.id, "gain.json", 1)})
        self.assertEqual([file["device"] for file in self.cli("file", "list", "--package", "sums", "--device", two.id)["files"]],
                         [two.id])
        self.cli("file", "remove", "--package", "sums", "--device", one.id, "gain.json")
        self.has(one)
        self.assertIsNone(self.read(one)["gain"])
        self.assertEqual(self.read(two)["gain"], "9")
        with self.assertRaisesRegex(Failed, "has no file"):
            self.cli("file", "remove", "--package", "sums", "--device", one.id, "gain.json")
        # No document or state of the other names it.
        text = "".join(path.read_text(errors="replace") for path in (two.folder / "state").glob("*.json"))
        self.assertNotIn(one.id, text)

    def test_a_map_gives_many_and_a_backup_keeps_them(self):
        one, two = self.devices("one", "two")
        self.delegate()
        self.write("a.bin", "for one")
        self.write("b.bin", "for two")
        lines = f"# device,file,name\n{one.id},a.bin,gain.json\n\n" + json.dumps(
            {"device": two.id, "file": str(self.folder / "b.bin"), "name": "gain.json"}) + f"\n{two.id},b.bin\n"
        done = self.cli("file", "put", "--package", "sums", "--map", self.write("map.csv", lines))
        self.assertEqual((done["put"], done["devices"]), (3, 2))
        self.has(one, "gain.json")
        self.has(two, "b.bin", "gain.json")
        self.assertEqual((self.read(one)["gain"], self.read(two)["gain"]), ("for one", "for two"))
        with self.assertRaisesRegex(Failed, "map.csv, line 2"):
            self.cli("file", "put", "--package", "sums", "--map", self.write("map.csv", f"{one.id},a.bin\nnothing\n"))
        copy = self.folder / "backup"

        def run(*arguments):
            done = subprocess.run([BIN / "ferry-server", *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        run("backup", "--dir", self.server.folder, copy)
        run("check", "--dir", self.server.folder)
        listed = self.cli("file", "list", "--package", "sums")
        self.server.stop()
        self.server.folder = self.folder / "restored" / "server"
        self.server.folder.parent.mkdir()
        run("restore", "--dir", self.server.folder, copy)
        self.server.start()
        self.assertEqual(self.cli("file", "list", "--package", "sums"), listed)

    def test_the_key_rotates_under_way(self):
        one, = self.devices("one")
        self.delegate()
        self.put(one, "1")
        self.until_read(one, "1")
        before = self.cli("keys", "show", "--dir", self.publisher)["personal"]
        made = json.loads(subprocess.run([BIN / "ferry-server", "keys", "rotate", "--dir", self.server.folder, "--json"],
                                         capture_output=True, text=True, check=True).stdout)
        self.assertIn("personal", made["waiting"])
        self.cli("keys", "rotate", "--dir", self.publisher, "--role", "online")
        after = self.cli("keys", "show", "--dir", self.publisher)["personal"]
        self.assertEqual(after, {**before, "keys": [made["keys"]["personal"]]})
        self.assertEqual(self.server.api.get("/online-keys")["waiting"], [])
        self.put(one, "2")
        self.until_read(one, "2")
        self.cli("keys", "refresh", "--dir", self.publisher)
        self.assertEqual(self.cli("keys", "show", "--dir", self.publisher)["personal"], after)

    def test_scopes_limit_who_gives(self):
        one, = self.devices("one")
        self.delegate()
        made = self.cli("user", "create", "vera", "--role", "releaser", "--package", "s*", "--group", "eu", "--make")
        token = self.server.api.post("/login", {"user": "vera", "password": made["password"]})["token"]
        vera = Cli(BIN, {"FERRY_SERVER": self.server.url, "FERRY_TOKEN": token})
        gain = self.write("gain.json", "1")
        with self.assertRaisesRegex(Failed, "permission_denied: .*device"):
            vera("file", "put", "--package", "sums", "--device", one.id, gain)
        self.server.api.put(f"/devices/{one.id}/tags", {"tags": ["eu/de"]})
        vera("file", "put", "--package", "sums", "--device", one.id, gain)
        self.until_read(one, "1")
        with self.assertRaisesRegex(Failed, "permission_denied: .*package"):
            vera("file", "put", "--package", "digits", "--device", one.id, gain)
        self.assertEqual(self.cli("file", "list", "--package", "sums")["files"][0]["added_by"], "vera")

    def test_refusals_say_what_to_do(self):
        one, = self.devices("one")
        with self.assertRaisesRegex(Failed, "ferry keys personal"):
            self.put(one, "1")
        shown = self.delegate("--max-bytes", "5")
        self.assertEqual((shown["personal"]["paths"], shown["personal"]["max_bytes"]), (["personal/sums/*"], 5))
        with self.assertRaisesRegex(Failed, "at most 5"):
            self.put(one, "123456")
        with self.assertRaisesRegex(Failed, "data only"):
            self.put(one, "1", "--name", "task.py")
        with self.assertRaisesRegex(Failed, "outside of what targets delegate"):
            self.cli("file", "put", "--package", "other", "--device", one.id, self.folder / "gain.json", "--name", "x")
        with self.assertRaisesRegex(Failed, "not_found"):
            self.cli("file", "put", "--package", "sums", "--device", "0" * 32, self.write("gain.json", "1"))
        self.put(one, "1")
        self.until_read(one, "1")
        # The task's own script stays what the publisher signed.
        self.assertEqual(self.cli("file", "put", "--package", "sums", "--device", one.id, self.folder / "gain.json",
                                  "--name", "notes")["put"], 1)
        self.has(one, "gain.json", "notes")
        self.delegate("--off")
        with self.assertRaisesRegex(Failed, "ferry keys personal"):
            self.put(one, "2")


if __name__ == "__main__":
    unittest.main(verbosity=2)
