"""One bit of a small file is another: the device runs its task, the server serves or names the file that it cannot do without."""
import collections
import random
import shutil
import time

from drill import Failed, Job, Outcome, wait_for

SMALL_BYTES = 64 << 10
DEVICE_S = 30  # until it runs its task again


def small_files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and 0 < path.stat().st_size <= SMALL_BYTES)


def flip(path):
    """Says what was done."""
    data = bytearray(path.read_bytes())
    at, bit = random.randrange(len(data)), random.randrange(8)
    data[at] ^= 1 << bit
    path.write_bytes(data)
    return f"{path.name} byte {at} bit {bit}"


def flip_device(job, state, good, path):
    """What did not hold, or an empty text."""
    shutil.rmtree(state)
    shutil.copytree(good, state)
    done = flip(state / path)
    (job.device.folder / "status.json").unlink(missing_ok=True)
    job.device.start()
    try:
        wait_for(f"the task after {done}", lambda: job.version() == "1.0.0" or not job.device.process.running(), DEVICE_S)
        if not job.device.process.running():
            return f"the device ended after {done}: {job.device.process.tail(3)}"
        return ""
    except Failed as error:
        return str(error)
    finally:
        job.device.stop()


def flip_server(job, home, good, path):
    shutil.copyfile(good / path, home / path)
    done = flip(home / path)
    try:
        job.server.start()
        job.server.api.get("/status")
        return ""
    except Failed as error:
        # Of a key there is no second copy on the machine: a backup has it. Which file it is must be said.
        named = path.name in job.server.process.tail(3) or path.name in str(error)
        return "" if named else f"the server after {done}: {error}"
    finally:
        job.server.stop()
        shutil.copyfile(good / path, home / path)


def run(bin_dir, folder, runs):
    job, longest, broken = Job(bin_dir, folder), 0, []
    state, good = job.device.folder / "state", job.folder / "good-state"
    home, good_home = job.server.folder, job.folder / "good-home"
    try:
        job.device.stop()
        shutil.copytree(state, good)
        of_device = [path.relative_to(good) for path in small_files(good)]
        for number in range(runs):
            begun = time.monotonic()
            path = of_device[number % len(of_device)]
            broken.append((path.name, flip_device(job, state, good, path)))
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
        job.server.stop()
        shutil.copytree(home, good_home)
        of_server = [path.relative_to(good_home) for path in small_files(good_home)
                     if path.parent.name in ("keys", good_home.name) and path.suffix != ".log"]
        for number in range(runs):
            path = of_server[number % len(of_server)]
            broken.append((path.name, flip_server(job, home, good_home, path)))
    finally:
        job.stop()
    broken = [(name, text) for name, text in broken if text]
    counts = collections.Counter(name for name, _ in broken)
    return Outcome("bit_flips", runs, len(broken), 0, longest, not broken,
                   f"in {len(of_device)} files of the device and {len(of_server)} of the server"
                   + "".join(f"; {count} of {name}: {dict(broken)[name]}" for name, count in counts.items()))
