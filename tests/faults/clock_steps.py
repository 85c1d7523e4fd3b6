"""Two of four devices are two days ahead, then the server's clock steps by two hours: no good release is rolled back."""
import glob
import os
import time

from drill import Device, Failed, Job, Outcome, wait_for

AHEAD = "+2d"
STEP = "+2h"
WATCH_SECONDS = 12  # after which a release that would turn round has
STAGES = [{"kind": "full", "min_reports": 2, "min_healthy_ms": 100, "report_timeout_ms": 4000}]
BAD = ("rolling_back", "rolled_back", "stopped")


def faked(library, **how):
    """The environment of a program whose clock is another; durations stay true."""
    return {**os.environ, "LD_PRELOAD": library, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1", **how}


def watch(job, release, what):
    """Fails when the release turns round within WATCH_SECONDS."""
    end = time.monotonic() + WATCH_SECONDS
    while time.monotonic() < end:
        state = job.server.api.get(f"/releases/{release}")
        if state["state"] in BAD:
            raise Failed(f"{what}: {state['state']}: {state['reason']}")
        time.sleep(0.5)
    return state


def run(bin_dir, folder, runs):
    found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not found:
        return Outcome("clock_steps", 0, note="skipped: libfaketime is not installed")
    step = folder / "step"
    folder.mkdir(parents=True, exist_ok=True)
    step.write_text("+0")
    job, devices, longest = None, [], 0
    try:
        job = Job(bin_dir, folder, environment=faked(found[0], FAKETIME_TIMESTAMP_FILE=str(step)))
        devices = [job.device]
        for i in range(3):
            environment = faked(found[0], FAKETIME=AHEAD) if i else None
            device = Device(bin_dir, job.folder / f"device{i}", f"device{i}", {"os": "linux", "app_version": "1.0.0"},
                            poll_seconds=1, environment=environment)
            devices.append(device)
            device.start(join=job.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
            device.wait_enrolled()
        job.device.wait_enrolled()
        for i in range(runs):
            version = f"1.1.{i}"
            job.publish(version)
            release = job.start_release(version, STAGES)
            for device in devices[:2]:
                wait_for(f"{device.name} to run {version}", lambda: runs_version(device, version), 60)
            for device in devices[2:]:
                error = wait_for(f"{device.name} to name its clock", lambda: device.status().get("last_error"), 60)
                if error["name"] != "clock_skew" or runs_version(device, version):
                    raise Failed(f"{device.name}: {error}")
            watch(job, release, "two devices two days ahead")
            step.write_text(STEP)
            watch(job, release, "a step of the server's clock")
            begun = time.monotonic()
            step.write_text("+0")
            for device in devices[2:]:
                device.stop()
                device.environment = None
                device.start()
                wait_for(f"{device.name} with a right clock to run {version}", lambda: runs_version(device, version), 60)
                device.stop()
                device.environment = faked(found[0], FAKETIME=AHEAD)
                device.start()
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
            watch(job, release, "the clock stepped back")
    finally:
        for device in devices[1:]:
            device.stop()
        if job:
            job.stop()
    return Outcome("clock_steps", runs, 0, 0, longest, True, f"{2 * runs} devices ahead, {runs} steps of the server")


def runs_version(device, version):
    return device.status().get("packages", {}).get("drill", {}).get("version") == version
