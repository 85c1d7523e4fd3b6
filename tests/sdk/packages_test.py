"""The Debian packages of the present build: what is in them, who owns what, control files, lintian, the units' sandbox; and
a life with them in a copy of this machine's system: installed, a release simulated and run under the units' filters,
upgraded, removed, purged.
"""
import fnmatch
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["FERRY_BIN"]).resolve().parent
PACKAGING = ROOT / "tools/packaging"
sys.path.insert(0, str(PACKAGING))
import made_files  # noqa: E402
import packages  # noqa: E402

MOST_EXPOSURE = 30  # tenths of systemd-analyze's levels
# Files that each package has, and that no other has.
FILES = {
    "libferry0": ["usr/lib/*/libferry.so.0", "usr/lib/*/libferry_engine.so.0"],
    "libferry-dev": ["usr/include/ferry.h", "usr/include/ferry.hpp", "usr/lib/*/libferry.so", "usr/lib/*/libferry.a",
                     "usr/lib/*/libferry_engine.a", "usr/lib/*/pkgconfig/ferry.pc",
                     "usr/lib/*/cmake/Ferry/FerryConfig.cmake"],
    "ferry-tools": ["usr/bin/ferry", "usr/bin/ferry-tuf", "usr/share/man/man1/ferry.1.gz",
                    "usr/share/man/man1/ferry-tuf.1.gz"],
    "ferry-server": ["usr/bin/ferry-server", "lib/systemd/system/ferry-server.service", "etc/ferry/server.conf",
                     "usr/share/man/man1/ferry-server.1.gz"],
    "ferry-device": ["usr/bin/ferry-device", "lib/systemd/system/ferry-device.service", "etc/ferry/device.conf",
                     "usr/share/man/man1/ferry-device.1.gz"],
}
SERVICES = {"ferry-server": "/etc/ferry/server.conf", "ferry-device": "/etc/ferry/device.conf"}


def run(*command, status=0, **more):
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, timeout=500, **more)
    if done.returncode != status:
        raise AssertionError(f"{' '.join(str(one) for one in command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def skip_without(test, tool, package):
    if not shutil.which(tool):
        print(f"packages_test.py: {test.id()} NOT RUN: {tool} is missing (package {package})", file=sys.stderr)
        test.skipTest(f"{tool} is missing: tools/dev setup package")


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="ferry-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.folder.chmod(0o755)
        for tool in ("dpkg-deb", "dpkg-shlibdeps", "cpack"):
            if not shutil.which(tool):
                print(f"packages_test.py NOT RUN: {tool} is missing", file=sys.stderr)
                raise unittest.SkipTest(f"{tool} is missing: tools/dev setup package")
        cls.debs = {run("dpkg-deb", "-f", deb, "Package").strip(): deb
                    for deb in packages.make_debs(BUILD, cls.folder / "debs", compression="gzip")}
        cls.triplet = run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
        cls.trees, cls.controls = {}, {}
        for name, deb in cls.debs.items():
            cls.trees[name] = cls.folder / "trees" / name
            cls.trees[name].mkdir(parents=True)
            run("dpkg-deb", "-x", deb, cls.trees[name])
            cls.controls[name] = cls.folder / "controls" / name
            cls.controls[name].parent.mkdir(exist_ok=True)
            run("dpkg-deb", "-e", deb, cls.controls[name])

    def field(self, package, name):
        return run("dpkg-deb", "-f", self.debs[package], name).strip()

    def names_in(self, field):
        return {re.split(r"[ (]", one.strip())[0] for one in field.split(",") if one.strip()}

    def each_file(self):
        for package, tree in self.trees.items():
            for path in sorted(tree.rglob("*")):
                if path.is_symlink() or not path.is_dir():
                    yield package, path

    def test_all_five_have_what_they_are_for(self):
        self.assertEqual(set(self.debs), set(FILES))
        files = {package: [] for package in self.debs}
        for package, path in self.each_file():
            files[package].append(path.relative_to(self.trees[package]).as_posix())
        for package, wanted in FILES.items():
            for pattern in wanted + [f"usr/share/doc/{package}/copyright", f"usr/share/doc/{package}/changelog.Debian.gz"]:
                with self.subTest(package=package, file=pattern):
                    self.assertEqual(len(fnmatch.filter(files[package], pattern)), 1)

    def test_every_file_is_of_one_package_and_of_root(self):
        owners = {}
        for package, path in self.each_file():
            owners.setdefault(path.relative_to(self.trees[package]), []).append(package)
        self.assertEqual({path: who for path, who in owners.items() if len(who) > 1}, {})
        for package, deb in self.debs.items():
            for line in run("dpkg-deb", "-c", deb).splitlines():
                mode, owner = line.split()[:2]
                with self.subTest(package=package, line=line):
                    self.assertEqual(owner, "root/root")
                    if not mode.startswith("l"):
                        self.assertNotIn("w", mode[5:9])
                    if "./usr/" in line:
                        self.assertEqual(mode[7], "r")
                    self.assertNotRegex(mode, "[sS]")

    def test_programs_and_libraries_are_stripped_and_know_no_build_folder(self):
        count = 0
        for package, path in self.each_file():
            if path.is_symlink() or path.read_bytes()[:4] != b"\x7fELF":
                continue
            count += 1
            with self.subTest(package=package, file=path.name):
                self.assertNotRegex(run("readelf", "-S", "-W", path), r"\.symtab|\.debug_info")
                self.assertNotRegex(run("readelf", "-d", "-W", path), "RPATH|RUNPATH")
        self.assertEqual(count, 6)

    def test_changelog_and_copyright(self):
        for package, tree in self.trees.items():
            with self.subTest(package=package):
                doc = tree / "usr/share/doc" / package
                text = gzip.decompress((doc / "changelog.Debian.gz").read_bytes()).decode()
                self.assertTrue(text.startswith(f"{package} ({self.field(package, 'Version')}) "), text)
                run("dpkg-parsechangelog", "-l", "-", input=text)
                self.assertIn("License: Apache-2.0", (doc / "copyright").read_text())

    def test_control_fields(self):
        version = self.field("ferry-tools", "Version")
        self.assertRegex(version, r"^\d+\.\d+\.\d+-1$")
        for package in self.debs:
            with self.subTest(package=package):
                self.assertEqual(self.field(package, "Version"), version)
                if package != "libferry-dev":
                    self.assertIn("libc6", self.names_in(self.field(package, "Depends")))
        self.assertEqual(self.field("libferry-dev", "Depends"), f"libferry0 (= {version})")
        self.assertLessEqual({"adduser", "ferry-device"}, self.names_in(self.field("ferry-server", "Depends")))
        self.assertIn("adduser", self.names_in(self.field("ferry-device", "Depends")))
        self.assertEqual({line.split()[0] for line in (self.controls["libferry0"] / "shlibs").read_text().splitlines()},
                         {"libferry", "libferry_engine"})
        self.assertIn("ldconfig", (self.controls["libferry0"] / "triggers").read_text())

    def test_libraries_that_are_opened_when_needed_are_named(self):
        """Sonames of graphic and text libraries that stand in a program are of packages that it depends on or recommends."""
        for package, path in self.each_file():
            if path.is_symlink() or path.read_bytes()[:4] != b"\x7fELF":
                continue
            found = {name.decode() for name in re.findall(rb"(?<=\0)lib[\w.+-]+\.so\.\d+(?=\0)", path.read_bytes())}
            named = self.names_in(self.field(package, "Depends") + "," + self.field(package, "Recommends"))
            for soname in sorted(found):
                if soname.startswith("libferry"):
                    continue
                owner = run("dpkg-query", "-S", f"/*lib/{self.triplet}/{soname}").splitlines()[0].split(":")[0]
                with self.subTest(file=path.name, soname=soname):
                    self.assertIn(owner, named)

    def test_settings_are_conffiles_and_shell_reads_them(self):
        for service, settings in SERVICES.items():
            with self.subTest(service=service):
                self.assertEqual((self.controls[service] / "conffiles").read_text(), settings + "\n")
                unit = (self.trees[service] / f"lib/systemd/system/{service}.service").read_text()
                self.assertIn(f"EnvironmentFile={settings}\n", unit)
                text = (self.trees[service] / settings[1:]).read_text()
                for variable in re.findall(r"\$(FERRY_\w+)", unit):
                    self.assertRegex(text, rf'(?m)^{variable}="')
        for package in set(self.debs) - set(SERVICES):
            self.assertFalse((self.trees[package] / "etc").exists(), package)

    def test_scripts_are_sound_shell(self):
        for service in SERVICES:
            for script in ("postinst", "prerm", "postrm"):
                with self.subTest(service=service, script=script):
                    path = self.controls[service] / script
                    self.assertTrue(path.stat().st_mode & 0o111)
                    run("dash", "-n", path)
                    self.assertNotIn("@", path.read_text())

    def test_completion_and_pages_of_a_ferry_that_has_them(self):
        share, program = self.trees["ferry-tools"] / "usr/share", pathlib.Path(os.environ["FERRY_BIN"]) / "ferry"
        has = subprocess.run([program, "completion", "bash"], capture_output=True, text=True)
        for shell, path in made_files.COMPLETIONS.items():
            with self.subTest(shell=shell):
                self.assertEqual((share / path).is_file(), has.returncode == 0)
        if has.returncode == 0:
            self.assertEqual((share / made_files.COMPLETIONS["bash"]).read_text(), has.stdout)
            self.assertGreater(len(list(share.glob("man/man1/ferry-*.1ferry.gz"))), 10)
        for package, path in self.each_file():
            if path.match("usr/share/man/man1/*.1.gz"):
                with self.subTest(page=path.name):
                    self.assertIn("SH NAME", gzip.decompress(path.read_bytes()).decode())

    def test_units_are_sandboxed(self):
        skip_without(self, "systemd-analyze", "systemd")
        for service in SERVICES:
            with self.subTest(service=service):
                unit = self.trees[service] / f"lib/systemd/system/{service}.service"
                run("systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSURE}", unit)
                said = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
                # The programs are not where the unit has them; every other finding is of the unit.
                findings = [line for line in said.stderr.splitlines() if "is not executable" not in line]
                self.assertEqual(findings, [])
                text = unit.read_text()
                for line in (f"User={service}", f"StateDirectory={service}", "ProtectSystem=strict", "NoNewPrivileges=yes",
                             "CapabilityBoundingSet=", "PrivateTmp=yes", "PrivateDevices=yes"):
                    self.assertIn(line + "\n", text)

    def test_the_check_of_sandboxes_finds_a_weak_one(self):
        skip_without(self, "systemd-analyze", "systemd")
        weak = self.folder / "ferry-weak.service"
        weak.write_text("[Service]\nExecStart=/bin/true\n")
        with self.assertRaises(AssertionError):
            run("systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSURE}", weak)

    def with_small_archives(self, deb):
        """The package with an object of one function in place of the static libraries': lintian takes three minutes to
        read the tables of theirs."""
        tree, stand_in = self.folder / "small" / deb.stem, self.folder / "small/none.o"
        tree.parent.mkdir(exist_ok=True)
        run("dpkg-deb", "-R", deb, tree)
        source = stand_in.with_suffix(".c")
        source.write_text("int ferry_none(void) { return 0; }\n")
        run("gcc", "-c", source, "-o", stand_in)
        for archive in tree.glob("usr/lib/**/*.a"):
            archive.unlink()
            run("ar", "rcsD", archive, stand_in)
        sums = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n"
                       for path in sorted(tree.glob("*/**/*")) if path.is_file() and "DEBIAN" not in path.parts)
        (tree / "DEBIAN/md5sums").write_text(sums)
        run("dpkg-deb", "--root-owner-group", "-Zgzip", "-b", tree, tree.parent / deb.name)
        return tree.parent / deb.name

    def test_lintian_finds_no_errors(self):
        skip_without(self, "lintian", "lintian")
        debs = {**self.debs}
        if not os.environ.get("FERRY_PACKAGES"):
            debs["libferry-dev"] = self.with_small_archives(debs["libferry-dev"])
        said = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", *map(str, debs.values())],
                              capture_output=True, text=True, timeout=500)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_the_same_build_gives_the_same_bytes(self):
        again = {run("dpkg-deb", "-f", deb, "Package").strip(): deb
                 for deb in packages.make_debs(BUILD, self.folder / "again", compression="gzip")}
        for package in ("libferry-dev", "ferry-server"):
            with self.subTest(package=package):
                self.assertEqual(self.debs[package].read_bytes(), again[package].read_bytes())

    def test_a_kind_that_cannot_be_made_is_said(self):
        done = subprocess.run([sys.executable, "-B", PACKAGING / "packages.py", "--build", self.folder, "-o",
                               self.folder / "none"], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 1)
        for kind in packages.KINDS:
            self.assertIn(f"NO {kind}: ", done.stderr)
        self.assertIn("MISSING: deb, wheel, npm, jar", done.stderr)

    def test_a_life_with_them(self):
        """drill.sh in a copy of this system: an overlay that lives in memory and goes with the process."""
        skip_without(self, "systemd-analyze", "systemd")
        overlay = ("mount -t tmpfs tmpfs /mnt && mkdir /mnt/upper /mnt/work /mnt/root && mount -t overlay overlay "
                   "-o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root && chroot /mnt/root true")
        probe = subprocess.run(["unshare", "--mount", "--pid", "--fork", "bash", "-c", overlay], capture_output=True, text=True)
        if probe.returncode != 0 or os.geteuid() != 0:
            print(f"packages_test.py: {self.id()} NOT RUN: it needs root and mounts: {probe.stderr}", file=sys.stderr)
            self.skipTest("needs root and mounts")
        work = self.folder / "life"
        work.mkdir()
        packages.later_debs(list(self.debs.values()), work / "later", 2)
        shutil.copytree(ROOT / "tasks/digits", work / "task")
        shutil.copy(PACKAGING / "drill.sh", work)
        shutil.copy(ROOT / "tests/sdk/under_unit.py", work)
        script = f"""set -e
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
for folder in dev sys; do mount --rbind /$folder /mnt/root/$folder; done
for folder in run tmp; do mount -t tmpfs -o mode=1777 tmpfs /mnt/root/$folder; done
mount -t proc proc /mnt/root/proc
rm -f /mnt/root/var/lib/man-db/auto-update
cp -r {self.folder}/debs {work} /mnt/root/opt/
exec chroot /mnt/root /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin bash /opt/life/drill.sh /opt/debs /opt/life/later \
  /opt/life/task --local -- /usr/bin/python3 -B /opt/life/under_unit.py
"""
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", script],
                              capture_output=True, text=True, timeout=400)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        print(done.stdout)
        self.assertIn("purged: nothing is left", done.stdout)


if __name__ == "__main__":
    unittest.main()
