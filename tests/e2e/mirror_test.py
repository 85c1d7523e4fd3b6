"""Content from a mirror: a web server with a copy of the content folder and a certificate of the server's authority."""
import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, free_port, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
TASK = {"name": "mirrored", "version": "1.0.0", "script": "task.py", "entry": "run",
        "trigger": {"sequence": [{"event": "go"}]}}


class Content(http.server.BaseHTTPRequestHandler):
    """GET /content/<sha256> with ranges, as any web server does it."""
    protocol_version = "HTTP/1.1"

    def __init__(self, folder, served, *arguments):
        self.folder, self.served = folder, served
        super().__init__(*arguments)

    def do_GET(self):
        name = self.path.removeprefix("/content/")
        body = (self.folder / name[:2] / name).read_bytes()
        start = int(re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "bytes=0-"))[1])
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.end_headers()
        self.wfile.write(body[start:])
        self.served.append((name, self.headers.get("Authorization")))

    def log_message(self, *arguments):
        pass


class MirrorTest(unittest.TestCase):
    def test_devices_fetch_from_the_mirror(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-mirror-")
        self.addCleanup(folder.cleanup)
        folder = pathlib.Path(folder.name)
        cloud = Cloud(BIN, folder)
        self.addCleanup(cloud.server.stop)
        home = cloud.server.folder
        made = json.loads(subprocess.run(
            [str(BIN / "ferry-server"), "certificate", "127.0.0.1", "--dir", str(home), "--out", str(folder / "mirror"), "--json"],
            check=True, capture_output=True, text=True).stdout)
        self.assertEqual(os.stat(made["key"]).st_mode & 0o777, 0o600)
        served = []
        mirror = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Content, home / "content", served))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.set_alpn_protocols(["http/1.1"])
        context.load_cert_chain(made["certificate"], made["key"])
        mirror.socket = context.wrap_socket(mirror.socket, server_side=True)
        threading.Thread(target=mirror.serve_forever, daemon=True).start()
        self.addCleanup(mirror.server_close)
        self.addCleanup(mirror.shutdown)

        cloud.server.stop()
        cloud.server.start("--mirror", f"127.0.0.1:{mirror.server_port}")
        device = Device(BIN, folder / "device", "device", {"os": "linux", "app_version": "1.0.0"}, poll_seconds=1)
        self.addCleanup(device.stop)
        device.start(join=cloud.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        device.wait_enrolled()
        source = folder / "source"
        source.mkdir()
        (source / "task.py").write_text("def run(matched):\n    return 1\n")
        (source / "task.json").write_text(json.dumps(TASK))
        cloud.cli("pack", source, "-o", folder / "task.fpk")
        cloud.cli("publish", folder / "task.fpk", "--dir", cloud.publisher)
        (folder / "stages.json").write_text(json.dumps([{"kind": "full"}]))
        cloud.cli("release", "start", "--package", "mirrored", "--version", "1.0.0", "--rule", 'os == "linux"',
                  "--stages", folder / "stages.json")
        wait_for("the device to run it", lambda: "mirrored" in device.status().get("packages", {}))
        log = (device.folder / "device.log").read_text()
        self.assertEqual(len(served), 1, log)
        self.assertIsNone(served[0][1], "no token for the mirror")


    def test_a_folder_is_filled_for_any_web_server(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-mirror-")
        self.addCleanup(folder.cleanup)
        folder = pathlib.Path(folder.name)
        cloud = Cloud(BIN, folder)
        self.addCleanup(cloud.server.stop)
        source = folder / "source"
        source.mkdir()
        for version in ("1.0.0", "1.1.0"):
            (source / "task.py").write_text(f"def run(matched):\n    return {version[2]}\n")
            (source / "task.json").write_text(json.dumps(TASK | {"version": version}))
            cloud.cli("pack", source, "-o", folder / "task.fpk")
            cloud.cli("publish", folder / "task.fpk", "--dir", cloud.publisher)
        mirror = folder / "mirror"

        def sync(*options):
            return cloud.cli("mirror", "sync", mirror, *options)

        first = sync()
        self.assertEqual((first["files"], first["fetched"]), (len(list((mirror / "content").iterdir())),) * 2)
        self.assertGreaterEqual(first["files"], 2)
        for file in (mirror / "content").iterdir():
            self.assertEqual(file.read_bytes(), (cloud.server.folder / "content" / file.name[:2] / file.name).read_bytes())
            self.assertEqual(hashlib.sha256(file.read_bytes()).hexdigest(), file.name)
        self.assertEqual(sync()["fetched"], 0)
        # What is cut is fetched again, what no package names goes when that is asked for.
        cut = next((mirror / "content").iterdir())
        cut.write_bytes(cut.read_bytes()[:-1])
        (mirror / "content/other").write_text("x")
        again = sync()
        self.assertEqual((again["fetched"], again["removed"]), (1, 0))
        self.assertEqual(sync("--remove")["removed"], 1)
        self.assertFalse((mirror / "content/other").exists())
    def test_any_web_server_is_a_mirror_and_wrong_bytes_name_it(self):
        """Three of them: one with the right files, one that flips bits in them, one that is not there."""
        folder = tempfile.TemporaryDirectory(prefix="ferry-mirror-")
        self.addCleanup(folder.cleanup)
        folder = pathlib.Path(folder.name)
        cloud = Cloud(BIN, folder)
        self.addCleanup(cloud.server.stop)
        good, bad = folder / "good", folder / "bad"
        (bad / "deep/content").mkdir(parents=True)
        ports = [free_port() for _ in range(3)]
        for port, root in zip(ports, (good, bad)):
            root.mkdir(exist_ok=True)
            with (folder / f"web-{root.name}.log").open("w") as log:
                web = subprocess.Popen([sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(root)],
                                       stdout=subprocess.DEVNULL, stderr=log)
            self.addCleanup(web.wait)
            self.addCleanup(web.terminate)
        # In this order the wrong one comes next to the one that is not there: two of three first tries meet it.
        urls = [f"http://127.0.0.1:{ports[0]}", f"http://127.0.0.1:{ports[2]}", f"http://127.0.0.1:{ports[1]}/deep/"]
        cloud.server.stop()
        cloud.server.start(*(part for url in urls for part in ("--mirror", url)))
        device = Device(BIN, folder / "device", "device", {"os": "linux", "app_version": "1.0.0"}, poll_seconds=1)
        self.addCleanup(device.stop)
        device.start(join=cloud.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        device.wait_enrolled()
        wait_for("the device to connect", device.connected)
        source = folder / "source"
        source.mkdir()
        (folder / "stages.json").write_text(json.dumps([{"kind": "full"}]))
        told = ""
        # A device begins with any of them.
        for number in range(1, 10):
            version = f"1.{number}.0"
            (source / "task.py").write_text(f"TEXT = '{os.urandom(200_000).hex()}'\ndef run(matched):\n    return {number}\n")
            (source / "task.json").write_text(json.dumps(TASK | {"version": version}))
            cloud.cli("pack", source, "-o", folder / "task.fpk")
            cloud.cli("publish", folder / "task.fpk", "--dir", cloud.publisher)
            cloud.cli("mirror", "sync", good)
            for file in (good / "content").iterdir():
                held = bytearray(file.read_bytes())
                held[len(held) // 2] ^= 1
                (bad / "deep/content" / file.name).write_bytes(held)
            cloud.cli("release", "start", "--package", "mirrored", "--version", version, "--rule", 'os == "linux"', "--stages", folder / "stages.json")
            wait_for(f"the device to run {version}",
                     lambda version=version: device.status().get("packages", {}).get("mirrored", {}).get("version") == version, 60)
            # The next one may begin once the server knows that this one is through.
            wait_for(f"the release of {version} to end",
                     lambda version=version: any(row["version"] == version and row["state"] == "complete"
                                                 for row in cloud.server.api.get("/releases")["releases"]))
            reports = cloud.server.api.get(f"/devices/{device.id}")["reports"]
            told = next((row["error_text"] for row in reports if row["step"] == "pulled" and row["error_text"]), "")
            if told:
                break
        self.assertEqual(told, f"mirror {urls[2]} gave wrong bytes", f"{number} versions; {reports}")
        # The right files came from the right mirror alone, none from the server; one that was wrong rests.
        log = (folder / "web-good.log").read_text()
        self.assertEqual(len(re.findall(r'"GET /content/\w+ HTTP/1.1" 200', log)), number, log)
        asked = (folder / "web-bad.log").read_text().count("GET /deep/content/")
        self.assertEqual(asked, 1)


if __name__ == "__main__":
    unittest.main()
