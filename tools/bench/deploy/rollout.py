"""What entering a stage of 50,000 devices costs, and how much faster reports are stored in groups than with a commit each."""
import json
import pathlib
import subprocess
import tempfile

ENTERED_FLOOR_S = 1
LONGEST_WRITE_FLOOR_MS = 100
RATIO_FLOOR = 10


def measure(options, say):
    # Beside the programs: on a disk, which the folder of temporary files may not be.
    with tempfile.TemporaryDirectory(dir=pathlib.Path(options.bin).parent) as folder:
        row = json.loads(subprocess.run([options.bin / "ferry-rollout-bench", folder, "--json"], check=True,
                                        capture_output=True, text=True).stdout)
    stage, reports = row["stage"], row["reports"]
    say(f"  {stage['devices']} devices: entered in {1000 * stage['entered_s']:.0f} ms, the longest write "
        f"{stage['longest_write_ms']:.1f} ms, all lines looked at after {stage['all_told_s']:.1f} s; a device that asks "
        f"meanwhile waits {stage['asked_meanwhile_ms']:.1f} ms, at most {stage['asked_meanwhile_worst_ms']:.1f} ms")
    say(f"  reports: {reports['queued_per_s']:.0f}/s in groups, {reports['one_by_one_per_s']:.0f}/s with a commit each")
    return {"rows": [row], "floors": [
        {"what": "seconds to enter a stage of 50,000 devices", "value": round(stage["entered_s"], 3), "floor": ENTERED_FLOOR_S,
         "aim": ENTERED_FLOOR_S, "ok": stage["entered_s"] <= ENTERED_FLOOR_S},
        {"what": "milliseconds of the longest write", "value": round(stage["longest_write_ms"], 1),
         "floor": LONGEST_WRITE_FLOOR_MS, "aim": LONGEST_WRITE_FLOOR_MS,
         "ok": stage["longest_write_ms"] <= LONGEST_WRITE_FLOOR_MS},
        {"what": "reports stored in groups, times those with a commit each", "value": round(reports["ratio"], 1),
         "floor": RATIO_FLOOR, "aim": RATIO_FLOOR, "ok": reports["ratio"] >= RATIO_FLOOR}]}
