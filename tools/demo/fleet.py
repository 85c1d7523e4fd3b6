"""Ferry's programs as Python objects: the server, devices, and the command line. Used by the demo and by tests."""
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request


class Failed(Exception):
    """A step did not end as it must; the text says what was seen."""


# Below the range that Linux gives to outgoing connections (32768 on), so that none of those takes a port between
# the look and the server's bind.
PORTS = range(20_000, 32_000)


def free_port():
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def wait_for(what, check, seconds=60, every=0.1):
    """Polls check() until it gives something true, and returns that; Failed names `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failed(f"waited {seconds} s for {what}")
        time.sleep(every)


# A device that lost its server tries again within a minute, and may then wait for a handshake.
COME_BACK_SECONDS = 150


class Process:
    """A child that is always ended: SIGTERM, then SIGKILL after `grace` seconds."""

    def __init__(self, command, log, **options):
        self.log = pathlib.Path(log)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self._out = open(self.log, "ab")
        self.child = subprocess.Popen([str(part) for part in command], stdout=self._out, stderr=self._out, **options)

    def running(self):
        return self.child.poll() is None

    def stop(self, grace=10):
        if self.running():
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(grace)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        self._out.close()
        return self.child.returncode

    def kill(self):
        """The way a machine loses power: no time to tidy up."""
        self.child.kill()
        self.child.wait()
        self._out.close()

    def tail(self, lines=20):
        text = self.log.read_text(errors="replace").splitlines()
        return "\n".join(text[-lines:])


class Cli:
    """The `ferry` command line; every call uses --json."""

    def __init__(self, bin_dir, environment=None):
        self.program = pathlib.Path(bin_dir) / "ferry"
        self.environment = {**os.environ, **(environment or {})}

    def run(self, *arguments):
        command = [str(self.program), *map(str, arguments), "--json"]
        return subprocess.run(command, capture_output=True, text=True, env=self.environment)

    def __call__(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            raise Failed(f"ferry {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)


class Api:
    """The admin REST of a server."""

    def __init__(self, url):
        self.url = url
        self.token = None

    def call(self, method, path, body=None):
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/api/v1{path}", data=data, method=method)
        request.add_header("Content-Type", "application/octet-stream" if isinstance(body, bytes) else "application/json")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.loads(response.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise Failed(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from None

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body=None):
        return self.call("POST", path, {} if body is None else body)

    def put(self, path, body):
        return self.call("PUT", path, body)

    def login(self, password):
        self.token = self.post("/login", {"password": password})["token"]


def new_database():
    """--store and a new database, where tests run on PostgreSQL (tests/e2e/cluster/on_postgres.py); else nothing."""
    where = os.environ.get("FERRY_TEST_POSTGRES")
    if not where:
        return []
    programs, url = where.split(" ")
    name = f"ferry_{os.getpid()}_{time.monotonic_ns()}"
    subprocess.run([f"{programs}/createdb", f"--maintenance-db={url}/postgres", name], check=True)
    return ["--store", f"{url}/{name}"]


class Server:
    """ferry-server with its own directory and ports of its own; `options` are given at each start."""

    def __init__(self, bin_dir, folder, options=(), environment=None):
        self.bin = pathlib.Path(bin_dir)
        self.environment = environment
        self.options = list(options)
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.admin_port = free_port()
        self.url = f"http://127.0.0.1:{self.admin_port}"
        self.api = Api(self.url)
        self.process = None
        self.password = None
        self.store = []

    def init(self, *extra):
        if "--store" not in (*self.options, *extra):
            self.store = new_database()
        done = subprocess.run([str(self.bin / "ferry-server"), "init", "--dir", str(self.folder), "--json", *self.store, *extra],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"ferry-server init: {done.stdout}{done.stderr}")
        answer = json.loads(done.stdout)
        self.password = answer["admin_password"]
        return answer

    def start(self, *extra):
        self.process = Process([self.bin / "ferry-server", "run", "--dir", self.folder, "--port", self.port,
                                "--admin-port", self.admin_port, "--device-program", self.bin / "ferry-device", *self.store, *self.options, *extra],
                               self.folder.parent / "server.log", env=self.environment)
        wait_for("the server's admin port", self._answers)

    def _answers(self):
        if not self.process.running():
            raise Failed(f"the server ended by itself:\n{self.process.tail()}")
        try:
            with socket.create_connection(("127.0.0.1", self.admin_port), 1):
                return True
        except OSError:
            return False

    def one_time_password(self):
        """The one-time password of the newest start that printed one into the log of all starts; earlier ones are void."""
        passwords = re.findall(r"^one-time password: (\S+)$", self.process.log.read_text(), re.MULTILINE)
        return passwords[-1] if passwords else None

    def console_line(self):
        """Where the console is and what signs in there, tried before it is told."""
        Api(self.url).login(self.password)
        return f"Console: {self.url}/   user: admin   password: {self.password}"

    def stop(self):
        if self.process:
            self.process.stop()

    def kill(self):
        self.process.kill()


class Cloud:
    """A running server, and a publisher whose offline keys it knows."""

    def __init__(self, bin_dir, folder, options=(), tenant=None, environment=None):
        self.publisher = pathlib.Path(folder) / "publisher"
        self.server = Server(bin_dir, pathlib.Path(folder) / "server", options, environment)
        online = self.server.init(*(["--tenant", tenant] if tenant else []))
        self.server.start()
        self.server.api.login(self.server.password)
        self.cli = Cli(bin_dir, {"FERRY_SERVER": self.server.url, "FERRY_TOKEN": self.server.api.token})
        self.cli("keys", "init", "--dir", self.publisher, "--online-keys", online["online_keys"])
        self.cli("keys", "upload", "--dir", self.publisher)


class Chat:
    """`ferry chat --split`: an app with the SDK, a device of its own. Prompts go in as lines; each is answered alone."""

    def __init__(self, bin_dir, state, *options):
        self.command = [pathlib.Path(bin_dir) / "ferry", "chat", "--split", "--state", state, "--template", "off", *options]

    def ask(self, *prompts):
        """Runs to its end; the turns, each with its ids and figures."""
        lines = "".join(f"{prompt}\n/reset\n" for prompt in prompts)
        done = subprocess.run([str(part) for part in self.command] + ["--json"], input=lines, capture_output=True, text=True,
                              timeout=300)
        if done.returncode != 0:
            raise Failed(f"ferry chat --split: status {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)["turns"]

    @contextlib.contextmanager
    def stays(self):
        """The app is there, and silent, until the block ends."""
        child = subprocess.Popen([str(part) for part in self.command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE)
        try:
            yield
            _, remarks = child.communicate(timeout=60)
        finally:
            child.kill()
            child.wait()
        if child.returncode != 0:
            raise Failed(f"ferry chat --split: status {child.returncode}\n{remarks.decode(errors='replace')}")

    def stream(self, prompt, after_first):
        """One answer as a person sees it; `after_first` is called when its first text is there, with a function that types
        a line. (text, remarks, figures)"""
        child = subprocess.Popen([str(part) for part in self.command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, bufsize=0)
        try:
            def write(line):
                child.stdin.write(f"{line}\n".encode())
            write(prompt)
            first = child.stdout.read(1)
            after_first(write)
            rest, remarks = child.communicate(b"/stats\n", timeout=120)
        finally:
            child.kill()
            child.wait()
        remarks = remarks.decode(errors="replace")
        if child.returncode != 0:
            raise Failed(f"ferry chat --split: status {child.returncode}\n{remarks}")
        figures = [json.loads(line) for line in remarks.splitlines() if line.startswith("{")][-1]["last"]
        return (first + rest).decode(errors="replace"), remarks, figures


class Device:
    """One ferry-device process: events go in as lines of a file, results and status come out as files."""

    def __init__(self, bin_dir, folder, name, profile, push=True, poll_seconds=3, environment=None, options=()):
        self.bin = pathlib.Path(bin_dir)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.profile = profile
        self.push = push
        self.environment = environment
        self.poll_seconds = poll_seconds
        self.options = options
        self.events = self.folder / "events.jsonl"
        self.results = self.folder / "results.jsonl"
        self.events.touch()
        (self.folder / "profile.json").write_text(json.dumps(profile))
        self.process = None
        self.id = None

    def command(self, join=None):
        command = [self.bin / "ferry-device", "run", "--dir", self.folder / "state", "--profile", self.folder / "profile.json",
                   "--events", self.events, "--results", self.results, "--status-file", self.folder / "status.json",
                   "--poll-seconds", self.poll_seconds, *self.options]
        command += ["--join", join] if join else []
        return command + ([] if self.push else ["--no-push"])

    def start(self, join=None):
        self.process = Process(self.command(join), self.folder / "device.log", env=self.environment)

    def status(self):
        """What the device says of itself: the status file, replaced atomically; {} before the first."""
        try:
            return json.loads((self.folder / "status.json").read_text())
        except FileNotFoundError:
            return {}

    def connected(self):
        return self.status().get("mode") == "connected"

    def wait_enrolled(self):
        """The id is known from the key alone; the server knows it only once it answered."""
        wait_for(f"{self.name} to enrol", lambda: self.status().get("mode", "enrolling") != "enrolling")
        self.id = self.status()["device_id"]
        return self.id

    def send(self, lines):
        with open(self.events, "a") as file:
            file.write("".join(line + "\n" for line in lines))

    def result_lines(self):
        if not self.results.exists():
            return []
        return [json.loads(line) for line in self.results.read_text().splitlines() if line.endswith("}")]

    def stop(self):
        if self.process:
            self.process.stop()
