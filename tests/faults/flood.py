"""One device floods rows: its quota holds, another device's rows and a release go on, and all rows arrive once it may."""
import json
import time

from drill import PAGE, STREAM, Device, Job, Outcome, wait_for

LIMITS = ("device_bytes_day=1M", "stream_bytes_day=0")
EVENTS, ROWS, PAD = 40, 100, 1000  # of the flooder in one run: events, rows of each, bytes beside a row's number
GOOD = 40
MOST_WAIT_MS = 75 * 60_000
SCRIPT = """from ferry import events


def on_trigger(matched):
    data = matched[-1]["data"]
    for k in range(data["rows"]):
        events.emit("drill.seen", {"number": data["number"] + k, "pad": "x" * data["pad"]})
    return {"number": data["number"]}
"""


def rows_of(job, device):
    """The numbers of one device's rows, and the bytes of them as the server counts."""
    numbers, after, size = [], 0, 0
    while True:
        page = job.server.api.get(f"/streams/{STREAM}?device={device.id}&after={after}&limit={PAGE}")
        if not page["rows"]:
            return numbers, size
        numbers += [row["data"]["number"] for row in page["rows"]]
        size += sum(256 + len(STREAM) + len(json.dumps(row["data"], separators=(",", ":"))) for row in page["rows"])
        after = page["next"]


def send(device, first, events, rows, pad):
    device.send('{"id": "tick", "time_ms": %d, "data": {"number": %d, "rows": %d, "pad": %d}}'
                % (time.time() * 1000, first + i * rows, rows, pad) for i in range(events))


def run(bin_dir, folder, runs):
    options = [part for limit in LIMITS for part in ("--limit", limit)]
    job, ok, note, longest = Job(bin_dir, folder, options=options, script=SCRIPT), True, [], 0
    flooder = Device(bin_dir, job.folder / "flooder", "flooder", {"os": "linux", "app_version": "1.0.0"}, poll_seconds=1)
    flooded = good = 0
    try:
        job.device.id = job.device.wait_enrolled()
        flooder.start(join=job.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        flooder.wait_enrolled()
        wait_for("the flooder to run the task", lambda: "drill" in flooder.status().get("packages", {}), 60)
        for i in range(runs):
            send(flooder, flooded, EVENTS, ROWS, PAD)
            flooded += EVENTS * ROWS
            send(job.device, good, GOOD, 1, 0)
            good += GOOD
            begun = time.monotonic()
            job.publish(f"1.0.{i + 1}", SCRIPT)
            job.start_release(f"1.0.{i + 1}")
            for device in (job.device, flooder):
                wait_for(f"{device.name} to run 1.0.{i + 1}",
                         lambda: device.status()["packages"]["drill"]["version"] == f"1.0.{i + 1}", 60)
            wait_for("the other device's rows", lambda: len(rows_of(job, job.device)[0]) >= good, 30)
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
            waits = wait_for("the flooder to be told", lambda: flooder.status()["outbox"]["wait_ms"], 60)
            numbers, size = rows_of(job, flooder)
            queued = flooder.status()["outbox"]["queued"]
            note.append(f"{size} bytes of {flooded} rows stored, {queued} wait for {waits // 1000} s")
            ok = ok and waits <= MOST_WAIT_MS and size <= 1 << 20 and numbers == list(range(len(numbers)))
            ok = ok and flooder.status()["last_error"]["name"] == "quota_used" and 0 < queued
        # The operator gives it more; it is started again, so that it does not wait out its time.
        job.server.options[:] = ["--limit", "device_bytes_day=0", "--limit", "stream_bytes_day=0"]
        job.server.stop()
        flooder.stop()
        job.server.start()
        flooder.start()
        wait_for("all rows of the flooder", lambda: len(rows_of(job, flooder)[0]) >= flooded, 120, 1)
        seen = [rows_of(job, device)[0] for device in (flooder, job.device)]
    finally:
        flooder.stop()
        job.stop()
    lost = flooded + good - sum(len(set(numbers)) for numbers in seen)
    doubled = sum(len(numbers) - len(set(numbers)) for numbers in seen)
    return Outcome("flood", runs, lost, doubled, longest, ok and lost == 0 and doubled == 0, "; ".join(note))
