"""ferry device erase and consent: what is known of who uses a device goes from both sides, with receipts."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, Failed, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
SECRET = "a_page_about_an_illness"
SCRIPT = """from ferry import events, tables

seen = []


def on_visit(matched):
    page = matched[-1]["page"]
    seen.append(page)
    row = tables.get("pages", page) or {"page": page, "n": 0}
    tables.put("pages", {"page": page, "n": row["n"] + 1})
    events.emit("visits", {"page": page})
    return {"seen": len(seen), "n": row["n"] + 1}
"""
TASK = {"name": "visits", "version": "1.0.0", "script": "task.py", "entry": "on_visit",
        "trigger": {"sequence": [{"event": "visit"}]},
        "tables": [{"name": "pages", "key": ["page"], "columns": {"page": "text", "n": "int"}}],
        "streams": [{"name": "rows", "source": "visits", "upload": True}]}


class EraseTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-erase-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.cli, self.server = self.cloud.cli, self.cloud.server
        self.addCleanup(lambda: self.server.stop())
        task = self.folder / "task"
        task.mkdir()
        (task / "task.py").write_text(SCRIPT)
        (task / "task.json").write_text(json.dumps(TASK))
        self.cli("pack", task, "-o", self.folder / "visits.fpk")
        self.cli("publish", self.folder / "visits.fpk", "--dir", self.cloud.publisher)

    def device(self, name, *options):
        device = Device(BIN, self.folder / name, name, {"os": "linux", "app_version": "1.0.0"}, options=options)
        device.start(self.server.api.post("/join-tokens", {"uses": 1})["token"])
        self.addCleanup(device.stop)
        device.wait_enrolled()
        return device

    def release(self, *devices):
        self.server.api.post("/releases", {"package": "visits", "version": "1.0.0", "rule": "", "start": True,
                                           "stages": [{"kind": "full", "min_reports": len(devices)}]})
        for device in devices:
            wait_for(f"{device.name} to run", lambda: "visits" in device.status().get("packages", {}))

    def visit(self, device, times=1):
        before = len(device.result_lines())
        device.send([json.dumps({"id": "visit", "page": SECRET, "data": {}})] * times)
        wait_for(f"{device.name} to answer", lambda: len(device.result_lines()) == before + times)
        return device.result_lines()[-1]["result"]

    def rows(self, device):
        return len(self.server.api.get(f"/streams/rows?device={device.id}&limit=500")["rows"])

    def test_a_device_is_erased_on_both_sides(self):
        one, two = self.device("one"), self.device("two")
        self.release(one, two)
        self.assertEqual(self.visit(one, 3), {"seen": 3, "n": 3})
        self.visit(two, 2)
        wait_for("rows of both", lambda: self.rows(one) == 3 and self.rows(two) == 2)
        with self.assertRaises(Failed) as refused:
            self.cli("device", "erase", one.id)
        self.assertIn("--yes", str(refused.exception))
        asked = self.cli("device", "erase", one.id, "--yes")
        self.assertEqual((asked["records"], asked["device"]), (3, None))
        self.assertEqual((self.rows(one), self.rows(two)), (0, 2))
        receipt = wait_for("the device's receipt",
                           lambda: self.cli("device", "erase", one.id, "--list")["erasures"][0]["device"])["receipt"]
        self.assertEqual(receipt["table_rows"], 1)
        cloud = wait_for("the server's receipt", lambda: (one.status().get("erasure") or {}).get("cloud"))
        row = next(row for row in self.cli("audit", "--since", "2020-01-01T00:00:00Z")["rows"] if row["seq"] == cloud["audit"]["seq"])
        self.assertEqual((row["hash"], row["target"], row["action"]), (cloud["audit"]["hash"], one.id, "erase"))
        for path in (self.folder / "one" / "state").rglob("*"):
            if path.is_file():
                self.assertNotIn(SECRET.encode(), path.read_bytes(), path)
        self.assertEqual(self.visit(one), {"seen": 1, "n": 1})
        self.assertEqual(self.visit(two), {"seen": 3, "n": 3})
        wait_for("rows that came since", lambda: self.rows(one) == 1 and self.rows(two) == 3)

    def test_a_device_that_is_away_erases_when_it_comes_back(self):
        one = self.device("one")
        self.release(one)
        self.visit(one, 2)
        wait_for("its rows", lambda: self.rows(one) == 2)
        one.stop()
        self.cli("device", "erase", one.id, "--yes")
        self.assertEqual(self.rows(one), 0)
        one.start()
        wait_for("its receipt", lambda: self.cli("device", "erase", one.id, "--list")["erasures"][0]["device"])
        wait_for("it to run", lambda: "visits" in one.status().get("packages", {}))
        self.assertEqual(self.visit(one), {"seen": 1, "n": 1})

    def test_without_consent_no_row_leaves(self):
        one = self.device("one", "--consent", "no")
        self.release(one)
        self.assertEqual(self.visit(one, 2), {"seen": 2, "n": 2})
        status = wait_for("the rows to be withheld",
                          lambda: one.status() if one.status().get("outbox", {}).get("withheld") == 2 else None)
        self.assertFalse(status["consent"])
        self.assertEqual((status["outbox"]["queued"], status["outbox"]["refused"]), (0, 0))
        self.assertEqual(self.rows(one), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
