"""A program on a terminal of its own, for tests of what is typed and shown."""
import os
import pty
import select
import subprocess
import termios
import time


class Terminal:
    """Runs `command` with a pseudo-terminal as its standard streams and controlling terminal."""

    def __init__(self, command, environment):
        self.master, slave = pty.openpty()
        self.slave = slave  # kept open, so that modes can be looked at and the last output read
        self.shown = b""
        self.process = subprocess.Popen(list(map(str, command)), stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        env={**environment, "TERM": "xterm"}, preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)))

    def type(self, text):
        """Types when the program reads keys by itself: what comes before, the terminal would show as it is."""
        until = time.monotonic() + 10
        while self.echoes() and time.monotonic() < until:
            time.sleep(0.01)
        os.write(self.master, text.encode() if isinstance(text, str) else text)

    def wait_for(self, text, seconds=30):
        """Waits until `text` was shown since the last wait; gives what was shown until then."""
        until = time.monotonic() + seconds
        wanted = text.encode()
        while wanted not in self.shown:
            left = until - time.monotonic()
            ready, _, _ = select.select([self.master], [], [], max(0, left))
            if not ready:
                raise AssertionError(f"{text!r} was not shown: {self.shown!r}")
            self.shown += os.read(self.master, 65536)
        end = self.shown.index(wanted) + len(wanted)
        before, self.shown = self.shown[:end], self.shown[end:]
        return before.decode(errors="replace")

    def echoes(self):
        return bool(termios.tcgetattr(self.slave)[3] & termios.ECHO)

    def modes(self):
        return termios.tcgetattr(self.slave)[:4]

    def end(self, seconds=30):
        """Waits for the end; gives the status and all that was shown since the last wait."""
        until = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > until:
                self.process.kill()
                raise AssertionError(f"it does not end: {self.shown!r}")
            if select.select([self.master], [], [], 0.05)[0]:
                self.shown += os.read(self.master, 65536)
        while select.select([self.master], [], [], 0.05)[0]:
            self.shown += os.read(self.master, 65536)
        return self.process.returncode, self.shown.decode(errors="replace")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)
