"""ferry publish: what is sealed, signed and uploaded, and what is refused."""
import hashlib
import json
import os
import unittest

import fixture


class PublishTest(fixture.CliTest):
    def test_upload_then_delta_then_fallback(self):
        publisher, server = self.keys(), self.serve()
        weights = os.urandom(60_000)
        first = self.pack("1.0.0", weights)
        calibration = self.folder / "calibration.json"
        calibration.write_text('{"gain": 1.0}')
        answer = self.good("publish", first, "--dir", publisher, "--exclusive", f"calibration.json={calibration}")
        self.assertEqual((answer["release_counter"], answer["fallback"]), (1, None))
        targets = fixture.targets_of(server.bodies("POST", "/packages")[0])
        self.assertEqual(sorted(targets["targets"]), ["sums/1.0.0/exclusive/calibration.json", "sums/1.0.0/full"])
        full = targets["targets"]["sums/1.0.0/full"]
        sealed = server.content[full["hashes"]["sha256"]]
        self.assertEqual(hashlib.sha256(sealed).hexdigest(), full["hashes"]["sha256"])
        self.assertEqual(len(sealed), full["length"])
        self.assertEqual(hashlib.sha256(first.read_bytes()).hexdigest(), full["custom"]["plain_sha256"])
        self.assertNotIn(weights[:64], sealed)

        changed = weights[:50_000] + os.urandom(10_000)
        second = self.pack("2.0.0", changed, fixture.SCRIPT + "# changed\n")
        answer = self.good("publish", second, "--dir", publisher, "--base", first)
        self.assertEqual((answer["release_counter"], answer["fallback"]), (2, "1.0.0"))
        body = server.bodies("POST", "/packages")[1]
        targets = fixture.targets_of(body)
        self.assertEqual(targets["version"], 2)
        self.assertEqual(len(body["keys"]), 2)
        delta = targets["targets"]["sums/2.0.0/delta-from-1.0.0"]
        self.assertLessEqual(3 * delta["length"], targets["targets"]["sums/2.0.0/full"]["length"])
        self.assertEqual(delta["custom"]["fallback"]["plain_sha256"], full["custom"]["plain_sha256"])
        self.assertTrue(self.good("inspect", publisher / "targets.json", "--root", publisher / "root.json")["verified"])
        self.assertFalse(list(publisher.glob("sealing-*")), "sealed files are cleaned up")

    def test_what_a_package_says_of_itself_is_signed(self):
        publisher, server = self.keys(), self.serve()
        needs = {"runtime": ">=0.1", "memory": "64 MiB", "packages": {"words": "^1.2"}, "base": "words"}
        package = self.folder / "sums.fpk"
        self.good("pack", self.task(requires=needs, licence="Apache-2.0", description="Adds"), "-o", package)
        manifest = self.good("inspect", package)["manifest"]
        self.assertEqual((manifest["requires"], manifest["licence"], manifest["description"]), (needs, "Apache-2.0", "Adds"))
        self.assertNotIn("licence", manifest["task"])
        refused = self.bad("invalid_argument", "publish", package, "--dir", publisher)
        self.assertIn("needs package words ^1.2, of which nothing is published", refused)
        words = self.folder / "words.fpk"
        for version in ("1.1.0", "1.2.0"):
            folder = self.task(f"words-{version}", version)
            (folder / "task.json").write_text(json.dumps({**fixture.TASK, "name": "words", "version": version}))
            self.good("pack", folder, "-o", words)
            self.good("publish", words, "--dir", publisher)
            if version == "1.1.0":
                self.assertIn("only 1.1.0 are", self.bad("invalid_argument", "publish", package, "--dir", publisher))
        self.good("publish", package, "--dir", publisher)
        custom = fixture.targets_of(server.bodies("POST", "/packages")[2])["targets"]["sums/1.0.0/full"]["custom"]
        self.assertEqual((custom["requires"], custom["licence"], custom["description"]), (needs, "Apache-2.0", "Adds"))
        for wrong in ({"memory": "64"}, {"colour": "red"}, {"base": "words"}):
            folder = self.task(name=f"wrong-{list(wrong)[0]}", requires=wrong)
            self.assertIn(f"requires.{list(wrong)[0]}", self.bad("malformed", "pack", folder, "-o", package))

    def test_deltas_from_the_versions_that_most_devices_run(self):
        publisher, server = self.keys(), self.serve()
        noise = os.urandom(20_000)
        packages = {f"{n}.0.0": self.pack(f"{n}.0.0", noise + bytes([n])) for n in range(1, 6)}
        for version in ("1.0.0", "2.0.0", "3.0.0", "4.0.0"):
            self.good("publish", packages[version], "--dir", publisher)
        devices = {"1.0.0": 5, "2.0.0": 70, "3.0.0": 0, "4.0.0": 9}
        rows = [{"name": "sums", "version": version, "devices": count} for version, count in devices.items()]
        server.answers["GET /packages"] = 200, {"packages": rows + [{"name": "words", "version": "9.0.0", "devices": 99}]}
        packages["4.0.0"].unlink()
        answer = self.good("publish", packages["5.0.0"], "--dir", publisher, "--deltas", 2)
        self.assertEqual([item["path"] for item in answer["artefacts"]], ["sums/5.0.0/full", "sums/5.0.0/delta-from-2.0.0"])
        self.assertEqual([(base["version"], base["devices"]) for base in answer["bases"]], [("2.0.0", 70), ("4.0.0", 9)])
        self.assertIsNone(answer["bases"][0]["why_not"])
        self.assertIn("sums-4.0.0.fpk is not there", answer["bases"][1]["why_not"])
        self.assertEqual(answer["fallback"], "4.0.0", "the newest, whatever most devices run")

    def test_no_delta_when_it_saves_little(self):
        publisher, server = self.keys(), self.serve()
        first, second = self.pack("1.0.0", os.urandom(50_000)), self.pack("2.0.0", os.urandom(50_000))
        self.good("publish", first, "--dir", publisher)
        answer = self.good("publish", second, "--dir", publisher, "--base", first)
        self.assertEqual([item["path"] for item in answer["artefacts"]], ["sums/2.0.0/full"])

    def test_refusals(self):
        publisher, server = self.keys(), self.serve()
        first, second = self.pack("1.0.0", b"a" * 500), self.pack("2.0.0", b"b" * 500)
        self.bad("not_found", "publish", second, "--dir", publisher, "--base", first)
        self.good("publish", first, "--dir", publisher)
        self.assertIn("new version", self.bad("already_exists", "publish", first, "--dir", publisher))
        self.assertIn("9.9.9", self.bad("not_found", "publish", second, "--dir", publisher, "--fallback", "9.9.9"))
        self.bad("invalid_argument", "publish", second, "--dir", publisher, "--exclusive", "no-file")
        data = bytearray(second.read_bytes())
        data[-100] ^= 1
        second.write_bytes(data)
        self.assertIn("weights.bin", self.bad("corrupt_content", "publish", second, "--dir", publisher))
        for key in (publisher / "keys").glob("targets-*"):
            key.unlink()
        self.bad("failed_precondition", "publish", second, "--dir", publisher)

    def test_wrong_signature(self):
        publisher, _ = self.keys(), self.serve()
        self.good("publish", self.pack(), "--dir", publisher)
        document = json.loads((publisher / "targets.json").read_text())
        document["signed"]["targets"]["sums/1.0.0/full"]["length"] += 1
        (publisher / "targets.json").write_text(json.dumps(document))
        line = self.bad("bad_signature", "publish", self.pack("2.0.0"), "--dir", publisher)
        self.assertIn("targets.json", line)
        self.assertIn("does not match", line)
        self.bad("bad_signature", "inspect", publisher / "targets.json", "--root", publisher / "root.json")

    def test_a_refused_publication_leaves_the_folder_as_it_was(self):
        publisher, server = self.keys(), self.serve()
        server.answers["POST /packages"] = 400, {"error": {"code": 30, "name": "bad_signature", "text": "targets: no"}}
        self.assertIn("targets: no", self.bad("bad_signature", "publish", self.pack(), "--dir", publisher))
        self.assertFalse((publisher / "targets.json").exists())
        del server.answers["POST /packages"]
        self.good("publish", self.folder / "sums-1.0.0.fpk", "--dir", publisher)

    def test_targets_of_another_machine_are_taken_over(self):
        publisher, server = self.keys(), self.serve()
        self.good("publish", self.pack(), "--dir", publisher)
        document = server.bodies("POST", "/packages")[0]["targets"]
        (publisher / "targets.json").unlink()
        server.answers["GET /metadata/targets"] = 200, {"role": "targets", "version": 1, "document": document}
        self.good("publish", self.pack("2.0.0"), "--dir", publisher)
        targets = fixture.targets_of(server.bodies("POST", "/packages")[1])
        self.assertEqual((targets["version"], len(targets["targets"])), (2, 2))

    def test_a_restored_server_gets_again_what_it_lacks(self):
        publisher, server = self.keys(), self.serve()
        for version in ("1.0.0", "2.0.0"):
            self.good("publish", self.pack(version, os.urandom(500)), "--dir", publisher)
        first, second = server.bodies("POST", "/packages")
        sealed, = set(server.content) - {fixture.targets_of(first)["targets"]["sums/1.0.0/full"]["hashes"]["sha256"]}
        bytes_of_second = server.content.pop(sealed)
        server.answers["GET /metadata/targets"] = 200, {"role": "targets", "version": 1, "document": first["targets"]}
        held = fixture.targets_of(first)["targets"]["sums/1.0.0/full"]["hashes"]["sha256"]
        server.answers[f"GET /content/{held}"] = 200, {"sha256": held, "length": 1}
        answer = self.good("publish", "--again", "--dir", publisher)
        self.assertEqual(answer, {"targets_version": 2, "content": ["sums/2.0.0/full"], "keys": ["sums/2.0.0/full"],
                                  "absent": []})
        self.assertEqual(server.content[sealed], bytes_of_second)
        again = server.bodies("POST", "/packages")[-1]
        self.assertEqual((again["targets"], again["keys"]), (second["targets"], second["keys"]))

        # What an older `ferry` published was not kept: it is named, and blocks nothing.
        (publisher / "published" / sealed).unlink()
        self.assertEqual(self.good("publish", "--again", "--dir", publisher)["absent"], ["sums/2.0.0/full"])
        self.assertEqual(server.bodies("POST", "/packages")[-1]["absent"], ["sums/2.0.0/full"])
        # Who has all of it gets nothing.
        server.answers["GET /metadata/targets"] = 200, {"role": "targets", "version": 2, "document": second["targets"]}
        server.answers[f"GET /content/{sealed}"] = 200, {"sha256": sealed, "length": 1}
        calls = len(server.bodies("POST", "/packages"))
        self.assertIsNone(self.good("publish", "--again", "--dir", publisher)["targets_version"])
        self.assertEqual(len(server.bodies("POST", "/packages")), calls)
        self.assertEqual(self.ferry("publish", "--again").status, 2)

    def test_threshold_of_targets_keys(self):
        publisher, _ = self.keys("--targets-keys", "3", "--targets-threshold", "2"), self.serve()
        (publisher / "keys" / "targets-1.json").unlink()
        self.good("publish", self.pack(), "--dir", publisher)
        (publisher / "keys" / "targets-2.json").unlink()
        self.assertIn("1 of the 2 targets keys", self.bad("failed_precondition", "publish", self.pack("2.0.0"), "--dir",
                                                          publisher))

    def test_bundle(self):
        publisher, package, bundle = self.keys(), self.pack("1.0.0", os.urandom(5000)), self.folder / "sums.bundle"
        answer = self.good("publish", package, "--dir", publisher, "--bundle", bundle)
        data = bundle.read_bytes()
        self.assertEqual(data[:12], b"FERRYBND" + (1).to_bytes(4, "little"))
        header = json.loads(data[16:16 + int.from_bytes(data[12:16], "little")])
        self.assertEqual(header["content"][0]["sha256"], answer["artefacts"][0]["sha256"])
        self.assertEqual(self.good("inspect", bundle)["kind"], "bundle")
        server = self.serve()
        self.good("publish", "--from-bundle", bundle)
        self.assertEqual(server.bodies("POST", "/packages"), [header["publish"]])
        self.assertEqual(list(server.content), [header["content"][0]["sha256"]])
        for cut in (5, 20, len(data) - 1):
            bundle.write_bytes(data[:cut])
            self.assertEqual(self.ferry("publish", "--from-bundle", bundle).status, 1)
        bundle.write_bytes(data + b"x")
        self.bad("malformed", "publish", "--from-bundle", bundle)

    def test_sealed_files_are_found_in_targets(self):
        publisher, server = self.keys(), self.serve()
        self.good("publish", self.pack(), "--dir", publisher)
        sealed = self.folder / "sealed"
        sealed.write_bytes(next(iter(server.content.values())))
        shown = self.good("inspect", sealed, "--targets", publisher / "targets.json")
        self.assertEqual(shown["path"], "sums/1.0.0/full")
        sealed.write_bytes(sealed.read_bytes()[:-1] + b"\0")
        self.bad("not_authorized_target", "inspect", sealed, "--targets", publisher / "targets.json")


if __name__ == "__main__":
    unittest.main()
