"""A script with a syntax error: when packing, in the simulation, and on a device."""
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
