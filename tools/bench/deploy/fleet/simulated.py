"""A fleet and its server in one process: how long a whole rollout takes, and how soon a bad one stops and is taken back."""
import json
import pathlib
import subprocess
import tempfile

from floors import at_least, at_most

BAD_RATE = 0.05


def bad_release(devices):
    """A release of which 5 % of the devices fail, on devices of three kinds."""
    return {
        "name": "one in twenty fails", "devices": devices, "agents": 200, "hours": 48, "runs": "1.0.0",
        "fleet": [{"share": 0.5, "os": "android", "push": True}, {"share": 0.3, "os": "ios", "poll_minutes": 120},
                  {"share": 0.2, "os": "linux", "poll_minutes": 60}],
        "releases": [{"version": "2.0.0", "fallback": "1.0.0", "at_minutes": 5, "bytes": 2_000_000,
                      "plan": {"stages": [{"kind": "gray", "percent": 1}, {"kind": "gray", "percent": 10}, {"kind": "full"}]}}],
        "truths": [{"version": "2.0.0", "fails": BAD_RATE}]}


def simulate(options, devices, *arguments):
    done = subprocess.run([options.bin / "ferry", "simulate", "--seed", "1", "--faults", "standard", "--threads", "2", "--json",
                           *arguments], capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(f"ferry simulate: status {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def measure(options, say):
    good = simulate(options, options.devices, "--devices", str(options.devices))
    minutes, gib = good["wall_ms"] / 60_000, good["max_rss_bytes"] / 2**30
    say(f"  {good['devices']} devices: {good['virtual_ms'] / 3.6e6:.1f} h in {minutes:.1f} min, {gib:.1f} GiB, {good['events']} events, "
        f"{good['reports']} reports; {[release['state'] for release in good['releases']]}, "
        f"{len(good['invariants']['violations'])} violations")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bad.json"
        path.write_text(json.dumps(bad_release(options.devices)))
        bad = simulate(options, options.devices, "--scenario", str(path))
    release = bad["releases"][0]
    reached, back = release["offered"], release["back"]
    violations = len(good["invariants"]["violations"]) + len(bad["invariants"]["violations"])
    say(f"  one that {BAD_RATE:.0%} fail: {release['state']} after {release['stopped_after']} devices; {reached} were offered it, "
        f"{back} are back, {release['silent']} silent; {bad['wall_ms'] / 60_000:.1f} min")
    reachable = max(1, reached - release["silent"])
    return {"rows": [good | {"releases": good["releases"]}, bad], "floors": [
        at_most("minutes for a full rollout", minutes, 10, 5), at_most("GiB of it", gib, 6, 4),
        at_most("devices after which one that 5 % fail is stopped", release["stopped_after"] or reached, 1000, 400),
        at_least("of its devices that can be reached, back", back / reachable, 0.999, 0.999),
        at_most("violations", violations, 0, 0)]}
