#!/usr/bin/env python3
"""Files of a Debian package that are made when it is: the changelog, man pages, completion of shells.

usage: made_files.py --package NAME --version VERSION --bin FOLDER --share FOLDER

--bin has the built programs, --share is the package's usr/share. `ferry man` and `ferry completion` write what is said of
`ferry`; a ferry without them has none of both. The page of another program is what its --help says. The revision is
FERRY_PACKAGE_REVISION, 1 unless set; the same build gives the same bytes.
"""
import argparse
import email.utils
import gzip
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {"ferry-tools": ["ferry-tuf"], "ferry-server": ["ferry-server"], "ferry-device": ["ferry-device"]}
# Whose headers, or archives, are compiled into programs and libraries.
COMPILED_IN = ["libboost1.81-dev", "libcli11-dev", "libcpp-httplib-dev", "libfmt-dev", "libhwy-dev", "libspdlog-dev",
               "nlohmann-json3-dev"]
COMPLETIONS = {"bash": "bash-completion/completions/ferry", "zsh": "zsh/vendor-completions/_ferry",
               "fish": "fish/vendor_completions.d/ferry.fish"}


def write(path, data):
    os.umask(0o022)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        data = gzip.compress(data, 9, mtime=0)
    path.write_bytes(data)
    path.chmod(0o644)


def build_time():
    """When the packaged commit was made; of a tree without git, when its CMakeLists.txt was written."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    told = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, text=True)
    return int(told.stdout) if told.returncode == 0 else int((ROOT / "CMakeLists.txt").stat().st_mtime)


def changelog(package, version):
    revision = os.environ.get("FERRY_PACKAGE_REVISION", "1")
    when = email.utils.formatdate(build_time())
    return (f"{package} ({version}-{revision}) stable; urgency=medium\n\n  * Ferry {version}; its CHANGELOG.md says what is "
            f"new.\n\n -- Ferry <ferry@ferry.invalid>  {when}\n").encode()


def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


def roff(text):
    """Lines as they stand, for a page without filling."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "".join("\\&" + line + "\n" if line[:1] in (".", "'") else line + "\n" for line in text.splitlines())


def page(program, name, version):
    """What the help of a program and of each of its commands says, as a man page."""
    top = help_of(program).replace(str(program), name)
    commands = top.split("Subcommands:\n")[1].split("\n\n")[0] if "Subcommands:\n" in top else ""
    first = top.splitlines()[0].removeprefix(f"{name}: ").rstrip(".")
    text = f'.TH "{name.upper()}" 1 "" "Ferry {version}" "Ferry"\n.SH NAME\n{name} \\- {roff(first)}'
    text += f".SH SYNOPSIS\n.nf\n{roff(top)}.fi\n"
    for command in re.findall(r"^  (\S+)  ", commands, re.M):
        said = help_of(program, command).replace(str(program), name)
        text += f".SH {command.upper().replace('-', chr(92) + '-')}\n.nf\n{roff(said)}.fi\n"
    return text.encode()


def of_ferry(program, share):
    """Pages and completion that ferry writes itself."""
    scripts = {shell: subprocess.run([program, "completion", shell], capture_output=True) for shell in COMPLETIONS}
    if any(done.returncode != 0 for done in scripts.values()):
        print("made_files.py: this ferry has no `ferry completion`: none is packed", file=sys.stderr)
    else:
        for shell, done in scripts.items():
            write(share / COMPLETIONS[shell], done.stdout)
    pages = share / "man/man1"
    pages.mkdir(parents=True, exist_ok=True)  # ferry's own folders are for their owner alone
    made = subprocess.run([program, "man", "--dir", pages], capture_output=True)
    if made.returncode != 0:
        print("made_files.py: this ferry has no `ferry man`: its page is its --help", file=sys.stderr)
        return ["ferry"]
    for path in sorted(pages.glob("ferry*.1")):
        text, section = path.read_bytes(), "1"
        if path.stem != "ferry":
            # The page of `ferry device` is not that of the program ferry-device, which another package has.
            section = "1ferry"
            text = re.sub(rb"^(\.TH \S+) 1 ", rb"\1 1ferry ", text)
        write(path.with_suffix(f".{section}.gz"), text)
        path.unlink()
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--share", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    package, share = arguments.package, arguments.share
    write(share / f"doc/{package}/changelog.Debian.gz", changelog(package, arguments.version))
    for name in COMPILED_IN:
        licence = pathlib.Path("/usr/share/doc") / name / "copyright"
        if licence.is_file():
            write(share / f"doc/{package}/third-party/{name}", licence.read_bytes())
    names = PAGES.get(package, [])
    if package == "ferry-tools":
        names = names + of_ferry(arguments.bin / "ferry", share)
    for name in names:
        write(share / f"man/man1/{name}.1.gz", page(arguments.bin / name, name, arguments.version))


if __name__ == "__main__":
    main()
