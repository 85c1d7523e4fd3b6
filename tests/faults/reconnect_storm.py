"""The server is killed under many lines and started again: all devices are back, and none had to be told."""
import time

from drill import Cloud, Lines, Outcome

MOST_MS = 90_000


def run(bin_dir, folder, runs):
    server = Cloud(bin_dir, folder).server
    lines = None
    try:
        lines = Lines(bin_dir, server, runs)
        server.kill()
        server.start()
        begun = time.monotonic()
        state = lines.ask(f"wait {runs}")
        back_ms = int(1000 * (time.monotonic() - begun))
        note = f"{state['failed']} tries that did not come through, the last: {state['why']}"
        return Outcome("reconnect_storm", runs, runs - state["up"], 0, back_ms, back_ms <= MOST_MS, note)
    finally:
        if lines:
            lines.stop()
        server.stop()
