"""Idle TLS connections: memory of one, and how soon all of them hear of a release, beside mosquitto with TLS and one message."""
import json
import os
import pathlib
import resource
import selectors
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools/demo"))
sys.path.insert(0, str(ROOT / "tests/e2e/cluster"))
from fleet import Cloud, free_port  # noqa: E402
from parts import wait_for_port  # noqa: E402

from floors import at_most  # noqa: E402

FILES_BESIDE = 600  # that the processes need for other things
OF_ONE_ADDRESS = 7_900  # lines that a server takes: all come from one here
SETTLE_S = 3
TASK = {"name": "wake", "version": "1.0.0", "script": "task.py", "entry": "on_visit", "trigger": {"sequence": [{"event": "visit"}]}}
MOSQUITTO = """listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
max_connections -1
certfile {folder}/cert.pem
keyfile {folder}/key.pem
tls_version tlsv1.3
persistence false
log_dest none
"""


def resident_bytes(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) << 10


def p99(values):
    return sorted(values)[int(0.99 * (len(values) - 1))]


class Mosquitto:
    def __init__(self, folder):
        self.port = free_port()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                        "-subj", "/CN=localhost", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"], check=True, capture_output=True)
        (folder / "m.conf").write_text(MOSQUITTO.format(port=self.port, folder=folder))
        # It gives up root's rights, and could not read what lies here then.
        command = [shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", str(folder / "m.conf")]
        for part in (folder, folder / "key.pem", folder / "cert.pem", folder / "m.conf"):
            os.chmod(part, 0o755)
        self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port, self.child)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def connect(self, name):
        plain = socket.create_connection(("127.0.0.1", self.port))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line = self.context.wrap_socket(plain)
        client = name.encode()
        body = b"\0\4MQTT\4\2\0\0" + struct.pack(">H", len(client)) + client
        line.sendall(bytes([0x10, len(body)]) + body)
        if line.recv(4)[:1] != b"\x20":
            raise SystemExit("mosquitto did not take a client")
        return line

    def stop(self):
        self.child.terminate()
        self.child.wait(20)


def mosquitto(count):
    """(bytes of one connection, milliseconds until each of them had one message)"""
    with tempfile.TemporaryDirectory() as text:
        server = Mosquitto(pathlib.Path(text))
        try:
            before = resident_bytes(server.child.pid)
            lines, waiting = [], selectors.DefaultSelector()
            for number in range(count):
                line = server.connect(f"device-{number:08}")
                line.sendall(b"\x82\x09\0\1\0\4wake\0")
                line.recv(5)
                line.setblocking(False)
                waiting.register(line, selectors.EVENT_READ)
                lines.append(line)
            time.sleep(SETTLE_S)
            each = (resident_bytes(server.child.pid) - before) / count
            speaker = server.connect("speaker")
            begun, came = time.monotonic(), []
            speaker.sendall(b"\x30\x0d\0\4wakerelease")
            while len(came) < count and time.monotonic() - begun < 120:
                for key, _ in waiting.select(1):
                    try:
                        if key.fileobj.recv(64):
                            came.append(1000 * (time.monotonic() - begun))
                    except ssl.SSLWantReadError:
                        pass
            for line in lines:
                line.close()
            return each, came
        finally:
            server.stop()


class Idle:
    """ferry-lines: devices that do nothing."""

    def __init__(self, bin_dir, token, count):
        self.child = subprocess.Popen([bin_dir / "ferry-lines", token, "--count", str(count)], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        self.first = json.loads(self.child.stdout.readline())

    def woken(self, count):
        self.child.stdin.write(f"woken {count}\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())

    def stop(self):
        self.child.stdin.close()
        self.child.wait(60)


def ferry(options, count):
    with tempfile.TemporaryDirectory(dir=options.bin.resolve().parent) as text:
        folder = pathlib.Path(text)
        cloud = Cloud(options.bin, folder)
        try:
            (folder / "task").mkdir()
            (folder / "task/task.py").write_text("def on_visit(matched):\n    return 1\n")
            (folder / "task/task.json").write_text(json.dumps(TASK))
            cloud.cli("pack", folder / "task", "-o", folder / "wake.fpk")
            cloud.cli("publish", folder / "wake.fpk", "--dir", cloud.publisher)
            pid = cloud.server.process.child.pid
            before = resident_bytes(pid)
            token = cloud.server.api.post("/join-tokens", {"uses": count, "valid_ms": 3_600_000})["token"]
            idle = Idle(options.bin, token, count)
            time.sleep(SETTLE_S)
            each = (resident_bytes(pid) - before) / count
            begun = time.monotonic()
            cloud.server.api.post("/releases", {"package": "wake", "version": "1.0.0", "rule": "all", "start": True,
                                                "stages": [{"kind": "full"}], "rate": {"per_minute": 1_000_000}})
            came = [at - 1000 * begun for at in idle.woken(count)]
            idle.stop()
            return each, came
        finally:
            cloud.server.stop()


def measure(options, say):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(options.lines, hard - FILES_BESIDE, OF_ONE_ADDRESS)
    ours, woken = ferry(options, count)
    theirs, told = mosquitto(count)
    say(f"  {count} idle lines: {ours / 1024:.1f} KiB each, mosquitto {theirs / 1024:.1f} KiB; all hear of a release after "
        f"{p99(woken):.0f} ms (p99, {len(woken)} did), of a message of mosquitto after {p99(told):.0f} ms ({len(told)})")
    return {"rows": [{"lines": count, "bytes": ours, "mosquitto_bytes": theirs, "woken_p99_ms": p99(woken), "mosquitto_p99_ms": p99(told)}],
            "floors": [at_most("memory of an idle line, times mosquitto's", ours / theirs, 1.5, 1),
                       at_most("p99 of waking all, times mosquitto's", p99(woken) / p99(told), 2, 1)]}
