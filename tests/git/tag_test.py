"""Tasks from git: a repository is a scenario, a branch a task, a tag a version. What is packed, signed, refused and listed."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "tools/demo")]
import fixture  # noqa: E402
from fleet import Cloud, Device, Failed, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
TEST = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}


class Scenario:
    """A repository made by git itself, whose branch sums is a task."""

    def __init__(self, folder, branch="sums", *options):
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch", branch, *options)

    def git(self, *arguments):
        done = subprocess.run(["git", *map(str, arguments)], cwd=self.folder, env={**os.environ, **TEST}, capture_output=True,
                              text=True, check=True)
        return done.stdout.strip()

    def write(self, version, script=fixture.SCRIPT, **changes):
        (self.folder / "task.py").write_text(script)
        (self.folder / "task.json").write_text(json.dumps({**fixture.TASK, "version": version, **changes}))

    def commit(self, version, script=fixture.SCRIPT, **changes):
        self.write(version, script, **changes)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", version)
        return self.git("rev-parse", "HEAD")

    def release(self, version, script=fixture.SCRIPT, **changes):
        commit = self.commit(version, script, **changes)
        self.git("tag", f"sums/{version}")
        return commit


class PackTest(fixture.CliTest):
    def setUp(self):
        super().setUp()
        self.scenario = Scenario(self.folder / "arithmetic")

    def pack(self, tag, *arguments, name="out.fpk"):
        out = self.folder / name
        answer = self.good("pack", "--git", self.scenario.folder, "--tag", tag, "-o", out, *arguments)
        return answer, out.read_bytes()

    def refused(self, name, tag, *arguments):
        out = self.folder / "refused.fpk"
        line = self.bad(name, "pack", "--git", self.scenario.folder, "--tag", tag, "-o", out, *arguments)
        self.assertFalse(out.exists())
        self.assertNotIn("ferry-task-", line, "no scratch folder is named")
        return line

    def test_the_commit_is_packed_whatever_lies_in_the_work_tree(self):
        commit = self.scenario.release("1.0.0")
        answer, first = self.pack("sums/1.0.0")
        git = {"scenario": "arithmetic", "task": "sums", "tag": "sums/1.0.0", "commit": commit}
        self.assertEqual((answer["git"], answer["package"], answer["version"]), (git, "sums", "1.0.0"))
        self.assertEqual(self.good("inspect", self.folder / "out.fpk")["manifest"]["git"], git)
        for command in (["pack", "--git", self.scenario.folder, "--tag", "sums/1.0.0", "-o", self.folder / "out.fpk"],
                        ["inspect", self.folder / "out.fpk"]):
            self.assertIn(f"  commit {commit[:12]}, tag sums/1.0.0 of arithmetic\n", self.ferry(*command).out)
        self.scenario.write("9.9.9", "changed(\n")
        (self.scenario.folder / "extra.py").write_text("not committed")
        self.scenario.git("add", "extra.py")
        self.assertEqual(self.pack("sums/1.0.0", name="again.fpk")[1], first)
        # Nor do other commits, packed objects and references, a bare clone, or a work tree more.
        self.scenario.git("reset", "--quiet", "--hard")
        self.scenario.release("1.1.0")
        self.scenario.git("gc", "--quiet")
        self.assertFalse((self.scenario.folder / ".git/refs/tags/sums").exists(), "packed by git")
        self.assertEqual(self.pack("sums/1.0.0")[1], first)
        self.scenario.git("worktree", "add", "--quiet", "--detach", self.folder / "second")
        bare = self.folder / "arithmetic.git"
        self.scenario.git("clone", "--quiet", "--bare", self.scenario.folder, bare)
        for folder in (self.folder / "second", bare):
            self.scenario.folder = folder
            self.assertEqual(self.pack("sums/1.0.0")[1], first)

    def test_only_what_the_manifest_says_of_git_differs_from_a_packed_folder(self):
        self.scenario.release("1.0.0")
        self.pack("sums/1.0.0")
        self.good("pack", self.scenario.folder, "-o", self.folder / "folder.fpk")
        manifests = [self.good("inspect", self.folder / name)["manifest"] for name in ("out.fpk", "folder.fpk")]
        del manifests[0]["git"]
        self.assertEqual(*manifests)

    def test_annotated_tags_and_clones_with_only_remote_branches(self):
        commit = self.scenario.commit("1.0.0")
        self.scenario.git("tag", "--annotate", "sums/1.0.0", "--message", "first")
        self.assertEqual(self.pack("sums/1.0.0")[0]["git"]["commit"], commit)
        clone = self.folder / "clone"
        self.scenario.git("clone", "--quiet", self.scenario.folder, clone)
        self.scenario.folder = clone
        self.scenario.git("checkout", "--quiet", "--detach")
        self.scenario.git("branch", "--delete", "sums")
        self.assertEqual(self.pack("sums/1.0.0")[0]["git"]["scenario"], "clone")
        self.assertEqual(self.pack("sums/1.0.0", "--scenario", "arithmetic")[0]["git"]["scenario"], "arithmetic")
        self.assertIn("scenario", self.refused("invalid_argument", "sums/1.0.0", "--scenario", "two words"))

    def test_tag_branch_and_task_must_agree(self):
        self.scenario.release("1.0.0")
        self.scenario.git("branch", "words")
        for tag, wanted in (("sums/2.0.0", "2.0.0"), ("words/1.0.0", "words"), ("sums/1.0.0-rc", "1.0.0-rc")):
            self.scenario.git("tag", tag)
            line = self.refused("invalid_argument", tag)
            self.assertIn(f"{tag}:task.json", line)
            self.assertIn(wanted, line)
        self.scenario.git("tag", "latest")
        for tag in ("latest", "sums/latest", "a/b/1.0.0"):
            self.assertIn("TASK/VERSION", self.refused("invalid_argument", tag))
        self.assertIn("arithmetic has no tag sums/7.0.0", self.refused("not_found", "sums/7.0.0"))

    def test_a_commit_that_is_not_on_the_branch_of_its_task(self):
        self.scenario.commit("1.0.0")
        self.scenario.git("checkout", "--quiet", "-b", "try")
        self.scenario.release("1.1.0")
        line = self.refused("failed_precondition", "sums/1.1.0")
        self.assertIn("not on branch sums", line)
        self.assertIn("--any-branch", line)
        self.pack("sums/1.1.0", "--any-branch")
        self.scenario.git("branch", "--delete", "--force", "sums")
        self.assertIn("no branch sums", self.refused("not_found", "sums/1.1.0"))
        # A clone without history cannot tell.
        self.scenario.git("branch", "sums")
        self.scenario.commit("1.2.0")
        shallow = self.folder / "shallow"
        self.scenario.git("checkout", "--quiet", "sums")
        self.scenario.commit("1.3.0")
        self.scenario.git("clone", "--quiet", "--depth", "1", f"file://{self.scenario.folder}", shallow)
        self.scenario.git("-C", shallow, "fetch", "--quiet", "--depth", "1", "origin", "tag", "sums/1.1.0")
        self.scenario.folder = shallow
        self.pack("sums/1.1.0", "--any-branch")
        self.bad("not_found", "pack", "--git", shallow, "--tag", "sums/1.1.0", "-o", self.folder / "no.fpk")

    def test_what_a_package_cannot_hold_is_refused_by_name(self):
        (self.scenario.folder / "link.txt").symlink_to("/etc/passwd")
        self.scenario.release("1.0.0")
        self.assertIn("sums/1.0.0: link.txt: a symbolic link", self.refused("unsupported", "sums/1.0.0"))
        (self.scenario.folder / "link.txt").unlink()
        head = self.scenario.commit("1.1.0")
        self.scenario.git("update-index", "--add", "--cacheinfo", f"160000,{head},library")
        self.scenario.git("commit", "--quiet", "--message", "library")
        self.scenario.git("tag", "sums/1.1.0")
        self.assertIn("sums/1.1.0: library: a submodule", self.refused("unsupported", "sums/1.1.0"))
        self.scenario.git("rm", "--quiet", "--cached", "library")
        (self.scenario.folder / "model.onnx").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
        self.scenario.release("1.2.0")
        self.assertIn("sums/1.2.0: model.onnx: a pointer of Git LFS", self.refused("unsupported", "sums/1.2.0"))
        (self.scenario.folder / "model.onnx").unlink()
        self.scenario.release("1.3.0", "def broken(:\n")
        self.assertIn("sums/1.3.0:task.py", self.refused("script_syntax", "sums/1.3.0"))

    def test_formats_of_repositories(self):
        commit = self.scenario.release("1.0.0")
        first = self.scenario
        _, packed = self.pack("sums/1.0.0")
        first.git("config", "uploadpack.allowFilter", "true")
        partial = self.folder / "partial"
        first.git("clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{first.folder}", partial)
        first.folder, whole = partial, first.folder
        line = self.refused("not_found", "sums/1.0.0")
        self.assertRegex(line, "sums/1.0.0: task.(json|py): .*not found")
        first.git("checkout", "--quiet", "sums/1.0.0")  # fetches what the commit needs
        self.assertEqual(self.pack("sums/1.0.0", "--scenario", "arithmetic")[1], packed)
        first.folder = whole
        first.git("sparse-checkout", "set", "nothing")
        self.assertEqual(self.pack("sums/1.0.0")[1], packed)
        self.scenario = Scenario(self.folder / "long", "sums", "--object-format=sha256")
        self.assertNotEqual(self.scenario.release("1.0.0"), commit)
        self.assertIn("objectformat", self.refused("unsupported", "sums/1.0.0"))

    def test_attributes_change_nothing(self):
        (self.scenario.folder / ".gitattributes").write_text("hidden.txt export-ignore\n*.txt text eol=crlf\n")
        (self.scenario.folder / "hidden.txt").write_bytes(b"a\nb\n")
        self.scenario.release("1.0.0", resources=["hidden.txt"])
        answer, _ = self.pack("sums/1.0.0")
        self.assertIn({"path": "hidden.txt", "length": 4}, answer["files"])

    def test_usage(self):
        self.scenario.release("1.0.0")
        repository, out = self.scenario.folder, self.folder / "x.fpk"
        for arguments in (["pack", "-o", out], ["pack", "--git", repository, "-o", out], ["pack", "--tag", "sums/1.0.0", "-o", out],
                          ["pack", repository, "--git", repository, "--tag", "sums/1.0.0", "-o", out],
                          ["publish", "x.fpk", "--git", repository, "--tag", "sums/1.0.0", "--dir", "publisher"],
                          ["publish", "--git", repository, "--tag", "sums/1.0.0"]):
            self.assertEqual(self.ferry(*arguments).status, 2, arguments)
        line = self.bad("not_found", "pack", "--git", "https://example.org/a.git", "--tag", "sums/1.0.0", "-o", out)
        self.assertIn("of this machine", line)


class PublishTest(fixture.CliTest):
    def setUp(self):
        super().setUp()
        self.scenario = Scenario(self.folder / "arithmetic")

    def publish(self, tag, *arguments):
        return self.good("publish", "--git", self.scenario.folder, "--tag", tag, "--dir", self.publisher, *arguments)

    def test_the_signed_entry_names_the_commit_and_a_moved_tag_is_refused(self):
        self.publisher, server = self.keys(), self.serve()
        commit = self.scenario.release("1.0.0")
        git = {"scenario": "arithmetic", "task": "sums", "tag": "sums/1.0.0", "commit": commit}
        self.assertEqual(self.publish("sums/1.0.0")["git"], git)
        entries = fixture.targets_of(server.bodies("POST", "/packages")[0])["targets"]
        self.assertEqual(entries["sums/1.0.0/full"]["custom"]["git"], git)

        again = ["publish", "--git", self.scenario.folder, "--tag", "sums/1.0.0", "--dir", self.publisher]
        self.assertIn("published already", self.bad("already_exists", *again))
        moved = self.scenario.commit("1.0.0", fixture.SCRIPT + "# another\n")
        self.scenario.git("tag", "--force", "sums/1.0.0")
        line = self.bad("already_exists", *again)
        for part in ("tag sums/1.0.0 was moved", commit[:12], moved[:12]):
            self.assertIn(part, line)
        # Packed first and published then, it is the same.
        package = self.folder / "moved.fpk"
        self.good("pack", "--git", self.scenario.folder, "--tag", "sums/1.0.0", "-o", package)
        self.assertIn("was moved", self.bad("already_exists", "publish", package, "--dir", self.publisher))
        self.assertEqual(len(server.bodies("POST", "/packages")), 1)

    def test_another_scenario_is_named_before_it_takes_a_task_over(self):
        self.publisher, server = self.keys(), self.serve()
        self.scenario.release("1.0.0")
        self.publish("sums/1.0.0")
        self.scenario.release("1.1.0")
        clone = self.folder / "work"
        self.scenario.git("clone", "--quiet", self.scenario.folder, clone)
        self.scenario.folder = clone
        line = self.bad("failed_precondition", "publish", "--git", clone, "--tag", "sums/1.1.0", "--dir", self.publisher)
        self.assertIn("sums is of scenario arithmetic, tag sums/1.1.0 of work", line)
        self.assertEqual(self.publish("sums/1.1.0", "--scenario", "arithmetic")["git"]["scenario"], "arithmetic")

    def test_a_delta_from_the_version_before(self):
        self.publisher, server = self.keys(), self.serve()
        (self.scenario.folder / "weights.bin").write_bytes(os.urandom(60_000))
        self.scenario.release("1.0.0", resources=["weights.bin"])
        self.scenario.release("1.1.0", fixture.SCRIPT + "# more\n", resources=["weights.bin"])
        base = self.folder / "base.fpk"
        self.good("pack", "--git", self.scenario.folder, "--tag", "sums/1.0.0", "-o", base)
        self.publish("sums/1.0.0")
        answer = self.publish("sums/1.1.0", "--base", base)
        self.assertEqual([item["path"] for item in answer["artefacts"]], ["sums/1.1.0/full", "sums/1.1.0/delta-from-1.0.0"])
        self.assertEqual(list(self.publisher.glob("sealing-*")), [])


class ServerTest(fixture.CliTest):
    def setUp(self):
        super().setUp()
        self.cloud = Cloud(BIN, self.folder)
        self.addCleanup(self.cloud.server.stop)
        self.cli = self.cloud.cli
        self.scenario = Scenario(self.folder / "arithmetic")

    def publish(self, tag, *arguments):
        return self.cli("publish", "--git", self.scenario.folder, "--tag", tag, "--dir", self.cloud.publisher, *arguments)

    def test_from_commits_to_devices(self):
        self.assertEqual(self.cli("task", "list"), {"scenarios": []})
        commits = [self.scenario.release(version, fixture.SCRIPT + f"# {version}\n") for version in ("1.0.0", "1.1.0")]
        for version in ("1.0.0", "1.1.0"):
            self.publish(f"sums/{version}")
        versions = [{"version": version, "release_counter": counter, "tag": f"sums/{version}", "commit": commit}
                    for version, counter, commit in (("1.1.0", 2, commits[1]), ("1.0.0", 1, commits[0]))]
        self.assertEqual(self.cli("task", "list"), {"scenarios": [{"scenario": "arithmetic", "tasks": [{"task": "sums", "versions": versions}]}]})
        self.assertEqual(self.cloud.server.api.get("/packages/sums/1.0.0")["git"]["commit"], commits[0])

        profile = {"os": "linux", "app_version": "1.4.0", "device_class": "mid", "tags": []}
        device = Device(BIN, self.folder / "device", "one", profile, poll_seconds=1)
        device.start(self.cli("device", "join-token")["token"])
        self.addCleanup(device.stop)
        device.wait_enrolled()
        release = self.cli("release", "start", "--package", "sums", "--version", "1.1.0", "--rule", "all", "--no-simulation")["id"]
        wait_for("the device to run it", lambda: self.cli("task", "log", "sums")["log"][0]["releases"][0]["confirmed"] == 1, 60)
        log = self.cli("task", "log", "sums")
        self.assertEqual([row["git"]["commit"] for row in log["log"]], commits[::-1])
        self.assertEqual((log["package"], log["more"], log["log"][1]["releases"]), ("sums", False, []))
        shown = log["log"][0]["releases"]
        self.assertEqual([(row["id"], row["devices"], row["confirmed"], row["failed"], row["back"]) for row in shown], [(release, 1, 1, 0, 0)])
        text = subprocess.run([str(self.cli.program), "task", "log", "sums"], env=self.cli.environment, capture_output=True, text=True)
        self.assertIn(f"commit {commits[1][:12]}, tag sums/1.1.0 of arithmetic", text.stdout)
        self.assertIn("1 devices: 1 confirmed", text.stdout)

        self.cli("package", "withdraw", "sums", "1.0.0", "--dir", self.cloud.publisher, "--reason", "slow", "--force")
        row = self.cli("task", "log", "sums")["log"][1]
        self.assertEqual((row["version"], row["git"], row["withdrawn"]), ("1.0.0", None, "slow"))
        with self.assertRaisesRegex(Failed, "not_found.*words"):
            self.cli("task", "log", "words")

    def test_a_package_of_a_folder_has_a_log_without_commits(self):
        self.scenario.write("1.0.0")
        package = self.folder / "sums.fpk"
        self.cli("pack", self.scenario.folder, "-o", package)
        self.cli("publish", package, "--dir", self.cloud.publisher)
        self.assertEqual(self.cli("task", "list"), {"scenarios": []})
        row, = self.cli("task", "log", "sums")["log"]
        self.assertEqual((row["version"], row["git"], row["releases"]), ("1.0.0", None, []))


if __name__ == "__main__":
    unittest.main(verbosity=2)
