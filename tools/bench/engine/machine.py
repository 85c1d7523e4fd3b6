"""Which machine this is, and whether it is too busy to judge what is measured on it.

A look before and after each round reads three things: the processor time of everything else
(/proc/stat, less what this process and its children used), what the hypervisor took away (steal),
and how long a fixed loop takes in processor time, which tells the clock and what shares the core.
"""
import dataclasses
import os
import pathlib
import resource
import statistics
import time

# Above which a figure is marked.
MOST_OTHERS = 0.1  # of all cores
MOST_STEAL = 0.02  # likewise
MOST_CLOCK = 0.05  # that the loop takes longer than in the run's fastest look

SPINS = 3
SPIN_STEPS = 200_000  # some milliseconds


@dataclasses.dataclass
class Look:
    at_s: float
    used_s: float  # processor time of all programs
    steal_s: float
    own_s: float  # of used_s, by this process and its children that ended
    spin_s: float


def read_stat(text, ticks):
    """The first line of /proc/stat -> seconds of processor time that programs used, and steal."""
    fields = [int(word) for word in text.split("\n", 1)[0].split()[1:]]
    user, nice, system, _idle, _wait, irq, soft, steal = (fields + [0] * 8)[:8]
    return (user + nice + system + irq + soft) / ticks, steal / ticks


def spin():
    """Processor seconds of a fixed loop, the fastest of some, for an interrupt only adds."""
    best = float("inf")
    for _ in range(SPINS):
        begin = time.thread_time()
        number = 1
        for _ in range(SPIN_STEPS):
            number = number * 5 & 0xffff
        best = min(best, time.thread_time() - begin)
    return best


def look():
    spin_s = spin()
    used_s, steal_s = read_stat(pathlib.Path("/proc/stat").read_text(), os.sysconf("SC_CLK_TCK"))
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own_s = sum(usage.ru_utime + usage.ru_stime for usage in own)
    return Look(time.monotonic(), used_s, steal_s, own_s, spin_s)


class Watch:
    """Looks of one run; the fastest loop of all of them is what the others are judged by."""

    def __init__(self, take=look, cores=None):
        self.take = take
        self.cores = cores or len(os.sched_getaffinity(0))
        self.fastest_s = float("inf")

    def look(self):
        seen = self.take()
        self.fastest_s = min(self.fastest_s, seen.spin_s)
        return seen

    def judge(self, looks, threads=1):
        """What a row's looks, the first to the last, say about the machine meanwhile."""
        first, last = looks[0], looks[-1]
        elapsed_s = max(last.at_s - first.at_s, 1e-9)
        # Clock ticks are coarse: a quiet machine may come out below nothing.
        others = max(0.0, last.used_s - first.used_s - (last.own_s - first.own_s)) / elapsed_s
        steal = (last.steal_s - first.steal_s) / elapsed_s
        clock = statistics.median(seen.spin_s for seen in looks) / self.fastest_s - 1
        reasons = []
        if others > MOST_OTHERS * self.cores:
            reasons.append(f"other programs use {others:.2f} of {self.cores} cores")
        if steal > MOST_STEAL * self.cores:
            reasons.append(f"{steal:.2f} cores are taken away (steal)")
        if clock > MOST_CLOCK:
            reasons.append(f"a fixed loop takes {clock:.0%} longer than at best")
        if threads > self.cores:
            reasons.append(f"{threads} threads on {self.cores} cores")
        return {"others_cores": others, "steal_cores": steal, "clock": clock, "busy": reasons}


@dataclasses.dataclass(frozen=True)
class Host:
    """Of x86-64; elsewhere nothing is known and no floor of a host applies."""
    vendor: str = ""
    flags: frozenset = frozenset()

    def is_wide(self):
        return "avx512f" in self.flags

    def is_intel(self):
        return self.vendor == "GenuineIntel" and self.is_wide()

    def is_avx2(self):
        return "avx2" in self.flags and not self.is_wide()

    def __str__(self):
        has = [name for name in ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_int8")
               if name in self.flags]
        return " ".join([self.vendor or "unknown", *has])


def read_host(text):
    """/proc/cpuinfo -> the first processor."""
    found = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            found.setdefault(key.strip(), value.strip())
    return Host(found.get("vendor_id", ""), frozenset(found.get("flags", "").split()))


def host():
    return read_host(pathlib.Path("/proc/cpuinfo").read_text())
