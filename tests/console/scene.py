"""A server with devices and releases in each of the states that the console shows; what the browser's cases begin from."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, Process, free_port, wait_for  # noqa: E402
import variants  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
CONSOLE = ROOT / "cloud-server/console"
RUN = pathlib.Path(__file__).with_name("run.mjs")
PICTURES = os.environ.get("FERRY_PICTURES")  # a folder that keeps what the browser showed when a case failed
# Names with markup, marks of direction and much text, as devices and apps may send them.
ODD_TAGS = ["<img src=x onerror=alert(1)>", "\u202eevil\u202c", "tag" + "x" * 200]
PROFILES = {
    "near": dict(os="linux", app_version="1.4.0", device_class="high", tags=["beta"]),
    "mid": dict(os="linux", app_version="1.5.0", device_class="mid", tags=["eu/de"]),
    "odd": dict(os="linux", app_version="1.6.0", device_class="mid", tags=ODD_TAGS),
    "far": dict(os="linux", app_version="2.1.0", device_class="low", tags=[]),
}
RULE = 'app_version < "2.0.0"'


def missing():
    """What the browser needs and is not here; empty when all is."""
    out = [program for program in ("node", "chromium") if not shutil.which(program)]
    if not (CONSOLE / "node_modules/playwright-core").is_dir():
        out.append("npm's packages of cloud-server/console (tools/dev setup_console)")
    return out


class Scene:
    """Four devices, three published versions, a bundle that is not uploaded yet."""

    def __init__(self, folder, options=()):
        self.folder = pathlib.Path(folder)
        cloud = Cloud(BIN, self.folder, options)
        self.server, self.cli, self.publisher = cloud.server, cloud.cli, cloud.publisher
        self.devices = {}
        self.api = self.server.api
        self.url, self.shown = self.server.url, None
        if os.environ.get("FERRY_CONSOLE_DEV"):  # the files of bundle/ as they are now, without building the server anew
            port = free_port()
            self.url = f"http://127.0.0.1:{port}"
            self.shown = Process(["node", CONSOLE / "serve.mjs", self.server.url, port, "--no-watch"], self.folder / "serve.log")
        try:
            self._fill()
        except BaseException:
            self.stop()
            raise

    def _fill(self):
        token = self.api.post("/join-tokens", {"uses": len(PROFILES)})["token"]
        for name, profile in PROFILES.items():
            device = self.devices[name] = Device(BIN, self.folder / name, name, profile, poll_seconds=2)
            device.start(join=token)
        # A bundle holds all that was signed before it: what is uploaded later is made last.
        self.bundles = {}
        for version, extra in (("1.0.0", ()), ("3.0.0", ("--fallback", "1.0.0")), ("4.0.0", ("--fallback", "1.0.0"))):
            self.bundles[version] = self.bundle(version, *extra)
            if version != "4.0.0":
                self.cli("publish", "--from-bundle", self.bundles[version])
        for device in self.devices.values():
            device.wait_enrolled()

    def bundle(self, version, *extra):
        folder = variants.make(ROOT / "tasks/digits", self.folder / f"digits-{version}", version)
        package, bundle = self.folder / f"{version}.fpk", self.folder / f"{version}.bundle"
        self.cli("pack", folder, "-o", package)
        self.cli("publish", package, "--dir", self.publisher, "--bundle", bundle, *extra)
        return bundle

    def release(self, version, stages, **more):
        body = {"package": "digits", "version": version, "rule": RULE, "stages": stages, "start": True, **more}
        return self.api.post("/releases", body)["id"]

    def wait_state(self, release, state, seconds=60):
        wait_for(f"{release} to be {state}", lambda: self.api.get(f"/releases/{release}")["state"] == state, seconds)

    def facts(self):
        """What the browser's cases are told."""
        return {"url": self.url, "password": self.server.password, "folder": str(self.folder), "rule": RULE,
                "devices": {name: device.id for name, device in self.devices.items()},
                "bundles": {version: str(path) for version, path in self.bundles.items()}}

    def do(self, request):
        """Carries out what a case asks for: the name of one of the methods below, with its arguments."""
        return getattr(self, f"do_{request['do']}")(*request.get("with", []))

    def do_api(self, method, path, body=None):
        return self.api.call(method, path, body)

    def do_release(self, version, stages, more):
        return self.release(version, stages, **more)

    def do_wait_state(self, release, state):
        self.wait_state(release, state)

    def do_stop_server(self):
        self.server.stop()

    def do_start_server(self):
        self.server.start()

    def do_console_line(self):
        return self.server.console_line().replace(self.server.url, self.url)

    def do_publish(self, version):
        self.cli("publish", "--from-bundle", self.bundles[version])

    def do_running(self, name):
        return self.devices[name].status().get("packages", {}).get("digits", {}).get("version")

    def stop(self):
        if self.shown:
            self.shown.stop()
        for device in self.devices.values():
            device.stop()
        self.server.stop()


def serve(scene, child):
    """Answers the requests of a browser's program, lines "@{json}" of its output, until it ends; prints and gives its other lines."""
    rest = []
    for line in child.stdout:
        if not line.startswith("@"):
            rest.append(line.rstrip("\n"))
            print(rest[-1], flush=True)
            continue
        try:
            answer = {"ok": scene.do(json.loads(line[1:]))}
        except Exception as error:  # the case decides what a refusal means
            answer = {"error": str(error)}
        child.stdin.write(json.dumps(answer) + "\n")
        child.stdin.flush()
    return rest


def play(make, cases, names=()):
    """Runs the cases of a folder, those whose name holds one of `names`, before a scene of their own; the line of each."""
    with tempfile.TemporaryDirectory(prefix="ferry-console-") as folder:
        stage = make(folder)
        try:
            with subprocess.Popen(["node", str(RUN), *names], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  env=os.environ | {"FERRY_SCENE": json.dumps(stage.facts()), "FERRY_CASES": cases}) as child:
                lines = serve(stage, child)
        finally:
            stage.stop()
            if PICTURES and (stage.folder / "pictures").is_dir():
                shutil.copytree(stage.folder / "pictures", PICTURES, dirs_exist_ok=True)
    return lines
