"""The operators' door over TLS with the real programs: pins and authorities, remembered by `ferry login`; proxies."""
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Server, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin")).resolve()


class HttpsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ferry-https-")
        cls.home = pathlib.Path(cls.folder.name)
        cls.server = Server(BIN, cls.home / "server", ["--admin-tls"])
        cls.pin = cls.server.init()["authority_pin"]
        cls.server.start()
        cls.url = f"https://127.0.0.1:{cls.server.admin_port}"

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()

    def ferry(self, *arguments, **variables):
        known = {name: value for name, value in os.environ.items() if not name.startswith("FERRY_")}
        environment = {**known, "FERRY_CONFIG": str(self.home / f"{self.id()}.json"),
                       "FERRY_PASSWORD": self.server.password, **variables}
        return subprocess.run([BIN / "ferry", *map(str, arguments), "--json"], capture_output=True, text=True,
                              env=environment, timeout=60)

    def good(self, *arguments, **variables):
        done = self.ferry(*arguments, **variables)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def bad(self, name, *arguments, **variables):
        done = self.ferry(*arguments, **variables)
        self.assertEqual(done.returncode, 1, done.stdout)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(error["name"], name, error)
        return error["text"]

    def test_the_pin_is_printed_and_remembered(self):
        told = subprocess.run([BIN / "ferry-server", "pin", "--dir", self.server.folder], capture_output=True, text=True)
        self.assertEqual(told.stdout, self.pin + "\n")
        log = wait_for("the log", self.server.process.log.read_text)
        self.assertIn(f"console: {self.url}/\n", log)
        self.assertIn(f"--pin {self.pin}", log)
        self.good("login", self.url + "/", "--pin", self.pin.removeprefix("sha256:").upper())
        self.assertEqual(self.good("status")["devices"], 0)
        self.assertEqual(self.good("status", "--server", self.url)["devices"], 0)

    def test_another_pin_is_named(self):
        wrong = "sha256:" + "0" * 64
        self.assertIn("pinned authority", self.bad("untrusted_server", "login", self.url, "--pin", wrong))
        self.assertIn("--pin", self.bad("untrusted_server", "login", self.url))
        self.good("login", self.url, "--pin", self.pin)
        text = self.bad("untrusted_server", "status", "--pin", wrong)
        self.assertIn(self.url, text)
        self.bad("untrusted_server", "status", FERRY_PIN=wrong)
        self.bad("invalid_argument", "status", "--pin", "sha256:12")
        self.bad("invalid_argument", "status", "--pin", wrong, "--ca", "x.pem")
        self.bad("invalid_argument", "status", "--server", "http://127.0.0.1:1", "--pin", self.pin)

    def test_an_authority_is_remembered(self):
        authority = self.server.folder / "ca.pem"
        self.good("login", self.url, "--ca", os.path.relpath(authority))
        self.assertEqual(self.good("status")["devices"], 0)
        other = Server(BIN, self.home / "other")
        other.init()
        self.bad("untrusted_server", "status", "--ca", other.folder / "ca.pem")
        self.bad("not_found", "status", "--ca", self.home / "none.pem")

    def test_plain_http_is_told_to_speak_https(self):
        self.assertIn("https", self.bad("unsupported", "login", f"http://127.0.0.1:{self.server.admin_port}"))

    def test_tls_1_2_is_for_browsers_and_older_ones_are_refused(self):
        context = ssl.create_default_context(cafile=self.server.folder / "ca.pem")
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with socket.create_connection(("127.0.0.1", self.server.admin_port), 10) as line:
            with context.wrap_socket(line, server_hostname="localhost") as wire:
                self.assertEqual(wire.version(), "TLSv1.2")
                wire.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                self.assertTrue(wire.recv(100).startswith(b"HTTP/1.1 200 OK"))
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        with socket.create_connection(("127.0.0.1", self.server.admin_port), 10) as line:
            with self.assertRaises((ssl.SSLError, OSError)):
                context.wrap_socket(line, server_hostname="localhost")

    def test_options_that_do_not_fit_are_named(self):
        other = Server(BIN, self.home / "options")
        other.init()

        def run(*options):
            return subprocess.run([BIN / "ferry-server", "run", "--dir", other.folder, *options], capture_output=True,
                                  text=True, timeout=60)
        self.assertIn("--admin-plain excludes", run("--admin-plain", "--admin-tls").stderr)
        self.assertIn("go together", run("--admin-cert", "x.pem").stderr)
        self.assertIn("x.pem", run("--admin-cert", "x.pem", "--admin-key", "y.pem").stderr)
        self.assertIn("\"here\" is no IP address", run("--admin-proxy", "here").stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
