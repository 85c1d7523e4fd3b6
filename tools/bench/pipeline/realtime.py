"""How long a realtime record takes from the app's event to the server: the SDK in an app, TLS, the server, all on this machine.

Prints {"records","p50_ms","p99_ms"}: from the moment before the event is written to the app's input to that at which the
server stored its record, in whole milliseconds of one clock."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, wait_for  # noqa: E402

SCRIPT = "def on_trigger(matched):\n    return None\n"
TASK = {"name": "quick", "version": "1.0.0", "script": "task.py", "entry": "on_trigger",
        "trigger": {"sequence": [{"event": "never"}]},
        "streams": [{"name": "taps", "source": "tap", "upload": "realtime"}]}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--records", type=int, default=300)
    parser.add_argument("--every-ms", type=float, default=20)
    return parser.parse_args()


def percentile(values, share):
    return sorted(values)[int(share * (len(values) - 1))]


def start_app(options, folder, cloud):
    task = folder / "task"
    task.mkdir()
    (task / "task.py").write_text(SCRIPT)
    (task / "task.json").write_text(json.dumps(TASK))
    cloud.cli("pack", task, "-o", folder / "quick.fpk")
    cloud.cli("publish", folder / "quick.fpk", "--dir", cloud.publisher)
    token = cloud.server.api.post("/join-tokens", {"uses": 1})["token"]
    app = subprocess.Popen([str(options.bin / "ferry-embed"), "--state", str(folder / "app"), "--join", token],
                           stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    wait_for("the app to join", lambda: cloud.server.api.get("/devices")["devices"], 30)
    release = cloud.server.api.post("/releases", {"package": "quick", "version": "1.0.0", "rule": "", "start": True,
                                                  "stages": [{"kind": "full", "min_reports": 1, "min_healthy_ms": 200}]})
    wait_for("the app to have the task", lambda: cloud.server.api.get(f"/releases/{release['id']}")["state"] == "complete", 60)
    return app


def measure(options, folder):
    cloud = Cloud(options.bin, folder)
    app = None
    try:
        app = start_app(options, folder, cloud)
        for number in range(options.records):
            app.stdin.write(json.dumps({"id": "tap", "time_ms": int(time.time() * 1000), "data": {"n": number}}) + "\n")
            app.stdin.flush()
            time.sleep(options.every_ms / 1000)

        def rows():
            found = cloud.server.api.get("/streams/taps?limit=500")["rows"]
            return found if len(found) >= options.records else None
        took = [row["received_ms"] - row["time_ms"] for row in wait_for("the records", rows, 30)]
        return {"records": len(took), "p50_ms": percentile(took, 0.5), "p99_ms": percentile(took, 0.99)}
    finally:
        if app is not None:
            app.stdin.close()
            app.wait(30)
        cloud.server.stop()


def main():
    with tempfile.TemporaryDirectory(prefix="ferry-realtime-") as folder:
        print(json.dumps(measure(parse(), pathlib.Path(folder))))


if __name__ == "__main__":
    main()
