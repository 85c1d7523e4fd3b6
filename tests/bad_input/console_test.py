"""What the console shows of bad input: why an upload was refused, and what a device reported."""
import base64
import json
import sys
import unittest

import fixture

sys.path.insert(0, str(fixture.ROOT / "tests/console"))
from webdriver import Browser  # noqa: E402


def change_targets(bundle):
    """Changes one signed character of the targets document in a bundle; magic, version, header's length stay."""
    data = bundle.read_bytes()
    size = int.from_bytes(data[12:16], "little")
    header = json.loads(data[16:16 + size])
    document = base64.b64decode(header["publish"]["targets"])
    changed = base64.b64encode(document.replace(b'"version":"2.0.0"', b'"version":"2.0.1"', 1)).decode()
    assert changed != header["publish"]["targets"]
    text = data[16:16 + size].replace(header["publish"]["targets"].encode(), changed.encode())
    bundle.write_bytes(data[:16] + text + data[16 + size:])


class ConsoleTest(fixture.BadInputTest):
    def test_refusals_are_shown(self):
        browser = Browser()
        self.addCleanup(browser.close)
        browser.open(f"{self.server.url}/")
        browser.type("#password", self.server.password)
        browser.click("#login")
        browser.find("h1")
        package, bundle = self.pack("2.0.0"), self.folder / "2.0.0.bundle"
        fixture.replace_script(package, fixture.SCRIPT.replace("return {", "return ("))
        self.publish(package, "--bundle", bundle)
        good = bundle.read_bytes()
        change_targets(bundle)
        browser.open(f"{self.server.url}/#/packages")
        browser.click("#open-upload")
        browser.type("#bundle", str(bundle))
        browser.click("#upload")
        browser.wait_text("#bundle-wrong", "bad_signature: ")
        bundle.write_bytes(good)
        self.cli("publish", "--from-bundle", bundle)
        release = self.release("2.0.0")
        self.expect_refused("script_syntax", "task.py:2:")
        browser.open(f"{self.server.url}/#/fleet/{self.device.id}")
        browser.wait_text("main", "script_syntax: package sums 2.0.0: task.py:")
        browser.open(f"{self.server.url}/#/releases/{release}")
        browser.wait_text("main", "script_syntax: package sums 2.0.0: task.py:")
        browser.open(f"{self.server.url}/#/fleet")
        browser.wait_text("main", "sums 1.0.0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
