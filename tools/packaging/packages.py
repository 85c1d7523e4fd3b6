#!/usr/bin/env python3
"""Writes what is installed elsewhere: Debian packages, a Python wheel, an npm tarball, a jar.

usage: packages.py --build FOLDER [-o FOLDER] [--only deb,wheel,npm,jar] [--revision N] [--try ROOT]

--build is a build folder with the programs and libraries; the files go to build/packages unless told. Says of each kind
what was made, or loudly why not: status 1 then. --try installs the Debian packages, and later ones, into the bare Debian
in the folder ROOT (made when it is not there; needs root and the mirror) and lives with them: drill.sh.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import made_files  # noqa: E402

FRESH_DEBIAN = "../shared/tools/fresh-debian.sh"
TASK = "tasks/digits"


class NotMade(Exception):
    """A kind of package that is missing, and why."""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise NotMade(f"{' '.join(str(part) for part in command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_debs(build, out, revision=1, compression="xz"):
    """The .deb files of what lies in the build folder, as paths."""
    for tool in ("dpkg-shlibdeps", "dpkg-deb"):
        if not shutil.which(tool):
            raise NotMade(f"{tool} is missing: tools/dev setup package")
    config = build / "CPackConfig.cmake"
    if not config.is_file():
        raise NotMade(f"{config} is missing: configure the build folder anew")
    out.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "FERRY_PACKAGE_REVISION": str(revision), "SOURCE_DATE_EPOCH": str(made_files.build_time())}
    with tempfile.TemporaryDirectory(prefix="ferry-cpack-") as work:
        run("cpack", "--config", config, "-B", work, "-D", f"CPACK_DEBIAN_COMPRESSION_TYPE={compression}", env=environment)
        return [pathlib.Path(shutil.move(path, out / path.name)) for path in sorted(pathlib.Path(work).glob("*.deb"))]


def later_debs(debs, out, revision):
    """The same packages with a later revision."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ferry-later-") as work:
        for deb in debs:
            folder = pathlib.Path(work) / deb.name
            run("dpkg-deb", "-R", deb, folder)
            control = folder / "DEBIAN/control"
            version = run("dpkg-deb", "-f", deb, "Version").strip()
            control.write_text(control.read_text().replace(version, f"{version.rpartition('-')[0]}-{revision}"))
            run("dpkg-deb", "--root-owner-group", "-Zgzip", "-b", folder, out)
    return sorted(out.glob("*.deb"))


def build_target(build, source, target):
    """Builds a target of a binding's folder; NotMade where folder or target are missing."""
    if not (ROOT / source).is_dir():
        raise NotMade(f"there is no {source} in this tree")
    if f"\n{target}: " not in "\n" + run("cmake", "--build", build, "--target", "help"):
        raise NotMade(f"{source} has no target {target} here: what it needs was missing when {build} was configured")
    run("cmake", "--build", build, "--target", target)


def make_wheel(build, out):
    build_target(build, "sdk/python", "ferry_python")
    return [pathlib.Path(run(sys.executable, "-B", ROOT / "sdk/python/wheel.py", build / "lib", "-o", out).strip())]


def make_npm(build, out):
    build_target(build, "sdk/node", "ferry_node_package")
    if not shutil.which("npm"):
        raise NotMade("npm is missing: tools/dev setup package")
    name = run("npm", "pack", "--offline", "--silent", build / "sdk/node/node_modules/ferry", "--pack-destination", out)
    return [out / name.strip().splitlines()[-1]]


def make_jar(build, out):
    build_target(build, "sdk/java", "ferry_jar")
    jars = sorted((build / "sdk/java").glob("ferry*.jar"))
    if not jars:
        raise NotMade(f"the target ferry_jar made no ferry*.jar in {build / 'sdk/java'}")
    return [pathlib.Path(shutil.copy(jar, out / jar.name)) for jar in jars]


KINDS = {"deb": make_debs, "wheel": make_wheel, "npm": make_npm, "jar": make_jar}


def try_in_bare_debian(root, debs):
    """The status of drill.sh in the chroot."""
    fresh = ROOT / FRESH_DEBIAN
    if not fresh.is_file():
        print(f"packages.py: --try needs {FRESH_DEBIAN}", file=sys.stderr)
        return 1
    run("bash", fresh, root, ROOT, "true")
    with tempfile.TemporaryDirectory(prefix="ferry-try-") as work:
        later = later_debs(debs, pathlib.Path(work), 99)
        for folder, files in (("packages", debs), ("packages-later", later)):
            into = root / "opt" / folder
            shutil.rmtree(into, ignore_errors=True)
            into.mkdir(parents=True)
            for file in files:
                shutil.copy(file, into)
        shutil.copytree(ROOT / TASK, root / "opt/task", dirs_exist_ok=True)
        shutil.copy(HERE / "drill.sh", root / "opt/drill.sh")
        return subprocess.run(["bash", fresh, root, ROOT, "bash", "/opt/drill.sh", "/opt/packages", "/opt/packages-later",
                               "/opt/task"]).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("-o", "--output", default=ROOT / "build/packages", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, with commas between: deb, wheel, npm, jar")
    parser.add_argument("--revision", default=1, type=int, help="of the Debian packages")
    parser.add_argument("--try", dest="root", type=pathlib.Path, help="a bare Debian that installs them, see above")
    arguments = parser.parse_args()
    build, out = arguments.build.resolve(), arguments.output.resolve()
    wanted = arguments.only.split(",")
    if unknown := set(wanted) - set(KINDS):
        parser.error(f"no kind '{sorted(unknown)[0]}': {', '.join(KINDS)}")
    if arguments.root and "deb" not in wanted:
        parser.error("--try needs the kind deb")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    missing, made = [], {}
    for kind in wanted:
        began = time.monotonic()
        try:
            more = {"revision": arguments.revision} if kind == "deb" else {}
            made[kind] = KINDS[kind](build, out, **more)
        except NotMade as why:
            missing.append(kind)
            print(f"packages: NO {kind}: {why}", file=sys.stderr)
            continue
        for path in made[kind]:
            print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")
        print(f"{kind}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    if missing:
        print(f"packages: MISSING: {', '.join(missing)}", file=sys.stderr)
    status = 1 if missing else 0
    if arguments.root and "deb" in made:
        status = try_in_bare_debian(arguments.root.resolve(), made["deb"]) or status
    return status


if __name__ == "__main__":
    sys.exit(main())
