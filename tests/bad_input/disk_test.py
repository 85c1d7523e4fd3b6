"""A device whose disk is full."""
import os
import unittest
from unittest import mock

import fixture


class DiskTest(fixture.BadInputTest):
    def test_full_disk(self):
        self.device.stop()
        with mock.patch.dict(os.environ, {"FERRY_DISK_LIMIT_BYTES": "150000"}):
            self.device.start()
        self.publish(self.pack("2.0.0", os.urandom(300_000)))
        self.release("2.0.0")
        # Its own status file cannot be written any more.
        self.expect_refused("disk_full", "sums/2.0.0/full", "downloads/", status_file=False)
        self.assertIn("disk_full", self.device.process.tail())
        # With room again the same device takes the next version.
        self.device.stop()
        self.device.start()
        release = self.server.api.get("/releases")["releases"][0]["id"]
        self.cli("rollback", release)
        fixture.wait_for("the rollback", lambda: self.server.api.get(f"/releases/{release}")["state"] == "rolled_back", 30)
        self.publish(self.pack("3.0.0"))
        self.install("3.0.0")
        self.expect_runs("3.0.0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
