"""The console in a headless Chromium: log in, upload a package, release it with a rule, pause, resume, roll back."""
import os
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from webdriver import Browser  # noqa: E402  (also puts tools/demo on the path)
from fleet import Cloud, Device, wait_for  # noqa: E402
import variants  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))


class ConsoleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-console-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        cloud = Cloud(BIN, self.folder)
        self.server, self.cli, self.publisher = cloud.server, cloud.cli, cloud.publisher
        self.addCleanup(self.server.stop)
        token = self.server.api.post("/join-tokens", {"uses": 2})["token"]
        self.devices = []
        for name, version in (("near", "1.4.0"), ("far", "2.1.0")):
            profile = dict(os="linux", app_version=version, device_class="high", tags=["beta"])
            device = Device(BIN, self.folder / name, name, profile)
            device.start(join=token)
            self.addCleanup(device.stop)
            self.devices.append(device)
        for device in self.devices:
            device.wait_enrolled()
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def bundle(self, version, *extra):
        folder = variants.make(ROOT / "tasks/digits", self.folder / f"digits-{version}", version)
        package, bundle = self.folder / f"{version}.fpk", self.folder / f"{version}.bundle"
        self.cli("pack", folder, "-o", package)
        self.cli("publish", package, "--dir", self.publisher, "--bundle", bundle, *extra)
        return bundle

    def upload(self, bundle, version):
        self.browser.open(f"{self.server.url}/#/packages")
        self.browser.type("#bundle", str(bundle))
        self.browser.click("#upload")
        self.browser.wait_text("main", version)

    def start_release(self, stages):
        self.browser.open(f"{self.server.url}/#/releases")
        self.browser.type("#rule", 'app_version < "2.0.0"', clear=True)
        self.browser.type("#stages", stages, clear=True)
        self.browser.click("#preview")
        self.browser.wait_text("#reached", "Reaches 1 devices")
        self.assertIn("1 outside", self.browser.text("#preview-result"))
        self.browser.click("#start")
        self.browser.find("#reason")

    def test_a_model_is_pushed_through_the_console(self):
        browser, near = self.browser, self.devices[0]
        browser.open(f"{self.server.url}/")
        browser.type("#password", "wrong")
        browser.click("#login")
        browser.wait_text("#notice", "unauthenticated")
        browser.type("#password", self.server.one_time_password(), clear=True)
        browser.click("#login")
        browser.wait_text("main", "No release yet")
        self.upload(self.bundle("1.0.0"), "1.0.0")
        self.start_release("simulation\nbeta tag(\"beta\") seconds=2\nfull reports=1")
        browser.click("#pause")
        browser.wait_text("h1", "paused")
        browser.click("#resume")
        # No reload: what follows arrives as live events.
        browser.wait_text("h1", "complete", 60)
        self.assertEqual(browser.count(".stages li.done"), 3)
        wait_for("the device to run it", lambda: near.status()["packages"]["digits"]["version"] == "1.0.0", 30)
        browser.open(f"{self.server.url}/#/devices")
        browser.wait_text("main", "digits 1.0.0")
        browser.open(f"{self.server.url}/#/devices/{self.devices[1].id}")
        browser.wait_text("#why", "app_version")
        browser.open(f"{self.server.url}/#/models")
        browser.wait_text("#models", "verifies no language model")

        self.upload(self.bundle("4.0.0", "--fallback", "1.0.0"), "4.0.0")
        self.start_release("full reports=1 hold")
        wait_for("version 4", lambda: near.status()["packages"]["digits"]["version"] == "4.0.0", 60)
        browser.click("#rollback")
        browser.accept_question()
        browser.wait_text("h1", "rolled back", 60)
        wait_for("version 1 again", lambda: near.status()["packages"]["digits"]["version"] == "1.0.0", 30)
        # The one refused login is in the browser's log as a failed request; nothing else may be.
        self.assertEqual([line for line in browser.errors() if "/api/v1/login" not in line], [])

    def test_a_page_that_was_left_draws_nothing(self):
        browser = self.browser
        browser.open(f"{self.server.url}/")
        browser.type("#password", self.server.password)
        browser.click("#login")
        browser.wait_text("main", "No release yet")
        browser.execute("""
            const plain = window.fetch;
            window.late = 0;
            window.fetch = async (url, options) => {
              const answer = await plain(url, options);
              if (!url.endsWith('/releases')) return answer;
              await new Promise((resolve) => setTimeout(resolve, 600));
              window.late += 1;
              return answer;
            };
            location.hash = '#/releases';
            setTimeout(() => { location.hash = '#/packages'; }, 100);""")
        wait_for("the answer for the page that was left", lambda: browser.execute("return window.late") > 0, 20)
        time.sleep(0.3)
        self.assertEqual(browser.text("h1"), "Packages")

    def test_a_broken_bundle_is_refused_with_a_reason(self):
        browser = self.browser
        browser.open(f"{self.server.url}/")
        browser.type("#password", self.server.password)
        browser.click("#login")
        browser.find("h1")
        bundle = self.bundle("1.0.0")
        broken = bytearray(bundle.read_bytes())
        broken[-100] ^= 1
        bundle.write_bytes(broken)
        browser.open(f"{self.server.url}/#/packages")
        browser.type("#bundle", str(bundle))
        browser.click("#upload")
        browser.wait_text("#notice", "corrupt_content")
        time.sleep(0.2)
        browser.wait_text("main", "Nothing is published yet")


if __name__ == "__main__":
    unittest.main(verbosity=2)
