"""Passwords on a terminal are not shown, and the terminal is as before on every way out; logout."""
import json
import os
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import fixture  # noqa: E402
from terminal import Terminal  # noqa: E402


class PasswordTest(fixture.CliTest):
    def setUp(self):
        super().setUp()
        self.server = fixture.Server()
        self.addCleanup(self.server.close)
        self.server.answers["POST /login"] = 200, {"token": "t1", "expires_ms": 1}

    def login(self):
        terminal = Terminal([fixture.PROGRAM, "login", self.server.url], self.environment)
        self.addCleanup(terminal.close)
        before = terminal.modes()
        terminal.wait_for("password: ")
        self.assertFalse(terminal.echoes())
        return terminal, before

    def test_what_is_typed_is_not_shown(self):
        terminal, before = self.login()
        terminal.type("not to be seen\n")
        status, shown = terminal.end()
        self.assertEqual(status, 0, shown)
        self.assertNotIn("seen", shown)
        self.assertIn("logged in", shown)
        self.assertEqual(self.server.bodies("POST", "/login"), [{"password": "not to be seen"}])
        self.assertEqual(terminal.modes(), before)

    def test_every_way_out_restores_the_terminal(self):
        def interrupt(terminal):
            terminal.type("half a wo\x03")

        def signalled(number):
            return lambda terminal: os.kill(terminal.process.pid, number)

        ways = {"Ctrl-C": (interrupt, -signal.SIGINT), "TERM": (signalled(signal.SIGTERM), -signal.SIGTERM),
                "HUP": (signalled(signal.SIGHUP), -signal.SIGHUP), "QUIT": (lambda terminal: terminal.type("\x1c"), -signal.SIGQUIT),
                "end of input": (lambda terminal: terminal.type("\x04"), 1), "empty": (lambda terminal: terminal.type("\n"), 1)}
        for name, (leave, wanted) in ways.items():
            with self.subTest(name):
                terminal, before = self.login()
                leave(terminal)
                status, shown = terminal.end()
                self.assertEqual(status, wanted, shown)
                self.assertEqual(terminal.modes(), before)
                self.assertNotIn("half", shown)
        self.assertEqual(self.server.calls, [])
        self.assertFalse((self.folder / "login.json").exists())

    def test_users_passwords_are_hidden_too(self):
        self.environment.update(FERRY_SERVER=self.server.url, FERRY_TOKEN="secret")
        self.server.answers["GET /me"] = 200, {"name": "vera"}
        terminal = Terminal([fixture.PROGRAM, "user", "password", "vera"], self.environment)
        self.addCleanup(terminal.close)
        for prompt, word in (("old password: ", "word before"), ("new password: ", "word after")):
            terminal.wait_for(prompt)
            terminal.type(word + "\n")
        status, shown = terminal.end()
        self.assertEqual(status, 0, shown)
        self.assertNotIn("word after", shown)
        self.assertEqual(self.server.bodies("PUT", "/users/vera/password"), [{"old": "word before", "password": "word after"}])

    def test_logout_ends_the_session_there_and_here(self):
        self.assertIn("not logged in", self.bad("not_found", "logout"))
        kept = self.folder / "login.json"

        def log_in():
            self.assertEqual(self.ferry("login", self.server.url, FERRY_PASSWORD="x").status, 0)
        log_in()
        self.assertTrue(self.good("logout")["ended"])
        self.assertEqual(self.server.calls[-1][:2], ("POST", "/logout"))
        self.assertEqual(self.server.calls[-1][3], "Bearer t1")
        self.assertFalse(kept.exists())
        log_in()
        self.server.answers["POST /logout"] = 401, {"error": {"code": 5, "name": "unauthenticated", "text": "not known"}}
        self.assertFalse(self.good("logout")["ended"])
        self.assertFalse(kept.exists())
        log_in()
        # Where it cannot be ended it is not forgotten, unless that is wanted.
        text = json.loads(kept.read_text())
        kept.write_text(json.dumps({**text, "server": "http://127.0.0.1:1"}))
        self.assertIn("--here", self.bad("unavailable", "logout"))
        self.assertTrue(kept.exists())
        self.good("logout", "--here")
        self.assertFalse(kept.exists())


if __name__ == "__main__":
    unittest.main()
