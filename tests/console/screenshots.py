"""Writes a picture of every page of the console, light, dark and 390 px wide; fails where one scrolls sideways."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import scene

STAGE = {"kind": "full", "min_healthy_ms": 1000, "min_reports": 1}


def fill(stage):
    """Releases that are complete, taken back and held; and a record of a little of everything else."""
    complete = stage.release("1.0.0", [{"kind": "simulation"}, {"kind": "beta", "who": 'tag("beta")', "min_healthy_ms": 1000}, STAGE])
    stage.wait_state(complete, "complete")
    back = stage.release("3.0.0", [STAGE | {"hold": True}])
    scene.wait_for("devices to have it", lambda: stage.api.get(f"/releases/{back}")["counts"]["healthy"] > 1, 60)
    stage.api.post(f"/releases/{back}/rollback", {"why": "wrong digits on flat images"})
    stage.wait_state(back, "rolled_back")
    stage.do_publish("4.0.0")
    held = stage.release("4.0.0", [{"kind": "beta", "who": 'tag("beta")', "min_healthy_ms": 1000, "hold": True}, {"kind": "gray", "percent": 50}, STAGE])
    stage.api.post("/users", {"name": "vera", "role": "releaser", "packages": ["digits*"]})
    stage.api.post("/users", {"name": "omar", "role": "approver"})
    stage.api.post("/webhooks", {"url": "https://example.org/ferry", "secret": "a-secret-of-some-length", "events": ["release.*"]})
    stage.api.post("/users/vera/tokens", {"name": "ci", "role": "releaser"})
    return {"complete": complete, "back": back, "held": held}


def main():
    parser = argparse.ArgumentParser(prog="tools/dev screenshots", description=__doc__)
    parser.add_argument("folder", nargs="?", default=scene.ROOT / "build/screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if missing := scene.missing():
        print(f"screenshots: missing: {', '.join(missing)}", file=sys.stderr)
        return 1
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ferry-screenshots-") as folder:
        stage = scene.Scene(folder)
        try:
            facts = stage.facts() | {"releases": fill(stage)}
            child = subprocess.Popen(["node", str(pathlib.Path(__file__).with_suffix(".mjs")), str(options.folder.resolve())], text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"FERRY_SCENE": json.dumps(facts)})
            scene.serve(stage, child)
            status = child.wait()
        finally:
            stage.stop()
    print(f"pictures: {options.folder}")
    return status


if __name__ == "__main__":
    sys.exit(main())
