"""Content of a bucket goes from it to devices: by addresses that are signed, without what proves who the device is, and through the server where
the bucket refuses."""
import hashlib
import http.server
import json
import os
import pathlib
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[2] / "tools/demo"))
from fleet import Cloud, Device, wait_for  # noqa: E402
from parts import S3, S3_SECRETS, what_lacks  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", HERE.parents[2] / "build/release/bin"))
TASK = {"name": "counted", "script": "task.py", "entry": "run", "trigger": {"sequence": [{"event": "go"}]}}
LACKS = what_lacks()


class Bucket(http.server.BaseHTTPRequestHandler):
    """Gives the files of `objects` as S3 does, and notes who asks how."""
    objects, asked, refuses_signed_addresses = {}, [], False

    def do_GET(self):
        path, _, query = self.path.partition("?")
        name = path.rsplit("/", 1)[-1]
        # What a server lists now and then to find what is left over is no fetch.
        if "list-type" not in query:
            Bucket.asked.append((query, dict(self.headers)))
        body = Bucket.objects.get(name)
        if body is None or ("X-Amz-Signature=" in query and Bucket.refuses_signed_addresses):
            return self.answer(404 if body is None else 403, b"", {})
        first, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        part = body[int(first):int(last) + 1 if last else None]
        return self.answer(206, part, {"Content-Range": f"bytes {first}-{int(first) + len(part) - 1}/{len(body)}"})

    def do_HEAD(self):
        body = Bucket.objects.get(self.path.rsplit("/", 1)[-1].partition("?")[0], b"")
        self.answer(200, b"", {"Content-Length": str(len(body))})

    def answer(self, status, body, fields):
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | fields).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@unittest.skipIf(LACKS, f"missing: {LACKS}")
class RedirectTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-redirect-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def begin(self, *options):
        """A server whose content lies in a bucket, which a program of this test then is."""
        s3 = S3(self.folder / "s3")
        self.addCleanup(s3.stop)
        s3.start()
        self.cloud = Cloud(BIN, self.folder / "one", ("--blob", s3.url, *options), environment=os.environ | S3_SECRETS)
        self.addCleanup(self.cloud.server.stop)
        source = self.folder / "source"
        source.mkdir()
        (source / "task.py").write_text("def run(matched):\n    return 1\n")
        (source / "task.json").write_text(json.dumps(TASK | {"version": "1.0.0"}))
        self.cloud.cli("pack", source, "-o", self.folder / "task.fpk")
        self.cloud.cli("publish", self.folder / "task.fpk", "--dir", self.cloud.publisher)
        s3.stop()
        files = [path.read_bytes() for path in (self.folder / "s3").rglob("*_object")]
        Bucket.objects = {hashlib.sha256(file).hexdigest(): file for file in files}
        self.assertTrue(Bucket.objects)
        Bucket.asked, Bucket.refuses_signed_addresses = [], False
        server = http.server.ThreadingHTTPServer(("127.0.0.1", s3.port), Bucket)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def install(self):
        device = Device(BIN, self.folder / "device", "device", {"os": "linux", "app_version": "1.0.0", "tags": []}, poll_seconds=1)
        self.addCleanup(device.stop)
        device.start(join=self.cloud.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        device.wait_enrolled()
        self.cloud.server.api.post("/releases", {"package": "counted", "version": "1.0.0", "rule": "all", "start": True, "stages": [{"kind": "full"}]})
        wait_for("the version to run", lambda: device.status().get("packages", {}).get("counted", {}).get("version") == "1.0.0", 60)
        return [one for one in Bucket.asked if "X-Amz-Signature=" in one[0]], [one for one in Bucket.asked if "X-Amz-Signature=" not in one[0]]

    def test_devices_fetch_from_the_bucket(self):
        self.begin()
        signed, own = self.install()
        self.assertEqual((len(signed), own), (1, []))
        self.assertFalse({"Authorization", "authorization"} & set(signed[0][1]))

    def test_what_the_bucket_refuses_comes_through_the_server(self):
        self.begin()
        Bucket.refuses_signed_addresses = True
        signed, own = self.install()
        self.assertEqual(len(signed), 1)
        self.assertTrue(own)
        self.assertTrue(all("AWS4-HMAC-SHA256" in headers.get("Authorization", "") for _, headers in own))
        # A server that checks signatures looks for each of them.
        for _, headers in own:
            names = headers["Authorization"].split("SignedHeaders=")[1].split(",")[0].split(";")
            self.assertLessEqual(set(names), {name.lower() for name in headers})

    def test_no_redirect(self):
        self.begin("--no-redirect")
        signed, own = self.install()
        self.assertEqual(signed, [])
        self.assertTrue(own)


if __name__ == "__main__":
    unittest.main(verbosity=2)
