"""ferry keys: making, showing, rotating and uploading."""
import base64
import hashlib
import json
import stat
import unittest

import fixture


class KeysTest(fixture.CliTest):
    def test_init_makes_private_keys_and_a_signed_root(self):
        publisher = self.keys()
        shown = self.good("keys", "show", "--dir", publisher)
        self.assertEqual(shown["root_version"], 1)
        self.assertEqual(shown["roles"]["root"]["private_keys_here"], 1)
        self.assertEqual(shown["roles"]["snapshot"]["private_keys_here"], 0)
        for key in (publisher / "keys").iterdir():
            self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)
        root = self.good("inspect", publisher / "root.json")
        self.assertTrue(root["verified"])
        self.assertIn("has keys already", self.bad("already_exists", "keys", "init", "--dir", publisher, "--online-keys",
                                                   self.folder / "online.json"))

    def test_bad_input_is_named(self):
        self.bad("not_found", "keys", "init", "--dir", self.folder / "p", "--online-keys", self.folder / "none.json")
        broken = self.folder / "broken.json"
        broken.write_text('{"type": "ferry-online-keys", "director": "00"}')
        self.assertIn("director", self.bad("malformed", "keys", "init", "--dir", self.folder / "p", "--online-keys", broken))
        self.assertIn("ferry keys init", self.bad("not_found", "keys", "show", "--dir", self.folder / "p"))
        self.keys()
        self.bad("invalid_argument", "keys", "init", "--dir", self.folder / "q", "--online-keys", self.folder / "online.json",
                 "--root-keys", "2", "--root-threshold", "3")

    def test_a_changed_root_is_refused(self):
        publisher = self.keys()
        root = json.loads((publisher / "root.json").read_text())
        root["signed"]["expires"] = "2999-01-01T00:00:00Z"
        (publisher / "root.json").write_text(json.dumps(root))
        self.assertIn("root version 1", self.bad("bad_signature", "keys", "show", "--dir", publisher))

    def test_rotation_is_signed_by_old_and_new(self):
        publisher = self.keys("--root-keys", "3", "--root-threshold", "2")
        before = self.good("keys", "show", "--dir", publisher)
        for version, role in enumerate(("root", "targets", "none"), 2):
            self.good("keys", "rotate", "--dir", publisher, "--role", role)
            self.assertEqual(self.good("keys", "show", "--dir", publisher)["root_version"], version)
            # Each root is signed by the root before it.
            self.assertTrue(self.good("inspect", publisher / "roots" / f"{version}.json",
                                      "--root", publisher / "roots" / f"{version - 1}.json")["verified"])
        after = self.good("keys", "show", "--dir", publisher)
        for role in ("root", "targets"):
            self.assertFalse(set(before["roles"][role]["keys"]) & set(after["roles"][role]["keys"]))
        for name in ("root-4.json", "root-5.json"):
            (publisher / "keys" / name).unlink()
        self.assertIn("1 of the 2 root keys", self.bad("failed_precondition", "keys", "rotate", "--dir", publisher,
                                                       "--role", "none"))

    def test_upload_sends_the_roots_that_the_server_lacks(self):
        publisher = self.keys()
        server = self.serve()
        self.good("keys", "rotate", "--dir", publisher, "--role", "root")
        self.assertEqual(self.good("keys", "upload", "--dir", publisher)["uploaded_roots"], 2)
        body, = server.bodies("PUT", "/metadata/root")
        sent = [json.loads(base64.b64decode(root)) for root in [*body["before"], body["document"]]]
        self.assertEqual([root["signed"]["version"] for root in sent], [1, 2])
        self.assertEqual(server.calls[0][3], "Bearer secret")
        second = body["document"]
        server.answers["GET /metadata/root"] = 200, {"role": "root", "version": 2, "document": second}
        self.assertEqual(self.good("keys", "upload", "--dir", publisher)["uploaded_roots"], 0)
        self.good("publish", self.pack(), "--dir", publisher)
        targets = server.bodies("POST", "/packages")[0]["targets"]
        server.answers["GET /metadata/targets"] = 200, {"role": "targets", "version": 1, "document": targets}
        self.assertFalse(self.good("keys", "upload", "--dir", publisher)["uploaded_targets"])
        changed = json.loads(base64.b64decode(targets))
        changed["signed"]["expires"] = "2031-01-01T00:00:00Z"
        other = base64.b64encode(json.dumps(changed).encode()).decode()
        server.answers["GET /metadata/targets"] = 200, {"role": "targets", "version": 1, "document": other}
        self.assertIn("other targets of version 1", self.bad("failed_precondition", "keys", "upload", "--dir", publisher))

    def test_a_folder_of_another_publisher_is_refused_by_digest(self):
        ours = self.keys()
        (self.folder / "theirs").mkdir()
        (ours).rename(self.folder / "theirs" / "publisher")
        theirs, ours = self.folder / "theirs" / "publisher", self.keys()
        package = self.pack()
        server = self.serve()
        root = (theirs / "root.json").read_bytes()
        server.answers["GET /metadata/root"] = 200, {"role": "root", "version": 1,
                                                     "document": base64.b64encode(root).decode()}
        here = hashlib.sha256((ours / "root.json").read_bytes()).hexdigest()
        # The versions are equal: only the documents tell the folders apart.
        for command in (["keys", "upload"], ["publish", package], ["keys", "refresh"]):
            said = self.bad("failed_precondition", *command, "--dir", ours)
            for part in ("publisher is another publisher's folder", hashlib.sha256(root).hexdigest(), here):
                self.assertIn(part, said)
        self.assertEqual({call[0] for call in server.calls}, {"GET"}, "nothing is sent")
        self.good("publish", package, "--dir", theirs)


if __name__ == "__main__":
    unittest.main()
