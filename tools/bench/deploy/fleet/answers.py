"""A server with a million made-up devices: what each question of its interface costs, by time and by size."""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from floors import at_most

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "demo"))
from fleet import Server  # noqa: E402  (tools/demo)

# Not asked: a stream, what needs a page of a browser, and files that are as long as what was published.
NOT_ASKED = ("/live", "/oidc", "/content", "/metadata", "/graph", "/tuf/")
FILTERS = ('os == "android"', 'os == "linux" and app_version < "2.0.0"', 'tag("beta")', 'not tag("beta")', 'percent(5)', 'runs("digits")',
           'text("berl")', 'text("nowhere at all")', 'app_version in ">=1.2 <2"', 'extra("region") == "eu"', 'blocked == "true"')
SORTS = ("-last_seen_ms", "app_version", "os,-free_bytes")
MOST_ROWS = 1000
TRIES = 5
MOST_BYTES, MOST_MS = 2**20, 200


class Asked:
    def __init__(self, server):
        self.server, self.rows = server, []

    def once(self, path, body=None):
        headers = {"Authorization": f"Bearer {self.server.api.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.server.url + path, data=body, headers=headers)
        begun = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                body = answer.read()
        except urllib.error.HTTPError as error:
            body = error.read()
            if error.code not in (400, 404):
                raise SystemExit(f"{path}: {error.code} {body[:300]}") from None
        return (time.monotonic() - begun) * 1e3, len(body), body

    def ask(self, path, body=None):
        """The times of several tries; the first one has cold caches. None for what is not there."""
        tries = [self.once(path, body) for _ in range(TRIES)]
        self.rows.append({"path": ("POST " if body else "") + path, "ms": statistics.median(one[0] for one in tries), "first_ms": tries[0][0], "bytes": tries[0][1]})
        return tries[0][2]


def known(asked):
    """What stands in the place of a path's parameters."""
    def first(path, key, name):
        rows = json.loads(asked.once(f"/api/v1{path}")[2]).get(key) or [{}]
        return rows[0].get(name, "none")
    package = json.loads(asked.once("/api/v1/packages?limit=1")[2])["packages"][0]
    return {"/releases/": {"id": first("/releases?limit=1", "releases", "id")}, "/devices/": {"id": first("/devices?limit=1", "devices", "id")},
            "": {"name": first("/groups", "groups", "name"), "package": package["name"], "version": package["version"], "stream": "results"},
            "/packages/": {"name": package["name"], "version": package["version"], "path": ".manifest.json"}, "/users/": {"name": "admin"}}


def fill_in(path, values):
    found = dict(values[""])
    for part, more in values.items():
        if part and part in path:
            found |= more
    for name, value in found.items():
        path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
    return path


def questions(api, values):
    for path, methods in api["paths"].items():
        if "get" not in methods or any(part in path for part in NOT_ASKED):
            continue
        takes = {one["name"] for one in methods["get"].get("parameters", []) if one.get("in") == "query"}
        full = fill_in(path, values)
        if "{" in full:
            continue
        yield full
        if "limit" in takes:
            yield f"{full}?limit={MOST_ROWS}"
        if "total" in takes:
            yield f"{full}?limit=100&total=true"
    for text in FILTERS:
        given = urllib.parse.quote(text, safe="")
        yield f"/api/v1/devices?limit=100&filter={given}"
        yield f"/api/v1/devices?limit=100&total=true&filter={given}"
        yield f"/api/v1/devices/facets?filter={given}"
    for text in SORTS:
        yield f"/api/v1/devices?limit=100&sort={urllib.parse.quote(text, safe='')}"


def measure(options, say):
    with tempfile.TemporaryDirectory(prefix="ferry-answers-") as folder:
        server = Server(options.bin, pathlib.Path(folder) / "server")
        begun = time.monotonic()
        texts = pathlib.Path(folder) / "texts"
        done = subprocess.run([str(options.bin / "ferry-server"), "fill", "--devices", str(options.devices), "--seed", "1", "--have", str(texts),
                               "--json", str(server.folder)], capture_output=True, text=True, check=True)
        server.password = json.loads(done.stdout)["admin_password"]
        say(f"  {options.devices} devices made in {time.monotonic() - begun:.0f} s")
        server.start()
        try:
            return ask_all(server, texts.read_text().split(), say)
        finally:
            server.stop()


def ask_all(server, texts, say):
    server.api.login(server.password)
    asked = Asked(server)
    begun = time.monotonic()
    asked.once("/api/v1/devices?limit=100")
    say(f"  the first list came after {time.monotonic() - begun:.1f} s")
    api = json.loads(asked.once("/api/v1/openapi.json")[2])
    for path in questions(api, known(asked)):
        asked.ask(path)
    taken = json.loads(asked.ask("/api/v1/have", json.dumps({"texts": texts}).encode()))["texts"]
    have = asked.rows[-1]
    # Nobody is told to: what is released in a made-up fleet has no content.
    say(f"  what {len(texts)} devices have, asked for their apps at once: {have['ms']:.1f} ms")
    if len(taken) != len(texts):
        raise SystemExit(f"POST /api/v1/have: {len(taken)} answers to {len(texts)} texts")
    rows = sorted(asked.rows, key=lambda row: -row["ms"])
    for row in rows[:12]:
        say(f"  {row['ms']:8.1f} ms (first {row['first_ms']:.1f})  {row['bytes']:9} bytes  {urllib.parse.unquote(row['path'])}")
    longest = max(rows, key=lambda row: row["bytes"])
    say(f"  {len(rows)} questions; the longest answer: {longest['bytes']} bytes of {longest['path']}")
    return {"rows": rows, "floors": [at_most("bytes of the longest answer", longest["bytes"], MOST_BYTES, MOST_BYTES),
                                     at_most("ms of the slowest answer, median", rows[0]["ms"], MOST_MS, MOST_MS)]}
