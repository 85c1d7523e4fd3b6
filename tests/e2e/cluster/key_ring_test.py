"""The keys of a cluster in a sealed key ring: its secret in a hardware security module, and fresh keys brought to all nodes."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from parts import Postgres, postgres_programs  # noqa: E402
from fleet import Cloud, Device, Server, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ["FERRY_BIN"])
MODULE = pathlib.Path("/usr/lib/softhsm/libsofthsm2.so")
TASK = {"name": "counted", "script": "task.py", "entry": "run", "trigger": {"sequence": [{"event": "go"}]}}
PIN = "271828"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-ring-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def server(self, *arguments, **environment):
        """What ferry-server prints as JSON, or its last line of trouble."""
        done = subprocess.run([str(BIN / "ferry-server"), *map(str, arguments), "--json"], capture_output=True, text=True, timeout=120,
                              env=os.environ | environment)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr + done.stdout


@unittest.skipUnless(MODULE.exists() and shutil.which("softhsm2-util"), "missing: softhsm2")
class TokenTest(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "tokens").mkdir()
        (self.folder / "softhsm2.conf").write_text(f"directories.tokendir = {self.folder}/tokens\nobjectstore.backend = file\nlog.level = ERROR\n")
        self.environment = {"SOFTHSM2_CONF": str(self.folder / "softhsm2.conf"), "FERRY_PKCS11_PIN": PIN}
        for label in ("ferry", "other"):
            subprocess.run(["softhsm2-util", "--init-token", "--free", "--label", label, "--so-pin", "314159", "--pin", PIN], check=True,
                           stdout=subprocess.DEVNULL, env=os.environ | self.environment)
        self.server("init", "--dir", self.folder / "one")

    def uri(self, key="key-ring", token="ferry", module=MODULE, more=""):
        return f"pkcs11:token={token};object={key}?module-path={module}{more}"

    def seal(self, name="ring", **options):
        return self.server("keys", "seal", "--dir", self.folder / "one", "--out", self.folder / name, "--secret", self.uri(**options), **self.environment)

    def open(self, directory, name="ring", **options):
        return self.server("keys", "open", self.folder / name, "--dir", self.folder / directory, "--secret", self.uri(**options), **self.environment)

    def test_the_key_stays_in_the_token(self):
        self.assertEqual(self.seal(), {"key_ring": str(self.folder / "ring"), "secret": "", "secret_made": True})
        self.assertEqual(self.seal("again")["secret_made"], False)
        self.assertEqual(self.open("two"), {"dir": str(self.folder / "two"), "ring": "made"})
        for file in ("keys/director.key", "keys/content.key", "ca.pem"):
            self.assertEqual((self.folder / "one" / file).read_bytes(), (self.folder / "two" / file).read_bytes())
        # The PIN from a file, and the only key of another token.
        (self.folder / "pin").write_text(PIN + "\n")
        self.environment.pop("FERRY_PKCS11_PIN")
        self.assertEqual(self.open("three", "again", more=f"&pin-source=file:{self.folder}/pin")["ring"], "made")
        self.assertIn("FERRY_PKCS11_PIN", self.open("four"))

    def test_what_is_wrong_is_named(self):
        self.seal()
        self.assertIn("no token \"none\"; there are: \"ferry\"", self.open("two", token="none").replace("\\", "").replace("\"other\"", "\"ferry\""))
        self.assertIn("no secret key \"absent\"", self.open("two", key="absent").replace("\\", ""))
        self.assertIn("several tokens", self.server("keys", "open", self.folder / "ring", "--dir", self.folder / "two", "--secret",
                                                    f"pkcs11:object=key-ring?module-path={MODULE}", **self.environment))
        self.assertIn("unsupported", self.open("two", module="/none.so"))
        self.assertIn("permission_denied", self.server("keys", "open", self.folder / "ring", "--dir", self.folder / "two", "--secret", self.uri(),
                                                       **self.environment | {"FERRY_PKCS11_PIN": "000000"}))
        # A key of the same name in another token is another key.
        self.assertTrue(self.seal("elsewhere", token="other")["secret_made"])
        self.assertIn("wrong_key", self.open("two", "elsewhere"))
        self.assertFalse((self.folder / "two/server.json").exists())


@unittest.skipUnless(postgres_programs(), "missing: postgresql-15")
class RotationTest(Folder):
    def test_both_nodes_sign_with_fresh_keys(self):
        postgres = Postgres()
        self.addCleanup(postgres.remove)
        postgres.make()
        with unittest.mock.patch.dict(os.environ, {"FERRY_STORE": postgres.url}):
            cloud = Cloud(BIN, self.folder / "one")
        one = cloud.server
        self.addCleanup(one.stop)
        secret = ("--secret", f"file:{self.folder}/secret")
        ring = self.folder / "ring"
        self.assertTrue(self.server("keys", "seal", "--dir", one.folder, "--out", ring, *secret)["secret_made"])
        two = Server(BIN, self.folder / "two/server", one.options, one.environment)
        self.addCleanup(two.stop)
        two.start("--key-ring", ring, "--key-ring-secret", secret[1], "--store", postgres.url)
        two.api.login(one.password)

        made = self.server("keys", "rotate", "--dir", one.folder)
        fresh = (one.folder / "keys/next/director.key").read_bytes()
        cloud.cli("keys", "rotate", "--dir", cloud.publisher, "--role", "online", "--online-keys", made["online_keys"])
        # The ring brings them to the other node, which runs; the root then puts them to use on both.
        self.server("keys", "seal", "--dir", one.folder, "--out", ring, *secret)
        self.assertEqual(self.server("keys", "open", ring, "--dir", two.folder, *secret)["ring"], "taken")
        self.assertEqual(self.server("keys", "open", ring, "--dir", two.folder, *secret)["ring"], "not_newer")
        cloud.cli("keys", "upload", "--dir", cloud.publisher)
        wait_for("the other node's file", lambda: (two.folder / "keys/director.key").read_bytes() == fresh, 30)
        self.assertEqual((one.folder / "keys/director.key").read_bytes(), fresh)

        # All that follows is signed by the other node.
        one.stop()
        cloud.cli.environment |= {"FERRY_SERVER": two.url, "FERRY_TOKEN": two.api.token}
        source = self.folder / "source"
        source.mkdir()
        (source / "task.py").write_text("def run(matched):\n    return 1\n")
        (source / "task.json").write_text(json.dumps(TASK | {"version": "1.0.0"}))
        cloud.cli("pack", source, "-o", self.folder / "task.fpk")
        cloud.cli("publish", self.folder / "task.fpk", "--dir", cloud.publisher)
        device = Device(BIN, self.folder / "device", "device", {"os": "linux", "app_version": "1.0.0", "tags": []}, poll_seconds=1)
        self.addCleanup(device.stop)
        device.start(join=two.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        device.wait_enrolled()
        two.api.post("/releases", {"package": "counted", "version": "1.0.0", "rule": "all", "start": True, "stages": [{"kind": "full"}]})
        wait_for("the version to run", lambda: device.status().get("packages", {}).get("counted", {}).get("version") == "1.0.0", 60)


if __name__ == "__main__":
    unittest.main(verbosity=2)
