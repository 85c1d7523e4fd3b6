"""Users, tokens, two people and the audit log, as operators use them: the command line against a running server."""
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Server, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
PASSWORD = "a password that is long"


class OperatorsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-operators-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = Server(BIN, self.folder / "server")
        self.server.init()
        self.server.start()
        self.addCleanup(self.server.stop)
        self.login("admin", self.server.password)

    def ferry(self, who, *arguments, **environment):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("FERRY_")}
        clean["FERRY_CONFIG"] = str(self.folder / f"{who}.json")
        return subprocess.run([BIN / "ferry", *map(str, arguments)], capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, env={**clean, **environment})

    def good(self, who, *arguments, **environment):
        done = self.ferry(who, *arguments, "--json", **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def bad(self, name, who, *arguments, **environment):
        done = self.ferry(who, *arguments, **environment)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith(f"ferry: {name}: "), done.stderr)
        return done.stderr

    def login(self, who, password, *user):
        return self.good(who, "login", self.server.url, *user, FERRY_PASSWORD=password)

    def add(self, name, role, *scope):
        self.good("admin", "user", "create", name, "--role", role, *scope, FERRY_NEW_PASSWORD=PASSWORD)
        self.login(name, PASSWORD, "--user", name)

    def test_users_and_tokens(self):
        self.add("vera", "viewer")
        self.good("vera", "status")
        self.assertEqual(self.good("vera", "user", "show")["name"], "vera")
        self.assertIn("needs the role releaser", self.bad("permission_denied", "vera", "device", "join-token"))
        made = self.good("admin", "user", "create", "rolf", "--role", "releaser", "--package", "sums*", "--make")
        self.login("rolf", made["password"], "--user", "rolf")
        self.assertEqual([user["name"] for user in self.good("admin", "user", "list")["users"]], ["admin", "rolf", "vera"])
        denied = self.bad("permission_denied", "rolf", "release", "start", "--package", "digits", "--version", "1.0.0", "--rule", "all")
        self.assertIn("not in the scope of rolf", denied)
        self.bad("not_found", "rolf", "release", "start", "--package", "sums", "--version", "1.0.0", "--rule", "all")

        token = self.good("rolf", "user", "token", "create", "rolf", "--name", "ci", "--role", "viewer", "--valid-days", "2")
        called = {"FERRY_SERVER": self.server.url, "FERRY_TOKEN": token["token"]}
        self.good("nobody", "status", **called)
        listed = self.good("rolf", "user", "token", "list", "rolf")["tokens"]
        self.assertEqual([(each["id"], each["name"]) for each in listed], [(token["id"], "ci")])
        self.assertIsNotNone(listed[0]["last_used_ms"])
        self.assertNotIn("token", listed[0])
        self.good("rolf", "user", "token", "revoke", "rolf", token["id"])
        self.bad("unauthenticated", "nobody", "status", **called)

        self.good("admin", "user", "role", "rolf", "--role", "viewer")
        self.bad("permission_denied", "rolf", "release", "start", "--package", "sums", "--version", "1.0.0", "--rule", "all")
        self.good("rolf", "user", "password", "rolf", FERRY_PASSWORD=made["password"], FERRY_NEW_PASSWORD=PASSWORD)
        self.bad("unauthenticated", "rolf", "status")
        self.login("rolf", PASSWORD, "--user", "rolf")
        self.good("admin", "user", "disable", "rolf")
        self.bad("unauthenticated", "rolf", "status")
        self.good("admin", "user", "disable", "rolf", "--off")
        self.login("rolf", PASSWORD, "--user", "rolf")
        self.good("admin", "user", "delete", "rolf")
        self.bad("unauthenticated", "rolf", "login", self.server.url, "--user", "rolf", FERRY_PASSWORD=PASSWORD)

    def test_a_logout_ends_the_session(self):
        self.add("vera", "viewer")
        kept = json.loads((self.folder / "vera.json").read_text())
        self.assertTrue(self.good("vera", "logout")["ended"])
        self.bad("failed_precondition", "vera", "status")
        self.bad("unauthenticated", "nobody", "status", FERRY_SERVER=self.server.url, FERRY_TOKEN=kept["token"])

    def test_the_log_holds_calls_and_local_commands_and_a_change_of_it_is_found(self):
        self.add("vera", "viewer")
        self.bad("permission_denied", "vera", "device", "join-token")
        local = subprocess.run([BIN / "ferry-server", "keys", "rotate", "director", "--dir", self.server.folder], capture_output=True)
        self.assertEqual(local.returncode, 0, local.stderr)
        found = self.good("vera", "audit", "--limit", "1000")
        rows = found["rows"]
        self.assertEqual([row["seq"] for row in rows], list(range(1, len(rows) + 1)))
        told = [(row["user"], row["action"], row["outcome"]) for row in rows]
        self.assertEqual(told[0], (f"os:{os.getuid()}", "ferry-server init", "done"))
        self.assertIn(("admin", "POST /api/v1/login", "done"), told)
        self.assertIn(("admin", "POST /api/v1/users", "done"), told)
        self.assertIn(("vera", "POST /api/v1/join-tokens", "refused"), told)
        self.assertEqual(told[-1], (f"os:{os.getuid()}", "ferry-server keys rotate", "done"))
        self.assertEqual({row["user"] for row in self.good("vera", "audit", "--user", "vera")["rows"]}, {"vera"})
        self.assertEqual(self.good("vera", "audit", "--since", "2099-01-01T00:00:00Z")["rows"], [])
        lines = self.ferry("vera", "audit", "--lines", "--limit", "1000").stdout.splitlines()
        self.assertEqual([json.loads(line) for line in lines], rows)

        text = self.ferry("vera", "audit", "--verify").stdout
        head = re.search(r"^head: (\d+:[0-9a-f]{64})$", text, re.MULTILINE)[1]
        self.assertEqual(head, f"{rows[-1]['seq']}:{rows[-1]['hash']}")
        self.good("vera", "audit", "--verify", "--head", head)
        self.server.stop()
        with sqlite3.connect(self.server.folder / "ferry.db") as database:
            database.execute("UPDATE audit SET user = 'nobody' WHERE seq = 3")
        database.close()
        self.server.start()
        self.assertIn("broken at row 3", self.bad("corrupt_content", "vera", "audit", "--verify"))

    def test_two_people(self):
        self.add("rolf", "releaser")
        self.add("anna", "approver")
        self.good("admin", "approval", "policy", "--package", "*")
        self.assertEqual(self.good("anna", "approval", "policy"), {"packages": ["*"]})
        # Turning it off takes two as well.
        waiting = self.bad("failed_precondition", "admin", "approval", "policy", "--off")
        request = re.search(r"ferry approval approve ([0-9a-f]+)", waiting)[1]
        self.assertEqual(self.good("anna", "approval", "show", request)["user"], "admin")
        self.assertIn(request, self.ferry("anna", "approval", "list").stdout)
        self.bad("permission_denied", "admin", "approval", "approve", request)
        self.bad("permission_denied", "rolf", "approval", "approve", request)
        self.good("anna", "approval", "reject", request, "--why", "it stays")
        self.bad("failed_precondition", "anna", "approval", "approve", request)
        waiting = self.bad("failed_precondition", "rolf", "release", "begin", "none")
        request = re.search(r"ferry approval approve ([0-9a-f]+)", waiting)[1]
        self.bad("not_found", "anna", "approval", "approve", request)
        self.assertEqual(self.good("anna", "approval", "show", request)["state"], "open")

    def test_webhooks_are_signed_and_metrics_are_shown(self):
        self.server.stop()
        self.server.start("--webhook-private", "--metrics-open")
        heard = []

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                heard.append((body, self.headers["Ferry-Signature"], self.headers["Ferry-Delivery"]))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        secret = self.folder / "secret"
        secret.write_text("a secret of the two\n")
        hook = self.good("admin", "webhook", "create", f"http://127.0.0.1:{receiver.server_port}/x", "--events", "user.*",
                         "--secret-file", secret)
        self.assertNotIn("secret", hook)
        self.add("vera", "viewer")
        wait_for("the webhook's call", lambda: heard, 20)
        body, signature, delivery = heard[0]
        self.assertEqual(json.loads(body)["kind"], "user.changed")
        seconds, mac = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", signature).groups()
        self.assertEqual(mac, hmac.new(b"a secret of the two", f"{seconds}.".encode() + body, hashlib.sha256).hexdigest())
        self.bad("permission_denied", "vera", "webhook", "list")
        wait_for("its row", lambda: self.good("admin", "webhook", "deliveries", hook["id"])["deliveries"])
        self.good("admin", "webhook", "replay", hook["id"], "--since", "2020-01-01T00:00:00Z")
        wait_for("the call once more", lambda: len(heard) > 1, 20)
        self.assertEqual(heard[1][2], delivery)
        text = urllib.request.urlopen(self.server.url + "/metrics", timeout=20).read().decode()
        self.assertIn(f'ferry_webhook_waiting{{webhook="{hook["id"]}"}}', text)
        for name in ("ferry_devices_connected 0", 'ferry_queue_tasks_total{queue="rollout"}', "process_resident_memory_bytes"):
            self.assertIn(name, text)
        self.good("admin", "webhook", "delete", hook["id"])


if __name__ == "__main__":
    unittest.main()
