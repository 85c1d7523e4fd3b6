"""Strangers who each hold as much of a frame as they may: the server's memory is bounded and devices come in."""
import socket
import ssl
import struct
import time

from drill import Cloud, Lines, Outcome, resident_kib

SMALL = 16 << 10  # a frame of who has not proved who it is
LARGE = 4 << 20  # and of a device
MOST_MIB = 48  # more than before
DEVICES = 10
MOST_MS = 20_000  # until they are all in


def stranger(server, kind):
    """A connection that is never finished: silent, or with all but one byte of a frame."""
    line = socket.create_connection(("127.0.0.1", server.port), 5)
    if kind == 0:
        return line
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["ferry/1"])
    line = context.wrap_socket(line)
    size = SMALL if kind == 1 else LARGE
    line.sendall(struct.pack("<I", size) + bytes(size - 1))
    return line


def run(bin_dir, folder, runs):
    server = Cloud(bin_dir, folder).server
    held, refused, largest, devices = [], 0, 0, None
    try:
        before = resident_kib(server.process)
        for number in range(runs):
            try:
                held.append(stranger(server, number % 3))
            except OSError:
                refused += 1  # a way to hold
            largest = max(largest, resident_kib(server.process) - before)
        devices = Lines(bin_dir, server, DEVICES)
        opened = devices.opened
        broken = devices.ask()["broken"]
    finally:
        for line in held:
            line.close()
        if devices:
            devices.stop()
        server.stop()
    ok = largest <= MOST_MIB << 10 and opened["took_ms"] <= MOST_MS and broken == 0
    return Outcome("strangers", runs, 0, 0, opened["took_ms"], ok,
                   f"{largest / 1024:.0f} MiB more for {runs}, {refused} of them refused")
