"""The server is killed while a package is published: no version is half there, and publishing again goes through."""
import random
import subprocess
import time

from drill import Job, Outcome, TASK, wait_for

LONGEST_S = 0.25  # of one publication, from the start of the command


def versions(job):
    """The versions that the server lists; Failed where one of them is not whole."""
    rows = [row for row in job.server.api.get("/packages")["packages"] if row["name"] == TASK["name"]]
    for row in rows:
        package = job.server.api.get(f"/packages/{TASK['name']}/{row['version']}")
        assert package["artefacts"], f"{row['version']} has no file"
        for artefact in package["artefacts"]:
            held = job.server.api.get(f"/content/{artefact['sha256']}")
            assert held["length"] == artefact["length"], f"{row['version']}: {held} of {artefact}"
    return [row["version"] for row in rows]


def run(bin_dir, folder, runs):
    job, longest, killed_before, lost, doubled = Job(bin_dir, folder), 0, 0, 0, 0
    ferry = [str(job.cloud.cli.program)]
    known = set(versions(job))
    try:
        for number in range(1, runs + 1):
            version = f"1.0.{number}"
            package = job.pack(version)
            command = [*ferry, "publish", str(package), "--dir", str(job.cloud.publisher), "--json"]
            publishing = subprocess.Popen(command, env=job.cloud.cli.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            time.sleep(random.uniform(0, LONGEST_S))
            job.server.kill()
            said = publishing.communicate(timeout=120)[0].decode(errors="replace")
            job.server.start()
            begun = time.monotonic()
            listed = versions(job)
            killed_before += version not in listed
            lost += len(known - set(listed))
            if publishing.returncode == 0 and version not in listed:
                lost += 1  # it was acknowledged

            def repeated():
                done = job.cloud.cli.run("publish", package, "--dir", job.cloud.publisher)
                return done.returncode == 0 or "already" in done.stdout + done.stderr

            wait_for(f"{version} to be published ({said})", repeated, 30, 0.5)
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
            listed = versions(job)
            doubled += len(listed) - len(set(listed))
            known.add(version)
            lost += len(known - set(listed))
        # What was published over all these kills can be opened by a device.
        job.wait_complete()
        job.start_release(f"1.0.{runs}")
        wait_for("the device to run the last version", lambda: job.version() == f"1.0.{runs}", 60)
    finally:
        job.stop()
    return Outcome("server_killed_in_publish", runs, lost, doubled, longest, lost == 0 and doubled == 0,
                   f"{killed_before} kills came before the version was there")
