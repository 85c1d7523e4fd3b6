"""ferry-tuf, a client of any TUF repository, updates from a running ferry-server; and what the server's layout answers."""
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

import package_test
from package_test import BIN, Cloud


class TufTest(unittest.TestCase):
    pack, publish, targets = (getattr(package_test.PackageTest, name) for name in ("pack", "publish", "targets"))

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="ferry-tuf-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.cloud = Cloud(BIN, self.folder)
        self.server, self.cli, self.publisher = self.cloud.server, self.cloud.cli, self.cloud.publisher
        self.addCleanup(lambda: self.server.stop())
        self.publish("1.0.0")
        self.trusted, self.files = self.folder / "trusted", self.folder / "files"
        self.url = f"{self.server.url}/tuf"
        self.assertEqual(self.tuf("init", self.publisher / "roots/1.json").returncode, 0)

    def tuf(self, *arguments, token=None, url=None):
        base = url or self.url
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FERRY_")}
        if token:
            environment["FERRY_TOKEN"] = token
        return subprocess.run([BIN / "ferry-tuf", "--metadata-dir", self.trusted, "--metadata-url", f"{base}/metadata",
                               "--target-base-url", f"{base}/targets", "--target-dir", self.files, *arguments],
                              capture_output=True, text=True, timeout=60, env=environment)

    def versions(self):
        return {file.stem: json.loads(file.read_text())["signed"]["version"] for file in self.trusted.iterdir()}

    def status(self, path):
        try:
            with urllib.request.urlopen(f"{self.url}/{path}", timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def test_metadata_is_updated_over_a_root_that_changed(self):
        self.assertEqual(self.tuf("refresh").returncode, 0)
        first = self.versions()
        self.assertEqual((first["root"], first["targets"]), (1, 1))
        self.cli("keys", "rotate", "--dir", self.publisher, "--role", "targets")
        self.cli("keys", "upload", "--dir", self.publisher)
        self.publish("2.0.0")
        done = self.tuf("refresh")
        self.assertEqual(done.returncode, 0, done.stderr)
        second = self.versions()
        self.assertEqual(second["root"], 2)
        self.assertGreater(second["targets"], first["targets"])
        self.assertGreater(second["timestamp"], first["timestamp"])

    def test_targets_are_for_those_who_are_logged_in(self):
        name = "sums/1.0.0/full"
        done = self.tuf("download", "--target-name", name)
        self.assertEqual(done.returncode, 1)
        self.assertIn("HTTP status 401", done.stderr)
        done = self.tuf("download", "--target-name", name, token=self.server.api.token)
        self.assertEqual(done.returncode, 0, done.stderr)
        file, = self.files.iterdir()
        entry = self.targets()["signed"]["targets"][name]
        self.assertEqual(hashlib.sha256(file.read_bytes()).hexdigest(), entry["hashes"]["sha256"])
        # Under its hash as well, and it is not fetched again.
        request = urllib.request.Request(f"{self.url}/targets/sums/1.0.0/{entry['hashes']['sha256']}.full",
                                         headers={"Authorization": f"Bearer {self.server.api.token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            self.assertEqual(answer.read(), file.read_bytes())
        self.assertEqual(self.tuf("download", "--target-name", name).returncode, 0)
        done = self.tuf("download", "--target-name", "sums/9.0.0/full", token=self.server.api.token)
        self.assertIn("not_found", done.stderr)

    def test_targets_in_bins_are_found_in_theirs(self):
        self.publish("2.0.0")
        self.cli("keys", "bins", "--dir", self.publisher, "--bits", "5")
        for version in ("1.0.0", "2.0.0"):
            done = self.tuf("download", "--target-name", f"sums/{version}/full", token=self.server.api.token)
            self.assertEqual(done.returncode, 0, done.stderr)
        paths = [hashlib.sha256(f"sums/{version}/full".encode()).digest()[0] >> 3 for version in ("1.0.0", "2.0.0")]
        self.assertEqual({name for name in self.versions() if name.startswith("bin-")}, {f"bin-{path:02x}" for path in paths})
        for path in ("bin-00.json", "bin-1f.json", f"{self.versions()[f'bin-{paths[0]:02x}']}.bin-{paths[0]:02x}.json"):
            self.assertEqual(self.status(f"metadata/{path}"), 200, path)
        for path in ("bin-20.json", "bin-.json", "bin-000.json", "bin-0F.json", "1000.bin-00.json", "bin-00"):
            self.assertEqual(self.status(f"metadata/{path}"), 404, path)

    def test_what_the_layout_has_and_has_not(self):
        number = json.loads(urllib.request.urlopen(f"{self.url}/metadata/snapshot.json", timeout=10).read())["signed"]["version"]
        for path in ("1.root.json", "timestamp.json", "snapshot.json", f"{number}.snapshot.json", "targets.json", "1.targets.json"):
            self.assertEqual(self.status(f"metadata/{path}"), 200, path)
        for path in ("2.root.json", "root.json", "1.timestamp.json", "01.root.json", "-1.root.json", "1root.json",
                     "99999999999999999999.root.json", "1.targets", "director.json"):
            self.assertEqual(self.status(f"metadata/{path}"), 404, path)
        self.assertEqual(self.status("metadata"), 401)
        self.assertEqual(self.status("metadata/..%2F1.root.json"), 401)
        self.assertEqual(self.status("targets/sums/1.0.0/full"), 401)

    def mirror(self, change):
        """A folder with what the server has, changed, behind a server of files."""
        folder = self.folder / "mirror"
        (folder / "metadata").mkdir(parents=True)
        for name in ("1.root.json", "timestamp.json", "snapshot.json", "targets.json"):
            (folder / "metadata" / name).write_bytes(urllib.request.urlopen(f"{self.url}/metadata/{name}", timeout=10).read())
        change(folder / "metadata")

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=folder)

            def log_message(self, *_):
                pass
        files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
        threading.Thread(target=files.serve_forever, daemon=True).start()
        self.addCleanup(files.server_close)
        self.addCleanup(files.shutdown)
        return f"http://127.0.0.1:{files.server_port}"

    def test_a_mirror_that_changes_a_byte_or_sends_without_end_is_refused(self):
        def change(folder):
            document = json.loads((folder / "targets.json").read_text())
            document["signed"]["expires"] = "2999-01-01T00:00:00Z"
            (folder / "targets.json").write_text(json.dumps(document))
        done = self.tuf("refresh", url=self.mirror(change))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "corrupt_content|limit_exceeded")
        self.assertNotIn("targets", self.versions())
        shutil.rmtree(self.folder / "mirror")
        done = self.tuf("refresh", url=self.mirror(lambda folder: (folder / "timestamp.json").write_bytes(b" " * (1 << 20))))
        self.assertEqual(done.returncode, 1)
        self.assertIn("more than 65536 bytes", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
