"""Devices with a line each on which nothing happens: the server holds little memory for each of them."""
import time

from drill import Cloud, Lines, Outcome, resident_kib

WARM = 100  # lines that come first: what a server takes once is not of a line
MOST_KIB = 24  # resident, of a line
SETTLE_SECONDS = 3


def run(bin_dir, folder, runs):
    server = Cloud(bin_dir, folder).server
    lines = []
    try:
        lines.append(Lines(bin_dir, server, WARM))
        time.sleep(SETTLE_SECONDS)
        before = resident_kib(server.process)
        lines.append(Lines(bin_dir, server, runs))
        time.sleep(SETTLE_SECONDS)
        each = (resident_kib(server.process) - before) / runs
        opened, after = lines[-1].opened, lines[-1].ask()
        note = f"{each:.1f} KiB resident a line; all were open after {opened['took_ms']} ms"
        # A line that breaks while nobody touches it is a fault, too.
        return Outcome("idle_lines", runs, runs - after["up"], 0, 0, each <= MOST_KIB and after["broken"] == 0, note)
    finally:
        for some in lines:
            some.stop()
        server.stop()
