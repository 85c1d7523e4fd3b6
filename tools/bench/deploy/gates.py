"""How often, and after how many devices, the gates stop releases of simulated fleets."""
import json
import subprocess

# Failures and successes are reported after so many milliseconds, with this spread.
DELAYS = {
    "at once": (0, 0, "fixed"),
    "5 s / 60 s": (5_000, 60_000, "fixed"),
    "60 s / 5 s": (60_000, 5_000, "fixed"),
    "30 s / 30 s, exponential": (30_000, 30_000, "exponential"),
    "10 min / 10 min, uniform": (600_000, 600_000, "uniform"),
}
QUICK_FAILURES = "5 s / 60 s"
RATES = [0.005, 0.01, 0.02, 0.03, 0.05, 0.2]
GOOD, BAD = 0.005, 0.05
FLOOR_DEVICES, AIM_DEVICES = 400, 250


def measure(options, say):
    say(f"  {'failing':>7}  {'reported after (failed / well)':<32} {'stopped':>9} {'devices, median':>16} {'9 of 10':>8}")
    rows = []
    for delays, (fail_ms, succeed_ms, spread) in DELAYS.items():
        for rate in RATES:
            told = json.loads(subprocess.run(
                [options.bin / "ferry", "gate", "simulate", "--rate", str(rate), "--runs", str(options.runs), "--fail-after",
                 str(fail_ms), "--succeed-after", str(succeed_ms), "--spread", spread, "--json"],
                check=True, capture_output=True, text=True).stdout)
            rows.append({"delays": delays, **told})
            say(f"  {100 * rate:>6g}%  {delays:<32} {told['stopped']:>4}/{told['runs']:<4} "
                f"{told['median_devices'] or '-':>16} {told['p90_devices'] or '-':>8}")
    good = next(row for row in rows if row["delays"] == QUICK_FAILURES and row["rate"] == GOOD)
    bad = next(row for row in rows if row["delays"] == QUICK_FAILURES and row["rate"] == BAD)
    soon = bad["stopped"] == bad["runs"] and bad["median_devices"] < FLOOR_DEVICES
    return {"rows": rows, "floors": [
        {"what": f"good releases stopped, of {good['runs']}", "value": good["stopped"], "floor": 0, "aim": 0,
         "ok": good["stopped"] == 0},
        {"what": "devices that had a release of which 5 % fail when it was stopped", "value": bad["median_devices"],
         "floor": FLOOR_DEVICES, "aim": AIM_DEVICES, "ok": soon}]}
