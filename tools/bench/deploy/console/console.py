"""The console with a fleet of 100,000 made-up devices: what operators wait for, beside the floors of it."""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Server  # noqa: E402

# What must hold: (key, floor, whether more is better, aim).
FLOORS = (
    ("lcp_ms", 1000, False, None), ("search_p95_ms", 200, False, None), ("update_ms", 500, False, None),
    ("update_bytes", 50_000, False, None), ("tab_mb", 200, False, None), ("tabs_live", 20, True, None),
    ("list_rps", 500, True, 2000), ("list_p99_ms", 50, False, None),
)
# What people look for: by words as they type them, by conditions, sorted; each is asked of the list and of the facets.
SEARCHES = (
    *(f'text("{word}")' for word in ("b", "be", "ber", "berl", "a1", "a1f", "a1f0", "1.4", "nowhere at all", "kiosk")),
    'os == "android"', 'os == "linux" and app_version < "2.0.0"', 'app_version in ">=1.2 <2"', 'device_class in ("high", "mid")',
    'tag("beta")', 'not tag("beta")', 'tag("eu/de") or os == "ios"', 'percent(5)', 'percent(20, "salt")', 'last_seen_ms > 1000',
    'blocked == "true"', 'free_space > 1 GiB and memory >= 2 GiB', 'runtime_version >= "1.0.0"', 'runs("digits")',
    'os == "android" and (app_version >= "1.5.0" or tag("beta")) and not (device_class == "low")', 'extra("region") == "eu"',
)
SORTS = ("", "-last_seen_ms", "app_version", "os,-free_bytes")


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def timed_ms(work):
    begun = time.monotonic()
    work()
    return (time.monotonic() - begun) * 1e3


class Bench:
    def __init__(self, options, folder, say):
        self.options, self.folder, self.say, self.figures = options, pathlib.Path(folder), say, {}
        self.server = Server(options.bin, self.folder / "server")

    def start(self):
        command = [self.options.bin / "ferry-server", "fill", "--devices", self.options.devices, "--seed", 1, "--json", self.folder / "server"]
        begun = time.monotonic()
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
        self.server.password = json.loads(done.stdout)["admin_password"]
        self.say(f"{self.options.devices} devices made in {time.monotonic() - begun:.1f} s")
        self.server.start()
        self.server.api.login(self.server.password)
        first = timed_ms(lambda: self.server.api.get("/devices?limit=100"))
        self.note("first_list_ms", first, "the first list after the start of the server")

    def note(self, key, value, what):
        self.figures[key] = round(value, 1)
        self.say(f"{key:16} {value:10.1f}  {what}")

    def searches(self):
        taken = []
        for round_ in range(self.options.rounds):
            for at, text in enumerate(SEARCHES):
                query = {"filter": text, "sort": SORTS[(at + round_) % len(SORTS)], "total": 1, "limit": 100}
                # As the page asks: the list and the facets, and a person waits for the slower of them.
                asked = ("/devices?" + urllib.parse.urlencode({key: value for key, value in query.items() if value != ""}),
                         "/devices/facets?" + urllib.parse.urlencode({"filter": text}))
                taken.append((max(timed_ms(lambda path=path: self.server.api.get(path)) for path in asked), text))
        self.note("search_p95_ms", percentile([ms for ms, _ in taken], 0.95), f"{len(taken)} searches; the slowest {max(taken)}")
        self.note("search_p50_ms", statistics.median(ms for ms, _ in taken), "half of them")

    def lists(self):
        api = self.server.api
        ids = [row["id"] for row in api.get("/devices?limit=1000&sort=last_seen_ms")["devices"]]
        paths = [f"/api/v1/devices?limit=100&after={device}" for device in ids[::10]]
        paths += ["/api/v1/releases?limit=100", "/api/v1/packages?limit=100", "/api/v1/devices?limit=100&sort=-enrolled_ms"] * 10
        command = [self.options.bin / "ferry-lists", "--port", self.server.admin_port, "--token", api.token, "--seconds", self.options.seconds]
        done = subprocess.run([str(part) for part in command], input="\n".join(paths), capture_output=True, text=True, check=True)
        told = json.loads(done.stdout)
        if told["most"]["failed"] or told["steady"]["failed"]:
            raise SystemExit(f"lists failed: {told}")
        self.note("list_rps", told["most"]["rps"], f"lists a second over 8 connections, {told['most']['bytes']} bytes each")
        self.note("list_p99_ms", told["steady"]["p99_ms"], f"at 500 a second ({told['steady']['rps']:.0f} came); half {told['steady']['p50_ms']:.1f} ms")

    def moving_release(self):
        for release in self.server.api.get("/releases?limit=200")["releases"]:
            if release["state"] in ("beta", "gray", "full", "paused"):
                return release["id"]
        raise SystemExit("the made-up fleet has no release that runs")

    def pages(self):
        facts = {"url": self.server.url, "password": self.server.password, "release": self.moving_release(), "tabs": 20,
                 "events": self.options.events, "rounds": self.options.rounds}
        done = subprocess.run(["node", str(HERE / "pages.mjs")], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                              env=os.environ | {"FERRY_SCENE": json.dumps(facts)})
        if done.returncode != 0:
            raise SystemExit(f"pages: {done.stdout}{done.stderr}")
        for key, value, what in json.loads(done.stdout):
            self.note(key, value, what)


def judge(figures, say):
    good = True
    for key, floor, more, aim in FLOORS:
        if key not in figures:
            continue
        ok = figures[key] >= floor if more else figures[key] <= floor
        good = good and ok
        say(f"{'ok    ' if ok else 'FAILED'} {key}: {figures[key]} (floor {floor}{'' if aim is None else f', aim {aim}'})")
    return good


def main():
    parser = argparse.ArgumentParser(prog="tools/dev bench console", description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="where the programs are")
    parser.add_argument("--devices", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3, help="of searches, loads and updates")
    parser.add_argument("--seconds", type=float, default=10, help="of each part of the lists")
    parser.add_argument("--events", type=int, default=3600, help="replayed into one tab: an hour at one a second")
    parser.add_argument("--no-pages", action="store_true", help="without a browser")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    if not options.no_pages and not (shutil.which("chromium") and shutil.which("node")):
        print("console: chromium and node are needed, or --no-pages", file=sys.stderr)
        return 1
    say = (lambda line: None) if options.json else (lambda line: print(line, flush=True))
    with tempfile.TemporaryDirectory(prefix="ferry-console-") as folder:
        bench = Bench(options, folder, say)
        try:
            bench.start()
            bench.searches()
            bench.lists()
            if not options.no_pages:
                bench.pages()
        finally:
            bench.server.stop()
    good = judge(bench.figures, say)
    if options.json:
        print(json.dumps(bench.figures))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
