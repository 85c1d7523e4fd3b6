"""The steps of the main job. Each method's first line is what it prints; each checks what it shows."""
import collections
import json
import threading
import time

import variants
from checks import check, say
from fleet import COME_BACK_SECONDS, Cloud, Device, Failed, wait_for
from operations_steps import Operations
from pipeline_steps import PipelineSteps
from split_steps import TARGET, SplitJob

# Five devices are too few for a statistical test: the hard threshold counts from two on.
GATE = {"max_failed_percent": 25, "max_failed_min_devices": 2}
RULE = 'os in ("android", "ios", "linux") and app_version >= "1.2.0" and app_version < "2.0.0" and device_class in ("high", "mid", "low")'
GRAY = (25, 60)
STREAM = "digits.result"
WINDOWS = "digits.window"
EXCLUSIVE_NAME = "calibration.json"
MIN_ACCURACY = 0.9956
MAX_DELTA_SHARE = 1 / 3
# Images of the accuracy count have their own numbers 0-449; what else devices see counts from these.
BACKGROUND_IMAGES = 100_000
OFFLINE_IMAGES = 200_000
OFFLINE_EACH = 20

PROFILES = {
    "d1": dict(os="linux", app_version="1.4.0", device_class="high", tags=["beta"]),
    "d2": dict(os="android", app_version="1.3.2", device_class="high", tags=[]),
    "d3": dict(os="android", app_version="1.5.0", device_class="mid", tags=["camera"]),
    "d4": dict(os="ios", app_version="1.2.9", device_class="mid", tags=["camera"]),
    "d5": dict(os="linux", app_version="1.9.1", device_class="low", tags=[]),
    "d6": dict(os="android", app_version="2.1.0", device_class="high", tags=[]),
}
POLLING, OUTSIDE, EXCLUSIVE_TO = "d5", "d6", "d2"
POLL_SECONDS = 3
RARE_POLL_SECONDS = 60  # of devices that push wakes: a poll in time would hide a push that is lost


class MainJob:
    def __init__(self, bin_dir, folder, task, digits, tenant=None):
        self.bin, self.folder, self.task, self.digits, self.tenant = bin_dir, folder, task, digits, tenant
        self.server = self.cli = self.publisher = None
        self.devices = {name: Device(bin_dir, folder / name, name, profile, push=name != POLLING,
                                     poll_seconds=POLL_SECONDS if name == POLLING else RARE_POLL_SECONDS)
                        for name, profile in PROFILES.items()}
        self.inside = [name for name in PROFILES if name != OUTSIDE]
        self.packages = {}
        self.published = {}
        self.salt = None
        self.accuracy = None
        self.seen_events = collections.Counter()
        self._background = None
        self._ended = threading.Event()

    def steps(self):
        return [self.keys_server_devices, self.pack_and_publish, self.release_in_stages, self.images, self.bad_versions,
                self.good_version, self.cut_off, *SplitJob(self).steps(), *Operations(self).steps(),
                *PipelineSteps(self).steps()]

    def stop(self):
        self._stop_background()
        for device in self.devices.values():
            device.stop()
        if self.server:
            self.server.stop()

    # -- step 1

    def keys_server_devices(self):
        """1. Keys, the server, six devices"""
        cloud = Cloud(self.bin, self.folder, ["--verify", TARGET], self.tenant)
        self.server, self.cli, self.publisher = cloud.server, cloud.cli, cloud.publisher
        say("root and targets keys are the publisher's; snapshot, timestamp, director and escrow keys the server's")
        token = self.server.api.post("/join-tokens", {"uses": len(PROFILES), "valid_ms": 600_000})["token"]
        for device in self.devices.values():
            device.start(join=token)
        for name, device in self.devices.items():
            device.wait_enrolled()
            profile = device.profile
            say(f"{name} {device.id[:12]} {profile['os']} app {profile['app_version']} class {profile['device_class']} "
                f"tags {profile['tags']}{'' if device.push else ' (push disabled: polls)'}")

    # -- step 2

    def pack_and_publish(self):
        """2. Convert, pack, sign, seal, publish"""
        (self.folder / EXCLUSIVE_NAME).write_text(json.dumps({"device": EXCLUSIVE_TO, "gain": 1.0}))
        converted = self.cli("convert", self.task / "digits.onnx", "-o", self.folder / "digits.fm")
        say(f"digits.onnx: {converted['onnx_bytes']} bytes, {converted['nodes_before']} operators -> digits.fm: "
            f"{converted['fm_bytes']} bytes, {converted['steps']} steps, {converted['fused_or_folded']} operators fused or folded")
        self.publish("1.0.0", "--exclusive", f"{EXCLUSIVE_NAME}={self.folder / EXCLUSIVE_NAME}")

    def publish(self, version, *extra):
        folder = variants.make(self.task, self.folder / f"digits-{version}", version)
        package = self.folder / f"digits-{version}.fpk"
        self.cli("pack", folder, "-o", package)
        answer = self.cli("publish", package, "--dir", self.publisher, *extra)
        self.packages[version] = package
        shown = self.server.api.get(f"/packages/digits/{version}")
        self.published[version] = {item["kind"]: item for item in shown["artefacts"]}
        say(f"digits {version}: {package.stat().st_size} bytes plain; " +
            ", ".join(f"{item['kind']} {item['length']} sealed" for item in shown["artefacts"]))
        return answer

    # -- step 3

    def stages(self, **full):
        def stage(kind, reports, **more):
            return {"kind": kind, "min_healthy_ms": 1000, "min_reports": reports, **more}
        return [{"kind": "simulation"}, stage("beta", 1, who='tag("beta")'), stage("gray", 1, percent=GRAY[0]),
                stage("gray", 2, percent=GRAY[1]), stage("full", len(self.inside), **full)]

    def find_salt(self):
        """A salt with which each gray step adds a device: five devices are few for percentages."""
        for number in range(500):
            salt = f"demo-{number}"
            preview = self.server.api.post("/releases/preview", {"rule": RULE, "salt": salt, "stages": self.stages()})
            if all(stage["adds"] for stage in preview["stages"] if stage["kind"] in ("gray", "full", "beta")):
                say(f"tried {number + 1} salts until each step adds a device: {salt}")
                check(preview["matched"] == len(self.inside), f"the rule matches {preview['matched']} devices")
                return salt
        raise Failed("no salt of 500 makes each gray step add a device")

    def release(self, version, *extra, **full):
        stages = self.folder / "stages.json"
        stages.write_text(json.dumps(self.stages(**full)))
        gate = self.folder / "gate.json"
        gate.write_text(json.dumps(GATE))
        return self.cli("release", "start", "--package", "digits", "--version", version, "--rule", RULE, "--stages", stages,
                        "--gate", gate, "--salt", self.salt, *extra)["id"]

    def follow(self, release, ends, seconds=120):
        """Prints the release's history as it grows, until its state is one of `ends`."""
        def poll():
            view = self.server.api.get(f"/releases/{release}")
            for event in view["events"]:
                if event["seq"] > self.seen_events[release]:
                    self.seen_events[release] = event["seq"]
                    first, *rest = event["text"].splitlines()
                    say(f"[{event['kind']}] {first}{f' ({rest[-1]})' if rest else ''}")
            final = {"complete", "rolled_back", "stopped", "failed_simulation"}
            check(view["state"] in ends or view["state"] not in final, f"{release} ended as {view['state']}: {view['reason']}")
            return view if view["state"] in ends else None
        return wait_for(f"{release} to become {' or '.join(ends)}", poll, seconds, 0.2)

    def versions(self):
        return {name: self.devices[name].status().get("packages", {}).get("digits", {}).get("version") for name in self.devices}

    def wait_versions(self, version, seconds=60):
        wait_for(f"the five devices to run digits {version} (now {self.versions()})",
                 lambda: all(self.versions()[name] == version for name in self.inside), seconds)

    def release_in_stages(self):
        """3. Release in stages: simulation, beta, gray, full"""
        self.salt = self.find_salt()
        path = f"digits/1.0.0/exclusive/{EXCLUSIVE_NAME}"
        release = self.release("1.0.0", "--exclusive", f"{path}={self.devices[EXCLUSIVE_TO].id}")
        view = self.follow(release, ["complete"])
        self.wait_versions("1.0.0")
        stage_of = {member["device"]: member["stage"] for member in view["members"]}
        for stage in view["stages"][1:]:
            check(any(stage["index"] == index for index in stage_of.values()), f"stage {stage['index']} added no device")
        check(self.versions()[OUTSIDE] is None, f"{OUTSIDE} is outside the rule and has {self.versions()[OUTSIDE]}")
        why = self.server.api.get(f"/devices/{self.devices[OUTSIDE].id}/why?release={release}")
        check(not why["matches_rule"] and "app_version" in why["text"], f"why of {OUTSIDE}: {why}")
        say(f"{OUTSIDE} ends without it: {why['text']}")
        by_push = {member["device"]: member["by_push"] for member in view["members"]}
        check(not by_push[self.devices[POLLING].id], f"{POLLING} has push disabled and was woken by push")
        check(all(by_push[self.devices[name].id] for name in self.inside if name != POLLING), f"by push: {by_push}")
        say(f"{POLLING} found it by polling, the others were woken by push")
        holders = [name for name in self.devices if self.devices[name].status().get("exclusive")]
        check(holders == [EXCLUSIVE_TO], f"the exclusive file is on {holders}")
        say(f"the exclusive file {EXCLUSIVE_NAME} is on {EXCLUSIVE_TO} only")

    # -- step 4

    def results(self, name, first, last):
        lines = [line.get("result") or {} for line in self.devices[name].result_lines()]
        return [line for line in lines if first <= line.get("image", -1) < last]

    def uses_rows(self, name):
        return self.devices[name].profile["device_class"] == "mid"

    def send(self, name, indexes, base=0):
        lines = self.digits.events(indexes, int(time.time() * 1000), rows=self.uses_rows(name), step_ms=20)
        if base:
            lines = [self._renumber(line, base) for line in lines]
        self.devices[name].send(lines)

    @staticmethod
    def _renumber(line, base):
        event = json.loads(line)
        if "image" in event["data"]:
            event["data"]["image"] += base
        return json.dumps(event)

    def images(self):
        """4. 450 real images as events; results, windows and records"""
        labels = {str(index): str(label) for index, label in enumerate(self.digits.labels)}
        self.server.api.put("/labels/digits", {"labels": labels})
        count = len(self.digits.labels)
        share = {name: list(range(number, count, len(self.inside))) for number, name in enumerate(self.inside)}
        for name, indexes in share.items():
            self.send(name, indexes)
        for name, indexes in share.items():
            wait_for(f"{name}'s {len(indexes)} results", lambda: len(self.results(name, 0, count)) >= len(indexes), 60)
        def counted():
            answer = self.server.api.get(f"/accuracy?set=digits&stream={STREAM}&key=image&value=digit")
            return answer if answer["rows"] >= count else None
        self.accuracy = wait_for("450 records to come up the tunnel", counted, 60)
        say(f"server joined {self.accuracy['rows']} records with its labels: {self.accuracy['right']} right, "
            f"accuracy {self.accuracy['accuracy']:.4f}")
        check(self.accuracy["rows"] == count, f"{self.accuracy['rows']} records, {count} images")
        check(round(self.accuracy["accuracy"], 4) >= MIN_ACCURACY, f"accuracy {self.accuracy['accuracy']}")
        self.check_windows(count)

    def rows(self, stream, device=None):
        rows, after = [], 0
        while True:
            query = f"/streams/{stream}?after={after}&limit=1000" + (f"&device={device}" if device else "")
            page = self.server.api.get(query)
            rows += page["rows"]
            if not page["rows"] or page["next"] is None or page["next"] == after:
                return rows
            after = page["next"]

    def check_windows(self, count):
        """The windows of all devices together must hold exactly the records that their filter lets through."""
        sure = [row["data"] for row in self.rows(STREAM) if row["data"]["confidence"] >= 0.5]
        wanted = collections.Counter(row["digit"] for row in sure)
        def windows():
            got, weighted = collections.Counter(), 0.0
            for row in self.rows(WINDOWS):
                got[row["data"]["digit"]] += row["data"]["images"]
                weighted += row["data"]["images"] * row["data"]["mean_confidence"]
            return (got, weighted) if sum(got.values()) >= len(sure) else None
        got, weighted = wait_for("the last windows to close", windows, 60, 0.5)
        check(got == wanted, f"windows count {dict(got)}, records {dict(wanted)}")
        mean = sum(row["confidence"] for row in sure) / len(sure)
        check(abs(weighted / len(sure) - mean) < 1e-6, f"windows' mean {weighted / len(sure)}, records' {mean}")
        say(f"windows: {len(self.rows(WINDOWS))} rows count {sum(got.values())} images with confidence >= 0.5, mean {mean:.4f}; "
            f"exactly what the records give")

    # -- step 5

    def _start_background(self):
        """Devices go on seeing images, one a second, while versions come and go."""
        self._ended.clear()
        def work():
            number = 0
            while not self._ended.wait(1):
                for name in self.inside:
                    self.send(name, [number % len(self.digits.images)], BACKGROUND_IMAGES)
                number += 1
        self._background = threading.Thread(target=work, daemon=True)
        self._background.start()

    def _stop_background(self):
        self._ended.set()
        if self._background:
            self._background.join()
            self._background = None

    def bad_versions(self):
        """5a. Version 2 gives a wrong output, version 3 fails on one class of devices"""
        self._start_background()
        self.publish("2.0.0", "--fallback", "1.0.0", "--base", self.packages["1.0.0"])
        view = self.follow(self.release("2.0.0"), ["failed_simulation"])
        check(not view["members"], "a device got version 2")
        say(f"stopped before any device: {view['reason']}")
        # Held before its end, so that it cannot be complete before the second device of that class fails.
        self.publish("3.0.0", "--fallback", "1.0.0", "--base", self.packages["1.0.0"])
        view = self.follow(self.release("3.0.0", hold=True), ["rolled_back"])
        failed = [member for member in view["members"] if member["outcome"] == "failed"]
        names = {device.id: name for name, device in self.devices.items()}
        check(failed and {names[member["device"]] for member in failed} <= {"d3", "d4"},
              f"failed devices: {[names[member['device']] for member in failed]}")
        gate = max(view["gates"], key=lambda item: item["evidence"])
        say(f"stopped and rolled back: {view['reason']}")
        say(f"gate of {gate['slice']}: {gate['failed']} of {gate['devices']} failed, evidence {gate['evidence']:.1f} "
            f"against {gate['threshold']:.0f}")
        self.wait_versions("1.0.0")

    def good_version(self):
        """5b. Version 4 is good and comes as a delta"""
        self.publish("4.0.0", "--fallback", "1.0.0", "--base", self.packages["1.0.0"])
        full, delta = self.published["4.0.0"]["full"]["length"], self.published["4.0.0"]["delta"]["length"]
        say(f"delta {delta} bytes of full {full}: {delta / full:.3f}")
        check(delta <= MAX_DELTA_SHARE * full, f"the delta is {delta / full:.2f} of the full package")
        view = self.follow(self.release("4.0.0"), ["complete"])
        self.wait_versions("4.0.0")
        view = self.server.api.get(f"/releases/{view['id']}")
        check(all(member["was_delta"] for member in view["members"]), "a device pulled the full package")
        check(all(member["outcome"] != "failed" for member in view["members"]), "a device failed with version 4")
        self._stop_background()

    # -- step 6

    def queued(self):
        """Records that wait on each device, once each has as many as it made without a server."""
        counts = {name: self.devices[name].status()["outbox"]["queued"] for name in self.inside}
        return counts if min(counts.values()) >= OFFLINE_EACH else None

    def cut_off(self):
        """6. The server is cut off; devices go on alone and deliver each record once when it is back"""
        time.sleep(1)
        self.server.kill()
        wait_for("devices to notice", lambda: all(
            self.devices[name].status().get("mode") == "local_only" for name in self.inside), 60)
        for number, name in enumerate(self.inside):
            first = number * OFFLINE_EACH
            self.send(name, range(first, first + OFFLINE_EACH), OFFLINE_IMAGES)
        last = OFFLINE_IMAGES + 450
        for name in self.inside:
            wait_for(f"{name}'s results without a server", lambda: len(self.results(name, OFFLINE_IMAGES, last)) == OFFLINE_EACH)
        queued = wait_for("the records to wait in the outboxes", self.queued)
        say(f"server is gone; {OFFLINE_EACH} inferences on each device; queued records {queued}")
        self.server.start()
        self.server.api.login(self.server.password)
        def arrived():
            rows = [row["data"]["image"] for row in self.rows(STREAM) if row["data"]["image"] >= OFFLINE_IMAGES]
            return rows if len(rows) >= OFFLINE_EACH * len(self.inside) else None
        rows = wait_for("the queued records", arrived, COME_BACK_SECONDS, 0.5)
        wait_for("empty outboxes", lambda: all(
            self.devices[name].status()["outbox"]["queued"] == 0 for name in self.inside), 60)
        everything = collections.Counter((row["device"], row["outbox"], row["seq"]) for row in self.rows(STREAM))
        check(len(rows) == OFFLINE_EACH * len(self.inside) == len(set(rows)), f"{len(rows)} records, {len(set(rows))} different")
        check(max(everything.values()) == 1, "a record was stored twice")
        say(f"back: {len(rows)} queued records arrived, each exactly once")
