"""A flipped byte in content, and a sealed file that was wrapped for another device."""
import unittest

import fixture


class ContentTest(fixture.BadInputTest):
    def test_a_flipped_byte(self):
        self.publish(self.pack("2.0.0"))
        sha256 = self.server.api.get("/packages/sums/2.0.0")["artefacts"][0]["sha256"]
        sealed = next((self.server.folder / "content").rglob(sha256))
        data = bytearray(sealed.read_bytes())
        data[len(data) // 2] ^= 1
        sealed.write_bytes(data)
        self.release("2.0.0")
        self.expect_refused("corrupt_content", "sums/2.0.0/full", sha256[:12])

    def test_another_devices_key(self):
        other = self.join("other")
        other.stop()
        self.device.stop()
        (self.device.folder / "state/seal.key").write_bytes((other.folder / "state/seal.key").read_bytes())
        self.device.start()
        self.publish(self.pack("2.0.0"))
        self.release("2.0.0")
        self.expect_refused("wrong_key", "sums/2.0.0/full", self.device.id)


if __name__ == "__main__":
    unittest.main(verbosity=2)
