"""Runs a command under what a unit of systemd says of system calls, where systemd does not run it.

usage: under_unit.py UNIT COMMAND...

UNIT is a name below /lib/systemd/system, without .service. Takes on SystemCallFilter, SystemCallErrorNumber and
MemoryDenyWriteExecute for the command and all that it starts. What a filter's groups hold is asked of systemd-analyze.
"""
import ctypes
import errno
import os
import pathlib
import re
import subprocess
import sys

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
PR_SET_MDWE, REFUSE_EXEC_GAIN = 65, 1


def settings(unit):
    """[(key, value)] of a unit's text, in order."""
    return re.findall(r"^(\w+)=(.*)$", unit, re.M)


def groups():
    """{"@name": names and other groups in it}."""
    said = subprocess.run(["systemd-analyze", "syscall-filter"], capture_output=True, text=True, check=True).stdout
    found, name = {}, None
    for line in said.splitlines():
        if line.startswith("@"):
            name = line.strip()
            found[name] = []
        elif line.startswith(" ") and name and "#" not in line:
            found[name].append(line.strip())
    return found


def calls(word, known):
    return {word} if not word.startswith("@") else set().union(*(calls(one, known) for one in known[word]))


def allowed(unit, known):
    """Names of the system calls that the unit allows. Its first list must allow, the others take away or add."""
    names = set()
    for key, value in settings(unit):
        if key != "SystemCallFilter":
            continue
        listed = set().union(*(calls(word, known) for word in value.lstrip("~").split()))
        names = names - listed if value.startswith("~") else names | listed
    return names


def take_on(names, error):
    library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(ERRNO | error)))
    for name in sorted(names):
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0 and library.seccomp_rule_add(rules, ctypes.c_uint32(ALLOW), number, 0) != 0:
            sys.exit(f"under_unit.py: no rule for {name}")
    if library.seccomp_load(rules) != 0:
        sys.exit("under_unit.py: the filter cannot be loaded")


def main():
    unit = pathlib.Path(f"/lib/systemd/system/{sys.argv[1]}.service").read_text()
    said = dict(settings(unit))
    names = allowed(unit, groups())
    if not names:
        sys.exit("under_unit.py: the unit has no filter")
    if said.get("MemoryDenyWriteExecute") == "yes":
        ctypes.CDLL(None).prctl(PR_SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0)  # of Linux 6.3 and later
    take_on(names, getattr(errno, said["SystemCallErrorNumber"]))
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
