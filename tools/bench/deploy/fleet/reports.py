"""Durable reports a second on PostgreSQL, beside `pgbench -N` with as many clients on the same server, with one node and with two."""
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tests/e2e/cluster"))
from parts import Postgres, postgres_programs  # noqa: E402

from floors import at_least  # noqa: E402

CLIENTS = 8
SECONDS = 8  # of a round of pgbench
DEVICES, REPORTS = 6_000, 5_000  # a round reports once for each device at most, and 200 one by one


def transactions(database):
    where = ["-h", "127.0.0.1", "-p", str(database.port), "-U", "ferry"]
    out = subprocess.run([postgres_programs() / "pgbench", *where, "-N", "-n", "-c", str(CLIENTS), "-j", "2", "-T", str(SECONDS), "bench"],
                         check=True, capture_output=True, text=True).stdout
    return float(re.search(r"tps = ([0-9.]+)", out)[1])


def stored(options, database, nodes, number):
    name = f"round{number}"
    where = ["-h", "127.0.0.1", "-p", str(database.port), "-U", "ferry"]
    database.run("createdb", *where, name)
    out = subprocess.run([options.bin / "ferry-rollout-bench", database.url.rsplit("/", 1)[0] + "/" + name, "--devices", str(DEVICES),
                          "--reports", str(REPORTS), "--nodes", str(nodes), "--json"], check=True, capture_output=True, text=True).stdout
    database.run("dropdb", *where, name)
    return json.loads(out)["reports"]["queued_per_s"]


def measure(options, say):
    database = Postgres(durable=True)
    try:
        database.make()
        where = ["-h", "127.0.0.1", "-p", str(database.port), "-U", "ferry"]
        database.run("createdb", *where, "bench")
        subprocess.run([postgres_programs() / "pgbench", *where, "-i", "-q", "-s", "10", "bench"], check=True, capture_output=True)
        rows = []
        for number in range(options.rounds):
            row = {"pgbench": transactions(database), "one": stored(options, database, 1, f"{number}a"),
                   "two": stored(options, database, 2, f"{number}b")}
            rows.append(row)
            say(f"  pgbench -N {row['pgbench']:.0f}/s with {CLIENTS} clients; reports {row['one']:.0f}/s with one node, "
                f"{row['two']:.0f}/s with two")
    finally:
        database.remove()
    beside = statistics.median(row["one"] / row["pgbench"] for row in rows)
    both = statistics.median(row["two"] / row["one"] for row in rows)
    return {"rows": rows, "floors": [at_least("durable reports on PostgreSQL, times pgbench's transactions", beside, 1, 3),
                                     at_least("reports with two nodes, times those with one", both, 1, 1.5)]}
