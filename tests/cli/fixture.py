"""What the tests of the `ferry` command line share: running it, a task folder, ONNX bytes, a stand-in for the server."""
import base64
import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

PROGRAM = pathlib.Path(os.environ.get("FERRY_BIN", "build/release/bin")) / "ferry"

TASK = {
    "name": "sums", "version": "1.0.0", "script": "task.py", "entry": "on_trigger",
    "trigger": {"sequence": [{"event": "number"}]},
    "streams": [{"name": "sums.row", "source": "sums.row", "operators": [], "upload": True}],
}
SCRIPT = "def on_trigger(matched):\n    return {'sum': sum(matched[-1]['data']['numbers'])}\n"


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    """One field of a protobuf message: text and bytes with a length, integers as varints."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def onnx(operator, shape=(1, 4), element=1, x="x"):
    """An ONNX model of one node y = operator(x), both of one shape and ONNX element type, f32 (ModelProto of the specification)."""
    def value(name):
        dims = b"".join(field(1, field(1, size)) for size in shape)
        return field(1, name) + field(2, field(1, field(1, element) + field(2, dims)))
    node = field(1, x) + field(2, "y") + field(3, "node_7") + field(4, operator)
    graph = field(1, node) + field(2, "one") + field(11, value(x)) + field(12, value("y"))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


class Done:
    """How one run of the program ended."""

    def __init__(self, finished):
        self.status, self.out, self.err = finished.returncode, finished.stdout, finished.stderr

    def json(self):
        return json.loads(self.out)


class Server:
    """Answers like the admin REST and remembers what it got; `answers` maps "GET /path" to (status, JSON)."""

    def __init__(self):
        self.answers, self.calls, self.content = {}, [], {}
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def _any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                path = self.path.removeprefix("/api/v1")
                outer.calls.append((self.command, path, body, self.headers.get("Authorization")))
                if path.startswith("/content/"):
                    outer.content[path.removeprefix("/content/")] = body
                missing = 404, {"error": {"code": 2, "name": "not_found", "text": "nothing there"}}
                wrote = 200, {}
                default = missing if self.command == "GET" else wrote
                status, answer = outer.answers.get(f"{self.command} {path.split('?')[0]}", default)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            do_DELETE = do_GET = do_POST = do_PUT = _any

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def bodies(self, method, path):
        return [json.loads(body) for called, at, body, _ in self.calls if (called, at) == (method, path)]


class CliTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="ferry-cli-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("FERRY_")}
        self.environment["FERRY_CONFIG"] = str(self.folder / "login.json")

    def ferry(self, *arguments, **environment):
        return Done(subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                                   stdin=subprocess.DEVNULL, env={**self.environment, **environment}))

    def good(self, *arguments):
        done = self.ferry(*arguments, "--json")
        self.assertEqual(done.status, 0, done.err)
        return done.json()

    def bad(self, name, *arguments):
        """Runs a command that must fail with this error of the table, in one line; gives that line."""
        done = self.ferry(*arguments)
        self.assertEqual(done.status, 1, f"{done.out}{done.err}")
        self.assertTrue(done.err.startswith(f"ferry: {name}: "), done.err)
        as_json = self.ferry(*arguments, "--json")
        self.assertEqual(as_json.json()["error"]["name"], name)
        return done.err

    def serve(self):
        server = Server()
        self.addCleanup(server.close)
        self.environment.update(FERRY_SERVER=server.url, FERRY_TOKEN="secret")
        return server

    def task(self, name="task", version="1.0.0", script=SCRIPT, **changes):
        folder = self.folder / name
        folder.mkdir()
        (folder / "task.py").write_text(script)
        (folder / "task.json").write_text(json.dumps({**TASK, "version": version, **changes}))
        return folder

    def pack(self, version="1.0.0", weights=b"", script=SCRIPT):
        folder = self.task(f"task-{version}", version, script, resources=["weights.bin"])
        (folder / "weights.bin").write_bytes(weights)
        package = self.folder / f"sums-{version}.fpk"
        self.good("pack", folder, "-o", package)
        return package

    def keys(self, *extra):
        online = self.folder / "online.json"
        keys = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("director", "snapshot", "timestamp")}
        # The base point of X25519: any device of the curve may stand for the escrow key here.
        online.write_text(json.dumps({"type": "ferry-online-keys", "escrow": "09" + "00" * 31, **keys}))
        publisher = self.folder / "publisher"
        self.good("keys", "init", "--dir", publisher, "--online-keys", online, *extra)
        return publisher


def targets_of(body):
    """The signed part of the targets document in the body of a publication."""
    return json.loads(base64.b64decode(body["targets"]))["signed"]
