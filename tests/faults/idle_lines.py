"""Devices with a line each on which nothing happens: the server holds little memory for each of them."""
import pathlib
import time

from drill import Cloud, Lines, Outcome, resident_kib

WARM = 100  # lines that come first: what a server takes once is not of a line
MOST_KIB = 24  # resident, of a line
SETTLE_SECONDS = 3
# What the kernel makes for a connection, each in a cache of its own. It makes it for both ends, which are both here.
CACHES = {"TCP", "TCPv6", "sock_inode_cache", "filp", "eventpoll_epi", "eventpoll_pwq", "skbuff_head_cache", "skbuff_small_head",
          "skbuff_fclone_cache", "tw_sock_TCP", "tw_sock_TCPv6", "request_sock_TCP"}
DENTRY_BYTES = 192  # of each socket; their cache changes too much by itself to be read
PAGE_KIB = 4


def kernel_kib():
    """Memory of all sockets of the machine; None where that cannot be read."""
    try:
        lines = pathlib.Path("/proc/slabinfo").read_text().splitlines()[2:]
        used = {name: int(objects) * int(size) for name, objects, _, size, *_ in (line.split() for line in lines)}
        sockets = next(int(line.split()[1]) for line in lines if line.startswith("sock_inode_cache "))
        tcp = next(line for line in pathlib.Path("/proc/net/sockstat").read_text().splitlines() if line.startswith("TCP:"))
    except (OSError, StopIteration, ValueError):
        return None
    held = sum(used.get(name, 0) for name in CACHES) + sockets * DENTRY_BYTES
    return held / 1024 + int(tcp.split()[-1]) * PAGE_KIB


def run(bin_dir, folder, runs):
    server = Cloud(bin_dir, folder).server
    lines = []
    try:
        lines.append(Lines(bin_dir, server, WARM))
        time.sleep(SETTLE_SECONDS)
        before, kernel_before = resident_kib(server.process), kernel_kib()
        lines.append(Lines(bin_dir, server, runs))
        time.sleep(SETTLE_SECONDS)
        each, kernel = (resident_kib(server.process) - before) / runs, kernel_kib()
        opened, after = lines[-1].opened, lines[-1].ask()
        in_kernel = "unknown" if None in (kernel, kernel_before) else f"{(kernel - kernel_before) / 2 / runs:.1f} KiB"
        note = f"{each:.1f} KiB resident a line, {in_kernel} in the kernel; all were open after {opened['took_ms']} ms"
        # A line that breaks while nobody touches it is a fault, too.
        return Outcome("idle_lines", runs, runs - after["up"], 0, 0, each <= MOST_KIB and after["broken"] == 0, note)
    finally:
        for some in lines:
            some.stop()
        server.stop()
