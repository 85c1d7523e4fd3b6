"""ferry chat on a terminal: arrow keys edit and never reach the model; history; the terminal afterwards."""
import os
import pathlib
import signal
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import fixture  # noqa: E402
from terminal import Terminal  # noqa: E402

MODEL = pathlib.Path(__file__).resolve().parents[3] / "tasks/pair/draft.flm"
LEFT, UP = "\x1b[D", "\x1b[A"


class ChatTerminalTest(fixture.CliTest):
    def setUp(self):
        super().setUp()
        self.environment.update(XDG_STATE_HOME=str(self.folder / "state"), HOME=str(self.folder))
        self.history = self.folder / "state/ferry/chat_history"

    def chat(self, *options):
        terminal = Terminal([fixture.PROGRAM, "chat", MODEL, "--max-new", 8, "--template", "off", "--seed", 3, *options],
                            self.environment)
        self.addCleanup(terminal.close)
        before = terminal.modes()
        terminal.wait_for("> ")
        return terminal, before

    def leave(self, terminal, before, how="/quit\r", wanted=0):
        terminal.type(how)
        status, shown = terminal.end()
        self.assertEqual(status, wanted, shown)
        self.assertEqual(terminal.modes(), before)
        return shown

    def test_keys_edit_the_line(self):
        terminal, before = self.chat()
        # What the program got is told by its remark on a command that it does not know.
        terminal.type("/fy" + LEFT + "l" + "\r")
        terminal.wait_for("/fly is no command here")
        terminal.type("/ab" + LEFT + LEFT + "\x7f" + "/x" + "\x05" + "cd\r")
        terminal.wait_for("/xabcd is no command here")
        terminal.type(UP + UP + "\r")
        terminal.wait_for("/fly is no command here")
        terminal.type("/gr\u00fcn" + LEFT + LEFT + "\x1b[C" + "\x7fu\r")
        terminal.wait_for("/grun is no command here")
        self.leave(terminal, before)

    def test_the_model_gets_the_edited_line(self):
        plain = subprocess.run([fixture.PROGRAM, "chat", MODEL, "--max-new", "8", "--template", "off", "--seed", "3"], input="the man\n",
                               capture_output=True, text=True, timeout=60, env=self.environment)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        terminal, before = self.chat()
        terminal.type("the mn" + LEFT + "a" + "\r")
        shown = terminal.wait_for("\n> ").replace("\r", "")
        answer = plain.stdout.rstrip("\n")
        self.assertGreater(len(answer), 4)
        self.assertTrue(shown.endswith(answer + "\n> "), (shown, answer))
        self.leave(terminal, before)

    def test_history_is_kept_for_this_user_alone(self):
        terminal, before = self.chat()
        terminal.type("/first\r")
        terminal.wait_for("/first is no command")
        self.leave(terminal, before)
        self.assertEqual(stat.S_IMODE(self.history.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.history.parent.stat().st_mode) & 0o077, 0)
        self.assertIn("/first", self.history.read_text())
        terminal, before = self.chat()
        terminal.type(UP + UP + "\r")
        terminal.wait_for("/first is no command")
        self.leave(terminal, before)
        self.history.unlink()
        terminal, before = self.chat("--no-history")
        terminal.type("/second\r")
        terminal.wait_for("/second is no command")
        self.leave(terminal, before)
        self.assertFalse(self.history.exists())

    def test_every_way_out(self):
        terminal, before = self.chat()
        terminal.type("half a line\x03")
        terminal.wait_for("(Ctrl-C again")
        terminal.wait_for("> ")
        self.leave(terminal, before, "\x04")
        terminal, before = self.chat()
        terminal.type("\x03")
        terminal.wait_for("(Ctrl-C again")
        self.leave(terminal, before, "\x03")
        for number in (signal.SIGTERM, signal.SIGHUP):
            terminal, before = self.chat()
            os.kill(terminal.process.pid, number)
            self.leave(terminal, before, "", -number)


if __name__ == "__main__":
    unittest.main()
