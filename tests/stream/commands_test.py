"""ferry stream check, explain, record, replay and top."""
import json
import unittest

from fixture import Folder
from run_test import RULES, STREAMS, joined, shopping

TASK = {"name": "counter", "version": "1.0.0", "script": "task.py", "entry": "on_trigger",
        "trigger": {"sequence": [{"event": "view"}, {"event": "add"}]},
        "rules": [{"name": "pair", "app": True, "steps": [{"name": "a", "event": "add", "times": [2, 2]}]}],
        "streams": [{"name": "dear", "source": "view", "upload": True, "operators": [
            {"op": "filter", "where": "price > 30"}]}]}
SCRIPT = "def on_trigger(matched):\n    return {'price': matched[-1]['data']['price']}\n"


class CheckTest(unittest.TestCase):
    def test_states_memory_and_what_leaves(self):
        with Folder() as folder:
            folder.write("rules", RULES)
            folder.write("streams", STREAMS)
            answer = folder.run("check", "--rules", "rules", "--streams", "streams")
            cart = answer["rules"][0]
            self.assertEqual((cart["name"], cart["states"], cart["max_keys"]), ("cart", 4, 10_000))
            self.assertEqual(cart["max_events"], 4 * 10_000 * 10_000)
            self.assertGreater(cart["memory_bytes"], cart["max_events"])
            leaves = {one["stream"]: one for one in answer["leaves"]}
            self.assertEqual(leaves["views"]["to"], ["upload"])
            self.assertEqual(leaves["views"]["fields"], ["mean", "n", "user", "window_end_ms", "window_start_ms"])
            self.assertEqual(leaves["last_price"]["to"], ["into prices"])
            self.assertEqual(leaves["carts"]["fields"], ["now", "seen", "user"])
            self.assertEqual(len(answer["warnings"]), 1)
            self.assertIn("rule left leads nowhere", answer["warnings"][0])

    def test_any_file_says_what_it_is(self):
        with Folder() as folder:
            folder.write("text", "rule a { a: a }")
            folder.write("list", RULES["rules"])
            folder.write("streams", STREAMS["streams"][:1])
            (folder.path / "task").mkdir()
            folder.write("task/task.json", TASK)
            for name, rules, streams in (("text", 1, 0), ("list", 2, 0), ("streams", 0, 1), ("task", 1, 1)):
                answer = folder.run("check", name)
                self.assertEqual((len(answer["rules"]), len(answer["streams"])), (rules, streams), name)
            leaves = folder.run("check", "task")["leaves"]
            self.assertEqual(leaves, [{"stream": "dear", "to": ["upload"], "fields": ["*"]}])
            # With its script a task is taken as packing takes it: with what the script declares.
            folder.write("task/task.py", "from ferry import stream\n\nstream.rule('rule more { a: add }')\n" + SCRIPT)
            answer = folder.run("check", "task")
            self.assertEqual([rule["name"] for rule in answer["rules"]], ["pair", "more"])
            self.assertIn("rule more leads nowhere", answer["warnings"][0])

    def test_errors_name_their_place(self):
        with Folder() as folder:
            folder.write("text", "rule a {\n  a: a;\n  b: b times 0..\n}")
            folder.write("streams", [{"name": "s", "source": "a", "operators": [{"op": "filter", "were": "x"}]}])
            for name, part in (("text", "line 4, column 1"), ("streams", "were")):
                status, answer, _ = folder.run("check", name, ok=False)
                self.assertEqual((status, answer["error"]["name"]), (1, "malformed"))
                self.assertIn(part, answer["error"]["text"])


class ExplainTest(unittest.TestCase):
    def test_fired_and_not(self):
        with Folder() as folder:
            folder.write("rules", "rule r per u { a: a; then strict b: b; within 10 ms } rule other { x: never }")
            folder.write("events", joined([
                "no event", '{"id":"a","time_ms":1,"data":{"u":"ann"}}', '{"id":"b","time_ms":2,"data":{"u":"ann"}}',
                '{"id":"a","time_ms":3,"data":{"u":"bob"}}', '{"id":"c","time_ms":4,"data":{"u":"bob"}}']))
            for source in (["--events", "events"], ["--state", "state"]):
                if source[0] == "--state":
                    folder.stream()
                words = ["explain", "--rules", "rules", *source, "--rule"]
                self.assertEqual(folder.run(*words, "r"), {
                    "fired": True, "steps": {"a": [1], "b": [2]}, "waiting_for": None, "ended_by": None})
                for key in ("bob", '["bob"]'):
                    self.assertEqual(folder.run(*words, "r", "--key", key), {
                        "fired": False, "steps": {"a": [3]}, "waiting_for": "b",
                        "ended_by": "strict: event 4 does not fit b"})
                self.assertEqual(folder.run(*words, "other")["waiting_for"], "x")
                self.assertEqual(folder.run(*words, "none", ok=False)[1]["error"]["name"], "not_found")


class TasksTest(unittest.TestCase):
    """A rule whose events are rows of another task's stream."""
    VIEWS = {"name": "views", "version": "1.0.0", "script": "task.py",
             "streams": [{"name": "long", "source": "view", "app": True, "operators": [
                 {"op": "filter", "where": "ms >= 100"}]}]}
    OFFERS = {"name": "offers", "version": "1.0.0", "script": "task.py", "rules": [
        {"name": "cart", "per": ["u"], "app": True, "within_ms": 50,
         "steps": [{"name": "look", "event": "views/long"}, {"name": "add", "event": "add"}]}]}
    EVENTS = [{"id": "view", "time_ms": 1, "data": {"u": "ann", "ms": 100}}, {"id": "view", "time_ms": 2, "data": {"u": "bob", "ms": 9}},
              {"id": "add", "time_ms": 3, "data": {"u": "bob"}}, {"id": "add", "time_ms": 4, "data": {"u": "ann"}},
              {"id": "view", "time_ms": 5, "data": {"u": "cid", "ms": 200}}, {"id": "add", "time_ms": 99, "data": {"u": "cid"}}]

    def test_explain_and_replay_take_the_other_task_along(self):
        with Folder() as folder:
            for task in (self.VIEWS, self.OFFERS):
                (folder.path / task["name"]).mkdir()
                folder.write(f"{task['name']}/task.json", task)
                folder.write(f"{task['name']}/task.py", "")
            folder.events("events", self.EVENTS)
            words = ["explain", "--rules", "offers", "--with", "views", "--events", "events", "--key"]
            self.assertEqual(folder.run(*words, "ann"), {
                "fired": True, "steps": {"look": [0], "add": [3]}, "waiting_for": None, "ended_by": None})
            self.assertEqual(folder.run(*words, "bob")["waiting_for"], "look")
            self.assertEqual(folder.run(*words, "cid"), {
                "fired": False, "steps": {"look": [4]}, "waiting_for": "add", "ended_by": "within_ms passed at event 5"})
            answer = folder.run("replay", "offers", "--with", "views", "--events", "events")
            self.assertEqual((answer["matches"], answer["rows"]), (1, 0))
            self.assertEqual(answer["lines"][0]["key"], ["ann"])
            self.assertEqual(folder.run("replay", "offers", "--events", "events")["matches"], 0)
            self.assertEqual(folder.run("replay", "views", "--events", "events")["rows"], 2)


class RecordTest(unittest.TestCase):
    def test_what_was_recorded_runs_again(self):
        lines = shopping(21, 300)
        with Folder() as folder:
            folder.write("rules", RULES)
            folder.write("streams", STREAMS)
            folder.write("events", joined(lines))
            first = folder.stream()
            answer = folder.run("record", "state", "-o", "recorded")
            self.assertEqual(answer["events"], first["events"])
            again = folder.stream(events="recorded", state="again", out="again.out")
            self.assertEqual((again["matches"], again["rows"], again["drops"]),
                             (first["matches"], first["rows"], 0))
            events = folder.lines("recorded")
            folder.run("record", "state", "-o", "part", "--from", 10, "--to", 20, "--since", events[9]["time_ms"])
            part = folder.lines("part")
            self.assertTrue(0 < len(part) <= 11)
            self.assertTrue(all(event["time_ms"] >= events[9]["time_ms"] for event in part))

    def test_no_log(self):
        with Folder() as folder:
            self.assertEqual(folder.run("record", ".", "-o", "x", ok=False)[1]["error"]["name"], "not_found")


class ReplayTest(unittest.TestCase):
    def test_a_task_over_recorded_events(self):
        lines = [line for line in shopping(22, 60) if '"id"' in line and "time_ms" in line and "-4" not in line]
        with Folder() as folder:
            (folder.path / "task").mkdir()
            folder.write("task/task.json", TASK)
            folder.write("task/task.py", SCRIPT)
            folder.write("events", joined(lines))
            answer = folder.run("replay", "task", "--events", "events", "--out", "out")
            self.assertEqual(answer["errors"], 0)
            kinds = {}
            for line in folder.lines():
                kinds.setdefault(line["kind"], []).append(line)
            events = [json.loads(line) for line in lines]
            dear = [event["data"] for event in events if event["id"] == "view" and event["data"]["price"] > 30]
            self.assertEqual([row["row"] for row in kinds["row"]], dear)
            adds = [k for k, event in enumerate(events) if event["id"] == "add"]
            self.assertEqual([match["steps"]["a"] for match in kinds["match"]],
                             [[a, b] for a, b in zip(adds[::2], adds[1::2])])
            for result in kinds["result"]:
                self.assertEqual(result["result"]["price"], events[result["line"]]["data"]["price"])
            self.assertEqual(len(kinds["result"]), answer["results"])


class TopTest(unittest.TestCase):
    def test_what_costs_most_is_first(self):
        with Folder() as folder:
            folder.write("rules", "rule idle { x: never } rule busy { a: view; b: add }")
            folder.write("events", joined(shopping(23, 200)))
            top = folder.run("top", "rules", "--events", "events")["top"]
            self.assertEqual([one["name"] for one in top], ["busy", "idle"])
            self.assertGreater(top[0]["matches"], 10)
            self.assertGreaterEqual(top[0]["ns_per_event"], 0)
            self.assertEqual(len(folder.run("top", "rules", "--events", "events", "--count", 1)["top"]), 1)


if __name__ == "__main__":
    unittest.main()
