"""One stage entered and one release taken back at a million rows: how long an operator waits, and the longest lock."""
import json
import subprocess
import tempfile

from floors import at_most


def measure(options, say):
    # Beside the programs: on a disk, which the folder of temporary files may not be.
    with tempfile.TemporaryDirectory(dir=options.bin.resolve().parent) as folder:
        row = json.loads(subprocess.run([options.bin / "ferry-rollout-bench", folder, "--devices", str(options.devices), "--stage-only",
                                         "--json"], check=True, capture_output=True, text=True).stdout)
    stage, back = row["stage"], row["back"]
    say(f"  {stage['devices']} devices: entered in {1000 * stage['entered_s']:.0f} ms, {stage['told']} of them looked at in "
        f"{stage['all_told_s']:.0f} s, the longest write {stage['longest_write_ms']:.1f} ms; rollback begun in "
        f"{1000 * back['begun_s']:.0f} ms, its longest write {back['longest_write_ms']:.1f} ms")
    return {"rows": [row], "floors": [
        at_most("seconds to enter a stage", stage["entered_s"], 1, 0.2), at_most("seconds to begin a rollback", back["begun_s"], 1, 0.2),
        at_most("milliseconds of the longest lock", max(stage["longest_write_ms"], back["longest_write_ms"]), 100, 100)]}
