"""Connections that never end their headers: operators are served beside them, and they are ended."""
import socket
import time
import urllib.error

from drill import Failed, Outcome
from fleet import Server

HELD = 48  # connections of one run
MOST_MS = 2000  # for an operator beside them


def run(bin_dir, folder, runs):
    folder.mkdir(parents=True, exist_ok=True)
    server, longest, ok, note = Server(bin_dir, folder / "server"), 0, True, ""
    server.init()
    server.start()
    try:
        for _ in range(runs):
            held = []
            for _ in range(HELD):
                try:
                    slow = socket.create_connection(("127.0.0.1", server.admin_port), 2)
                    slow.sendall(b"GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
                    held.append(slow)
                except OSError:
                    pass  # refused at once is a way to hold
            begun = time.monotonic()
            try:
                server.api.login(server.password)
            except (Failed, OSError, urllib.error.URLError) as error:
                ok, note = False, f"login beside {len(held)} slow headers: {error}"
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
            for slow in held:
                slow.close()
    finally:
        server.stop()
    return Outcome("slow_headers", runs, 0, 0, longest, ok and longest <= MOST_MS, note)
