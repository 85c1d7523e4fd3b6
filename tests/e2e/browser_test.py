"""The operators' door as browsers know it: cookies, the page's second secret, live events, through ends of the server."""
import http.client
import json
import os
import pathlib
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, wait_for  # noqa: E402
import variants  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))


class Browser:
    """Keeps the cookie, and the second secret of the page."""

    def __init__(self, server):
        self.server, self.cookie, self.csrf = server, None, None

    def call(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.admin_port, timeout=30)
        if self.cookie:
            headers["Cookie"] = self.cookie
        if self.csrf:
            headers["X-Ferry-CSRF"] = self.csrf
        connection.request(method, f"/api/v1{path}", json.dumps(body or {}) if method != "GET" else None, headers)
        response = connection.getresponse()
        answer = json.loads(response.read() or b"{}")
        if response.getheader("Set-Cookie"):
            self.cookie = response.getheader("Set-Cookie").split(";")[0]
        connection.close()
        return response.status, answer

    def login(self, password):
        status, answer = self.call("POST", "/login", {"password": password, "cookie": True})
        self.csrf = answer.get("csrf")
        return status


class Live:
    """A stream of live events, read by a thread of its own as fast as it comes."""

    def __init__(self, browser, last_id=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", browser.server.admin_port, timeout=60)
        headers = {"Cookie": browser.cookie, **({"Last-Event-ID": last_id} if last_id else {})}
        self.connection.request("GET", "/api/v1/live", headers=headers)
        self.response = self.connection.getresponse()
        self.status, self.events, self.ended = self.response.status, [], False
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        event = {}
        try:
            for raw in self.response:
                name, _, value = raw.decode().rstrip("\n").partition(": ")
                if name in ("id", "event", "data"):
                    event[name] = value
                elif not name and event:
                    self.events.append((event["event"], event["id"], json.loads(event["data"]), len(event["data"])))
                    event = {}
        except (OSError, http.client.HTTPException, AttributeError):
            pass
        self.ended = True

    def kinds(self):
        return [kind for kind, *_ in self.events]

    def wait(self, what, check):
        return wait_for(what, lambda: next((event for event in list(self.events) if check(*event)), None), 30)

    def close(self):
        # The reading thread is inside of the response: the socket ends it.
        try:
            self.connection.sock and self.connection.sock.shutdown(2)
        except OSError:
            pass
        self.thread.join(10)
        self.connection.close()


class BrowserTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-door-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.server = self.cloud.server
        self.addCleanup(self.server.stop)
        self.browser = Browser(self.server)
        self.assertEqual(self.browser.login(self.server.password), 200)

    def live(self, last_id=None):
        stream = Live(self.browser, last_id)
        self.addCleanup(stream.close)
        return stream

    def publish(self, version):
        folder = variants.make(ROOT / "tasks/digits", self.folder / f"digits-{version}", version)
        self.cloud.cli("pack", folder, "-o", self.folder / f"{version}.fpk")
        self.cloud.cli("publish", self.folder / f"{version}.fpk", "--dir", self.cloud.publisher)

    def test_a_session_and_its_stream_outlive_the_server(self):
        first = self.live()
        self.assertEqual(first.status, 200)
        first.wait("the status", lambda kind, *_: kind == "status")
        self.server.kill()
        wait_for("the stream's end", lambda: first.ended, 30)
        self.server.start()
        status, session = self.browser.call("GET", "/session")
        self.assertEqual((status, session["user"], session["csrf"]), (200, "admin", self.browser.csrf))
        again = self.live(first.events[-1][1])
        again.wait("the status", lambda kind, *_: kind == "status")
        self.assertEqual(again.kinds()[0], "reset")

    def test_who_comes_back_hears_what_changed(self):
        self.publish("1.0.0")
        first = self.live()
        first.wait("the status", lambda kind, *_: kind == "status")
        self.assertNotIn("releases", first.events[0][2])
        first.close()
        plan = {"package": "digits", "version": "1.0.0", "rule": 'os == "none"', "stages": [{"kind": "full", "hold": True}], "start": True}
        status, release = self.browser.call("POST", "/releases", plan)
        self.assertEqual(status, 200, release)
        again = self.live(first.events[-1][1])
        told = again.wait("the release", lambda kind, *_: kind == "release")
        self.assertEqual(told[2]["id"], release["id"])
        self.assertIn("by admin", json.dumps(told[2]["events"]))
        self.assertNotIn("members", told[2])
        self.assertNotIn("reset", again.kinds())
        # A change is told as a difference.
        status, _ = self.browser.call("POST", f"/releases/{release['id']}/pause", {"why": "lunch"})
        self.assertEqual(status, 200)
        paused = again.wait("the pause", lambda kind, id, data, size: kind == "release" and data.get("state") == "paused")
        self.assertNotIn("rule", paused[2])
        self.assertNotIn("whole", paused[2])
        status, series = self.browser.call("GET", f"/releases/{release['id']}/series")
        self.assertEqual(status, 200)
        self.assertEqual(series["thinned"], 0)

    def test_a_stream_ends_with_its_session(self):
        stream = self.live()
        stream.wait("the status", lambda kind, *_: kind == "status")
        self.assertEqual(self.browser.call("POST", "/logout")[0], 200)
        wait_for("the stream's end", lambda: stream.ended, 10)
        self.assertEqual(self.browser.call("GET", "/session")[0], 401)

    def test_a_browser_opens_no_more_streams_than_it_needs(self):
        streams = [self.live() for _ in range(9)]
        self.assertEqual([stream.status for stream in streams], [200] * 8 + [503])
        streams[0].close()
        wait_for("its place", lambda: self.live().status == 200, 10)
        # Others are not kept from theirs.
        other = Browser(self.server)
        self.assertEqual(other.login(self.server.password), 200)
        stream = Live(other)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)


if __name__ == "__main__":
    unittest.main()
