"""Events of two tasks that work together: a rule over rows of another task's stream, why it fired or not, and a replay."""
import json
import time

from checks import check, say
from fleet import wait_for

DEVICE = "d6"  # the one that no digits task ran on: the table at the end counts what ran since its last start
RULE = 'device_class == "high" and app_version >= "2.0.0"'
STAGES = [{"kind": "full", "min_healthy_ms": 200, "min_reports": 1}]
VERSION = "1.0.0"
LOOKS, OFFERS = "looks", "offers"
RULE_NAME = "wavers"
SENT = "looks.sent"
LONG_MS = 5000     # a look that counts
WITHIN_MS = 3000   # without a purchase after it
# The user is a field that must not leave the device: what goes up has only the item.
LOOKS_SCRIPT = f'''from ferry import stream

stream.field("user", "local")
stream.stream("long", source="view", operators=[stream.filter("ms >= {LONG_MS}"), stream.map(user="user", item="item", ms="ms")])
stream.stream("{SENT}", source="long", operators=[stream.map(item="item", ms="ms")], upload=True)
'''
OFFERS_SCRIPT = '''def on_waver(match):
    return {"offer": match["steps"]["look"][0]["data"]["item"]}
'''
OFFERS_RULE = {"name": RULE_NAME, "per": ["user"], "within_ms": WITHIN_MS, "to": "on_waver", "steps": [
    {"name": "look", "event": f"{LOOKS}/long"}, {"name": "add", "event": "cart", "where": "item == look.item"},
    {"name": "bought", "event": "buy", "where": "item == look.item", "not": True}]}
TASKS = {LOOKS: ({}, LOOKS_SCRIPT), OFFERS: ({"rules": [OFFERS_RULE], "fields": {"user": "local"}}, OFFERS_SCRIPT)}
# (event, user, item, ms of a look): who looks long, adds the item and does not buy it is a waver.
WAVER, BUYER, HASTY, LOOKER = "ann", "bob", "cid", "dora"
VISITS = [("view", WAVER, 1, 8000), ("cart", WAVER, 1, 0), ("view", BUYER, 2, 9000), ("cart", BUYER, 2, 0), ("buy", BUYER, 2, 0),
          ("view", HASTY, 3, 1000), ("cart", HASTY, 3, 0), ("view", LOOKER, 4, 7000)]
# The clock makes the rule fire; in a recording only events tell the time. Its row says that all before it was worked off.
LAST = ("view", "eve", 5, 6000)


class PipelineSteps:
    def __init__(self, job):
        self.job = job

    def steps(self):
        return [self.rule_over_two_tasks]

    def rule_over_two_tasks(self):
        """8g. A rule over two tasks, its explanation, and a replay"""
        for name in TASKS:
            self.release(name)
        self.send_visits()
        self.record()
        self.explain()
        self.replay()
        (self.device.folder / "status.json").unlink()
        self.device.start()
        wait_for(f"{DEVICE} to come back", self.device.connected)

    @property
    def device(self):
        return self.job.devices[DEVICE]

    def folder(self, name):
        return self.job.folder / name

    def release(self, name):
        members, script = TASKS[name]
        self.folder(name).mkdir()
        (self.folder(name) / "task.json").write_text(json.dumps({"name": name, "version": VERSION, "script": "task.py", **members}))
        (self.folder(name) / "task.py").write_text(script)
        checked = self.job.cli("stream", "check", self.folder(name))
        check(not checked["warnings"], f"{name}: {checked['warnings']}")
        for leaving in checked["leaves"]:
            say(f"{name}: stream {leaving['stream']} gives {', '.join(leaving['fields'])} to {', '.join(leaving['to'])}")
            check("user" not in leaving["fields"], "the user would leave")
        package, stages = self.job.folder / f"{name}.fpk", self.job.folder / "pipeline-stages.json"
        self.job.cli("pack", self.folder(name), "-o", package)
        self.job.cli("publish", package, "--dir", self.job.publisher)
        stages.write_text(json.dumps(STAGES))
        release = self.job.cli("release", "start", "--package", name, "--version", VERSION, "--rule", RULE, "--stages", stages)["id"]
        self.job.follow(release, ["complete"])
        wait_for(f"{DEVICE} to run {name}",
                 lambda: self.device.status().get("packages", {}).get(name, {}).get("version") == VERSION)

    def send(self, visits, first_ms):
        lines = []
        for number, (event, user, item, ms) in enumerate(visits):
            data = {"user": user, "item": item, **({"ms": ms} if ms else {})}
            lines.append(json.dumps({"id": event, "time_ms": first_ms + number, "data": data}))
        self.device.send(lines)

    def offers(self):
        return [line["result"] for line in self.device.result_lines() if line["package"] == OFFERS]

    def send_visits(self):
        self.first_ms = int(time.time() * 1000)
        self.send(VISITS, self.first_ms)
        offers = wait_for("the rule to fire", self.offers)
        self.send([LAST], max(int(time.time() * 1000), self.first_ms + WITHIN_MS + len(VISITS)))
        long = [(item, ms) for event, _, item, ms in [*VISITS, LAST] if event == "view" and ms >= LONG_MS]
        rows = wait_for("the rows to come up", lambda: self.sent() if len(self.sent()) >= len(long) else None)
        check([(row["item"], row["ms"]) for row in rows] == long, f"rows {rows}, long looks {long}")
        self.rows = rows
        check(offers == [{"offer": 1}], f"offers: {offers}")
        say(f"{len(VISITS) + 1} events on {DEVICE}: {len(rows)} rows of {LOOKS} for the rule of {OFFERS}, which fired {len(offers)} time: "
            f"{json.dumps(offers[0])}")

    def sent(self):
        return [row["data"] for row in self.job.rows(SENT, self.device.id)]

    def record(self):
        """Of a device that does not run: its log is its own."""
        self.recorded = self.job.folder / "recorded.jsonl"
        self.device.stop()
        answer = self.job.cli("stream", "record", self.device.folder / "state", "-o", self.recorded, "--since", self.first_ms)
        check(answer["events"] == len(VISITS) + 1, f"recorded {answer}")
        say(f"recorded {answer['events']} events of its log, {answer['first']} to {answer['last']}")

    def why(self, user):
        return self.job.cli("stream", "explain", "--rules", self.folder(OFFERS), "--rule", RULE_NAME, "--with", self.folder(LOOKS),
                            "--events", self.recorded, "--key", user)

    def explain(self):
        lines = {(event, user): number for number, (event, user, _, _) in enumerate(VISITS)}
        def steps(user, *names):
            return {step: [lines[event, user]] for step, event in (("look", "view"), ("add", "cart")) if step in names}
        wanted = {WAVER: (True, steps(WAVER, "look", "add"), None, None),
                  BUYER: (False, steps(BUYER, "look", "add"), "bought", f"`not bought` by event {lines['buy', BUYER]}"),
                  HASTY: (False, {}, "look", None),
                  LOOKER: (False, steps(LOOKER, "look"), "add", None)}
        for user, expected in wanted.items():
            why = self.why(user)
            told = (why["fired"], why["steps"], why["waiting_for"], why["ended_by"])
            check(told == expected, f"{user}: {told}, wanted {expected}")
            say(f"{user}: {'fired' if why['fired'] else 'did not fire'}, events {json.dumps(why['steps'])}"
                + (f", waited for {why['waiting_for']}" if why["waiting_for"] else "")
                + (f", ended: {why['ended_by']}" if why["ended_by"] else ""))

    def replay(self):
        answer = self.job.cli("stream", "replay", self.folder(LOOKS), "--events", self.recorded)
        rows = [line["row"] for line in answer["lines"] if line["kind"] == "row" and line["stream"] == SENT]
        check(rows == self.rows, f"replayed {rows}, sent {self.rows}")
        again = self.job.cli("stream", "replay", self.folder(OFFERS), "--with", self.folder(LOOKS), "--events", self.recorded)
        results = [line["result"] for line in again["lines"] if line["kind"] == "result"]
        check(results == self.offers(), f"replayed {results}, the device said {self.offers()}")
        say(f"replayed: the {len(rows)} rows that the device sent, and the {len(results)} result of its rule")
