"""A small WebDriver client (W3C WebDriver, 2018) over the standard library: enough to click through the console."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/demo"))
from fleet import Failed, free_port, wait_for  # noqa: E402

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the specification's name of an element reference
CHROMIUM_OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
                    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
                    "--window-size=1200,1000"]


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="ferry-chromium-")
        port = free_port()
        self.driver = subprocess.Popen([shutil.which("chromedriver"), f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        self.session = None
        wait_for("chromedriver", self._ready, 30)
        options = {"args": CHROMIUM_OPTIONS + [f"--user-data-dir={self.profile.name}"], "binary": shutil.which("chromium")}
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
            "unhandledPromptBehavior": "ignore"}}})
        self.session = answer["sessionId"]

    def _ready(self):
        try:
            return self._call("GET", "/status")["ready"]
        except OSError:
            return False

    def _call(self, method, path, body=None):
        url = self.base + (f"/session/{self.session}" if self.session else "") + path
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.loads(response.read())["value"]
        except urllib.error.HTTPError as error:
            value = json.loads(error.read())["value"]
            raise Failed(f"{method} {path}: {value['error']}: {value['message'].splitlines()[0]}") from None

    def open(self, url):
        self._call("POST", "/url", {"url": url})

    def find(self, css, seconds=15):
        """The first element that `css` selects, waited for."""
        found = wait_for(f"element {css}", lambda: self._call("POST", "/elements", {"using": "css selector", "value": css}), seconds)
        return found[0][ELEMENT]

    def count(self, css):
        return len(self._call("POST", "/elements", {"using": "css selector", "value": css}))

    def click(self, css):
        self._retry(lambda: self._call("POST", f"/element/{self.find(css)}/click", {}))

    def type(self, css, text, clear=False):
        self._retry(lambda: self._type(self.find(css), text, clear))

    def _type(self, element, text, clear):
        if clear:
            self._call("POST", f"/element/{element}/clear", {})
        self._call("POST", f"/element/{element}/value", {"text": text})

    def execute(self, script, *arguments):
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, css):
        return self._retry(lambda: self._call("GET", f"/element/{self.find(css)}/text"))

    def accept_question(self):
        wait_for("a question", self._try_accept, 10)

    def _try_accept(self):
        try:
            self._call("POST", "/alert/accept", {})
            return True
        except Failed:
            return False

    def _retry(self, action, times=5):
        """The page redraws itself on live events: an element may be replaced between finding and using it."""
        for attempt in range(times):
            try:
                return action()
            except Failed as failure:
                if "stale" not in str(failure) or attempt == times - 1:
                    raise
                time.sleep(0.1)

    def wait_text(self, css, part, seconds=60):
        return wait_for(f"'{part}' in {css} (now '{self.text(css)}')", lambda: part in self.text(css), seconds, 0.2)

    def errors(self):
        """Errors of the browser's own log: scripts that failed, content that was refused."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def screenshot(self, path):
        import base64
        pathlib.Path(path).write_bytes(base64.b64decode(self._call("GET", "/screenshot")))

    def close(self):
        try:
            if self.session:
                self._call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.profile.cleanup()
