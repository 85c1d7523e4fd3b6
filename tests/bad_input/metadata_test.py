"""Metadata that a device must refuse: expired, older than what it knows, and signed wrongly."""
import base64
import json
import sqlite3
import unittest

import ed25519
import fixture


class MetadataTest(fixture.BadInputTest):
    def timestamp(self):
        return json.loads(base64.b64decode(self.server.api.get("/metadata/timestamp")["document"]))

    def sign_timestamp(self, signed):
        """What whoever stole the server's timestamp key could write."""
        key = json.loads((self.server.folder / "keys/timestamp.key").read_text())
        message = json.dumps(signed, sort_keys=True, separators=(",", ":")).encode()
        signature = ed25519.sign(bytes.fromhex(key["private"]), message).hex()
        return {"signatures": [{"keyid": self.timestamp()["signatures"][0]["keyid"], "sig": signature}], "signed": signed}

    def inspect(self, document):
        file = self.folder / "timestamp.json"
        file.write_text(json.dumps(document))
        return self.text_of(fixture.BIN / "ferry", "inspect", file, "--root", self.cloud.publisher / "root.json")

    def offer(self, make_document):
        """Releases 2.0.0 to the device with this document in the place of the server's timestamp."""
        self.device.stop()
        self.publish(self.pack("2.0.0"))
        self.release("2.0.0")
        document = make_document(self.timestamp())
        # Under the running server, for a start signs the timestamp anew.
        with sqlite3.connect(self.server.folder / "ferry.db") as rows:
            rows.execute("UPDATE metadata SET document = ? WHERE role = 'timestamp'", [json.dumps(document).encode()])
        rows.close()
        self.device.start()
        return document

    def test_expired(self):
        document = self.offer(lambda now: self.sign_timestamp({**now["signed"], "expires": "2020-01-02T03:04:05Z"}))
        self.expect_refused("expired", f"timestamp version {document['signed']['version']}", "2020-01-02T03:04:05Z")
        self.assertIn("expired: ", self.inspect(document))
        self.assertIn("2020-01-02T03:04:05Z", self.inspect(document))

    def test_an_older_version_replayed(self):
        older = self.timestamp()
        self.publish(self.pack("1.1.0"))
        self.install("1.1.0")
        seen = self.timestamp()["signed"]["version"]
        self.offer(lambda _: older)
        self.expect_refused("version_rollback", f"timestamp version {older['signed']['version']} offered after version {seen}")

    def test_wrong_signature(self):
        def change(now):
            now["signed"]["expires"] = "2999-01-01T00:00:00Z"
            return now
        document = self.offer(change)
        self.expect_refused("bad_signature", "timestamp")
        shown = self.inspect(document)
        self.assertIn("bad_signature: ", shown)
        self.assertIn("timestamp.json", shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
