"""A script with a syntax error: when packing, in the simulation, and on a device. A version that the simulation stops beside the running one."""
import json
import unittest

import fixture

BROKEN = fixture.SCRIPT.replace("return {", "return (")


class ScriptTest(fixture.BadInputTest):
    def test_syntax_error(self):
        package = self.pack("2.0.0")
        source = self.folder / "task-2.0.0/task.py"
        source.write_text(BROKEN)
        shown = self.text_of(fixture.BIN / "ferry", "pack", source.parent, "-o", self.folder / "x.fpk")
        self.assertIn("ferry: script_syntax: ", shown)
        self.assertIn(f"{source}:2:", shown)
        self.assertFalse((self.folder / "x.fpk").exists())
        fixture.replace_script(package, BROKEN)
        self.assertIn("task.py:2:", self.text_of(fixture.BIN / "ferry", "run", package))
        self.publish(package)
        stopped = self.release("2.0.0", {"kind": "simulation"})
        fixture.wait_for("the simulation", lambda: self.server.api.get(f"/releases/{stopped}")["state"] == "failed_simulation")
        shown = self.text_of(fixture.BIN / "ferry", "status", stopped)
        self.assertIn("script_syntax: package sums 2.0.0: task.py:", shown)
        self.release("2.0.0")
        self.expect_refused("script_syntax", "sums 2.0.0", "task.py:2:")

    def pack_with_cases(self, version, script, expected):
        folder = self.folder / f"task-{version}"
        folder.mkdir()
        (folder / "task.py").write_text(script)
        cases = {"cases": [{"name": "three", "events": [{"id": "number", "data": {"numbers": [1, 2]}}], "expect": {"sum": expected}}]}
        (folder / "cases.json").write_text(json.dumps(cases))
        task = {**fixture.TASK, "version": version, "resources": ["cases.json"], "simulation": {"cases": "cases.json"},
                "limits": {"memory_bytes": 500_000_000}}
        (folder / "task.json").write_text(json.dumps(task))
        package = self.folder / f"sums-{version}.fpk"
        self.cli("pack", folder, "-o", package)
        self.publish(package)

    def simulated(self, version, **asked):
        release = self.release(version, {"kind": "simulation", **asked})
        kinds = ("simulation", "failed_simulation")

        def event():
            return next((item for item in self.server.api.get(f"/releases/{release}")["events"] if item["kind"] in kinds), None)
        return release, fixture.wait_for("the simulation", event)

    def test_a_simulation_beside_the_running_version(self):
        phone = fixture.Device(fixture.BIN, self.folder / "phone", "phone", {**fixture.PROFILE, "isa": ["arm64", "neon"]}, poll_seconds=60)
        self.addCleanup(phone.stop)
        phone.start(join=self.cli("device", "join-token", "--uses", "1", "--valid-hours", "1")["token"])
        phone.wait_enrolled()
        self.pack_with_cases("2.0.0", "KEPT = 'x' * 200_000_000\n" + fixture.SCRIPT, 3)
        release, event = self.simulated("2.0.0", max_memory_ratio=2)
        self.assertEqual(event["kind"], "failed_simulation", event)
        self.assertRegex(event["text"], r"beside 1\.0\.0: its memory is \d+\.\d MiB, was \d+\.\d MiB: \d+\.\d\d times, at most 2")
        numbers = event["numbers"]
        self.assertEqual((numbers["compared_with"], numbers["differences"]), ("1.0.0", []))
        self.assertGreater(numbers["memory_ratio"], 2)
        phones = [profile for profile in numbers["profiles"] if profile["profile"] == "neon"]
        self.assertEqual(phones, [{"profile": "neon", "devices": 1, "not_here": "neon"}])
        own = next(profile for profile in numbers["profiles"] if profile["profile"] != "neon")
        self.assertEqual((own["devices"], own["cases"], own["failed"]), (1, 1, 0))
        self.assertGreater(own["peak_bytes"], 200_000_000)
        shown = self.text_of(fixture.BIN / "ferry", "release", "show", release)
        self.assertIn("not runnable here: neon", shown)
        self.assertRegex(shown, r"\n +\w+ +1 +1 +0 +[\d.]+ +\d+\.\d ")
        self.pack_with_cases("3.0.0", fixture.SCRIPT.replace("sum(", "1 + sum("), 4)
        release, event = self.simulated("3.0.0", same_outputs=True)
        self.assertEqual(event["kind"], "failed_simulation", event)
        self.assertIn("1 of 1 outputs differ, first three: was {\"sum\":3}, is {\"sum\":4}", event["text"])
        self.assertIn("case three: was {\"sum\":3}, is {\"sum\":4}", self.text_of(fixture.BIN / "ferry", "release", "show", release))
        release, event = self.simulated("3.0.0", max_memory_ratio=3)
        self.assertEqual(event["kind"], "simulation", event)
        self.assertIn("against 1.0.0: 1 of 1 outputs differ, a run takes ", event["text"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
