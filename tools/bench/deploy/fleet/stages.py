"""One stage entered and one release taken back at a million rows, on SQLite and on PostgreSQL: how long an operator waits, and the longest lock."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tests/e2e/cluster"))
from parts import Postgres  # noqa: E402

from floors import at_most  # noqa: E402


def entered(options, place):
    return json.loads(subprocess.run([options.bin / "ferry-rollout-bench", place, "--devices", str(options.devices), "--stage-only",
                                      "--json"], check=True, capture_output=True, text=True).stdout)


def on_sqlite(options):
    # Beside the programs: on a disk, which the folder of temporary files may not be.
    with tempfile.TemporaryDirectory(dir=options.bin.resolve().parent) as folder:
        return entered(options, folder)


def on_postgres(options):
    # No checkpoint of the rows that were made for it: commits would wait for a disk that is busy with those.
    database = Postgres(durable=True, settings=["max_wal_size=16GB", "checkpoint_timeout=1h"])
    try:
        database.make()
        return entered(options, database.url)
    finally:
        database.remove()


def disk(options):
    """Milliseconds of plain writes of 64 KB that reach the disk, half of them and the longest: what a commit waits for at least."""
    took = []
    with tempfile.NamedTemporaryFile(dir=options.bin.resolve().parent) as file:
        while sum(took) < 5000:
            begun = time.monotonic()
            file.write(bytes(64 * 1024))
            file.flush()
            os.fdatasync(file.fileno())
            took.append(1000 * (time.monotonic() - begun))
    return statistics.median(took), max(took)


def measure(options, say):
    rows, floors = [], []
    half, longest = disk(options)
    say(f"  this disk takes 64 KB in {half:.1f} ms, at worst in {longest:.1f}")
    for store, make in (("SQLite", on_sqlite), ("PostgreSQL", on_postgres)):
        row = {"store": store} | make(options)
        rows.append(row)
        stage, back = row["stage"], row["back"]
        say(f"  {store}, {stage['devices']} devices: entered in {1000 * stage['entered_s']:.0f} ms, {stage['told']} of them looked at in "
            f"{stage['all_told_s']:.0f} s, the longest write {stage['longest_write_ms']:.1f} ms "
            f"({stage['longest_statements_ms']:.1f} without the commit); rollback begun in "
            f"{1000 * back['begun_s']:.0f} ms, its longest write {back['longest_write_ms']:.1f} ms "
            f"({back['longest_statements_ms']:.1f})")
        floors += [at_most(f"seconds to enter a stage on {store}", stage["entered_s"], 1, 0.2),
                   at_most(f"seconds to begin a rollback on {store}", back["begun_s"], 1, 0.2),
                   at_most(f"milliseconds of the longest lock on {store}", max(stage["longest_write_ms"], back["longest_write_ms"]), 100, 100)]
    return {"rows": rows, "disk": {"median_ms": half, "longest_ms": longest}, "floors": floors}
