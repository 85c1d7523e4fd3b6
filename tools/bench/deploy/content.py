"""How much content over TLS a second of one processor gives, beside nginx with the same file, cipher and client."""
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, free_port, Process, wait_for  # noqa: E402

SIZE = 64 << 20  # of the package
DOWNLOADS = 6  # of a round, on two connections
ROUNDS = 5
CIPHER = "TLS_AES_128_GCM_SHA256"
FLOOR, AIM = 0.6, 0.9
NGINX = """daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{ access_log off; sendfile on; client_body_temp_path {folder}/t; proxy_temp_path {folder}/t; fastcgi_temp_path {folder}/t;
uwsgi_temp_path {folder}/t; scgi_temp_path {folder}/t;
server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {certificate}; ssl_certificate_key {key}; ssl_protocols TLSv1.3;
root {folder}/content; }} }}
"""


def processor_seconds(process):
    """User and system time of a process and its children that live."""
    total, pids = 0, [process.child.pid]
    while pids:
        pid = pids.pop()
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
        pids += [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return total / os.sysconf("SC_CLK_TCK")


class Served:
    """One server of the file: bytes a second of its processor, and of the clock, by round."""

    def __init__(self, process, url, *headers):
        self.process, self.url, self.headers = process, url, headers
        self.per_processor, self.per_clock = [], []

    def download(self):
        command = ["curl", "-sfk", "--no-progress-meter", "--tls13-ciphers", CIPHER, "-Z", "--parallel-max", "2"]
        for header in self.headers:
            command += ["-H", header]
        for _ in range(DOWNLOADS):
            command += [self.url, "-o", "/dev/null"]
        before, begun = processor_seconds(self.process), time.monotonic()
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        spent = processor_seconds(self.process) - before
        self.per_processor.append(DOWNLOADS * SIZE / spent)
        self.per_clock.append(DOWNLOADS * SIZE / (time.monotonic() - begun))


def sealed_file(cloud, folder):
    """A package of that size, published; the path of its sealed file."""
    (folder / "task").mkdir()
    (folder / "task/task.json").write_text(json.dumps({
        "name": "large", "version": "1.0.0", "script": "task.py", "entry": "run", "trigger": {"sequence": [{"event": "tick"}]},
        "resources": ["weights.bin"]}))
    (folder / "task/task.py").write_text("def run(matched):\n    return 1\n")
    (folder / "task/weights.bin").write_bytes(os.urandom(SIZE))
    cloud.cli("pack", folder / "task", "-o", folder / "large.fpk")
    cloud.cli("publish", folder / "large.fpk", "--dir", cloud.publisher)
    return max((cloud.server.folder / "content").glob("*/*"), key=lambda path: path.stat().st_size)


def token(server, device):
    """As the server gives one to a device that logged in."""
    secret = bytes.fromhex(json.loads((server.folder / "keys/content.key").read_text())["private"])
    said = f"{device}.{int(time.time() * 1000) + 3_600_000}"
    return f"{said}.{hmac.new(secret, f'ferry content v1.{said}'.encode(), hashlib.sha256).hexdigest()}"


def start_nginx(folder, server, sealed):
    port = free_port()
    (folder / "content").mkdir()
    shutil.copy(sealed, folder / "content" / sealed.name)
    for path in (folder, folder / "content"):
        path.chmod(0o755)
    (folder / "content" / sealed.name).chmod(0o644)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, certificate=server.folder / "server.pem",
                                                    key=server.folder / "server.key"))
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    process = Process([program, "-c", folder / "nginx.conf"], folder / "nginx.log")
    wait_for("nginx", (folder / "nginx.pid").exists, 10)
    return Served(process, f"https://127.0.0.1:{port}/{sealed.name}")


def measure(options, say):
    with tempfile.TemporaryDirectory(prefix="ferry-content-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        cloud = Cloud(options.bin, folder)
        device = Device(options.bin, folder / "device", "device", {"os": "linux"})
        nginx = None
        try:
            device.start(join=cloud.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
            device.wait_enrolled()
            sealed = sealed_file(cloud, folder)
            ours = Served(cloud.server.process, f"https://127.0.0.1:{cloud.server.port}/content/{sealed.name}",
                          f"Authorization: Bearer {token(cloud.server, device.id)}")
            (folder / "nginx").mkdir()
            nginx = start_nginx(folder / "nginx", cloud.server, sealed)
            for _ in range(ROUNDS):
                ours.download()
                nginx.download()
        finally:
            if nginx:
                nginx.process.stop()
            device.stop()
            cloud.server.stop()
    ratio = statistics.median(a / b for a, b in zip(ours.per_processor, nginx.per_processor))
    for name, served in (("ferry-server", ours), ("nginx", nginx)):
        say(f"  {name:<12} {statistics.median(served.per_processor) / 1e6:6.0f} MB a second of processor, "
            f"{statistics.median(served.per_clock) / 1e6:6.0f} MB/s by the clock")
    return {"rows": [{"server": name, "bytes_per_processor_second": served.per_processor, "bytes_per_second": served.per_clock}
                     for name, served in (("ferry-server", ours), ("nginx", nginx))],
            "floors": [{"what": "content over TLS a second of processor, times nginx", "value": round(ratio, 2), "floor": FLOOR,
                        "aim": AIM, "ok": ratio >= FLOOR}]}
