"""ferry.stream: what a script declares beside its functions, packed, run, tested and under CPython."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("FERRY_BIN", "build/release/bin")).resolve() / "ferry"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "sdk/python"), "FERRY_CLI": str(PROGRAM), "FERRY_LOG": "warn",
               "PYTHONDONTWRITEBYTECODE": "1"}

SCRIPT = '''from ferry import events, stream

items = stream.table("items", key="item", columns={"item": "text", "price": "float"})
stream.field("user.name", "local")

stream.stream("prices", source="price", into=items,
              operators=[stream.map(item="item", price="price")])


@stream.rule("cart per user.id { seen: view; then add: add_to_cart where price == seen.price; within 10 min }")
def on_cart(match):
    added = match["steps"]["add"][0]["data"]
    events.emit("carts", {"item": added["item"], "price": added["price"]})
    return {"key": match["key"], "price": added["price"]}


@stream.rule("left", per="user.id", within_ms=600000, steps=[
    stream.step("seen", event="view"), stream.step("gone", event="add_to_cart", not_=True)])
def on_left(match):
    return match["steps"]["seen"][0]["data"]["item"]


@stream.stream("visits", source="page_enter", operators=[
    stream.filter("_page == \\"item\\""), stream.lookup(items, "item"), stream.map(item="item", price="items.price")],
    upload=True)
def on_visit(row):
    return row["row"]["price"]


stream.stream("carts", upload=True, operators=[stream.map(price="bucket(price, 5)")])
'''

CASES = {"cases": [
    {"name": "a cart", "events": [
        {"id": "price", "time_ms": 1000, "data": {"item": "a", "price": 7.5}},
        {"id": "page_enter", "page": "item", "time_ms": 2000, "data": {"item": "a"}},
        {"id": "page_enter", "page": "home", "time_ms": 2500, "data": {"item": "a"}},
        {"id": "view", "time_ms": 3000, "data": {"user": {"id": 1, "name": "n"}, "item": "a", "price": 7.5}},
        {"id": "add_to_cart", "time_ms": 4000, "data": {"user": {"id": 1, "name": "n"}, "item": "a", "price": 7.5}}],
     "functions": {"on_cart": [{"key": [1], "price": 7.5}], "on_visit": [7.5], "on_left": []}},
    {"name": "no cart", "events": [
        {"id": "view", "time_ms": 3000, "data": {"user": {"id": 1, "name": "n"}, "item": "b", "price": 1}}],
     "functions": {"on_cart": [], "on_left": ["b"]}}]}


class Stream(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name) / "shop"
        self.folder.mkdir()
        self.write(SCRIPT)
        (self.folder / "cases.json").write_text(json.dumps(CASES))

    def write(self, script, **more):
        (self.folder / "task.py").write_text(script)
        task = {"name": "shop", "version": "1.0.0", "script": "task.py", "simulation": {"cases": "cases.json"}, **more}
        (self.folder / "task.json").write_text(json.dumps(task))

    def ferry(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env=ENVIRONMENT, timeout=120)

    def packed(self):
        package = self.folder.parent / "shop.fpk"
        done = self.ferry("pack", self.folder, "-o", package)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(self.ferry("inspect", package, "--json").stdout)["manifest"]["task"]

    def refused(self, *parts):
        """Packing, checking and running all say the same."""
        for command in (["pack", self.folder, "-o", self.folder.parent / "no.fpk"], ["task", "check", self.folder]):
            done = self.ferry(*command)
            self.assertEqual(done.returncode, 1, (done.stdout, done.stderr))
            for part in parts:
                self.assertIn(part, done.stderr + done.stdout)

    def test_the_package_has_what_the_script_declares(self):
        task = self.packed()
        self.assertEqual([(one["name"], one.get("to")) for one in task["rules"]],
                         [("cart", "on_cart"), ("left", "on_left")])
        self.assertEqual(task["rules"][0]["within_ms"], 600000)
        self.assertEqual(task["rules"][0]["per"], ["user.id"])
        self.assertEqual([(one["name"], one.get("to")) for one in task["streams"]],
                         [("prices", None), ("visits", "on_visit"), ("carts", None)])
        self.assertEqual(task["streams"][2]["source"], "carts")
        self.assertEqual(task["tables"], [{"name": "items", "key": ["item"],
                                           "columns": {"item": "text", "price": "float"}}])
        self.assertEqual(task["fields"], {"user.name": "local"})

    def test_cpython_collects_the_same(self):
        task = self.packed()
        program = ("import json, sys; sys.path.insert(0, sys.argv[1]); import task; from ferry import stream; "
                   "print(json.dumps(stream.declared))")
        done = subprocess.run([sys.executable, "-c", program, str(self.folder)], capture_output=True, text=True,
                              env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        declared = json.loads(done.stdout)
        streams = [one["spec"] | ({"to": one["function"]} if one["function"] else {}) for one in declared
                   if one["kind"] == "stream"]
        self.assertEqual(streams, task["streams"])
        self.assertEqual([one["spec"] for one in declared if one["kind"] == "table"], task["tables"])
        self.assertEqual([one["function"] for one in declared if one["kind"] == "rule"], ["on_cart", "on_left"])
        self.assertEqual([one["line"] for one in declared][:3], [3, 4, 6])

    def test_run_test_and_cpython(self):
        done = self.ferry("task", "test", self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 passed, 0 failed", done.stdout)
        events = self.folder.parent / "events.json"
        events.write_text(json.dumps(CASES["cases"][0]["events"]))
        ours = json.loads(self.ferry("task", "run", self.folder, "--events", events, "--json").stdout)
        outcomes = [(one["event"], one["function"], one["result"]) for one in ours["outcomes"]]
        self.assertEqual(outcomes, [(1, "on_visit", 7.5), (4, "on_cart", {"key": [1], "price": 7.5})])
        self.assertEqual([(one["stream"], one["row"]) for one in ours["rows"]],
                         [("visits", {"item": "a", "price": 7.5}), ("carts", {"price": 5.0})])
        theirs = subprocess.run([sys.executable, "-m", "ferry", self.folder, "--events", events],
                                capture_output=True, text=True, env=ENVIRONMENT)
        self.assertEqual(theirs.returncode, 0, theirs.stderr)
        theirs = json.loads(theirs.stdout)
        self.assertEqual([(one["event"], one["function"], one["result"]) for one in theirs["outcomes"]], outcomes)
        self.assertEqual(theirs["left"], [[one["stream"], one["row"]] for one in ours["rows"]])
        self.assertEqual(theirs["rows"], [["carts", {"item": "a", "price": 7.5}]])

    def test_cases_name_what_differs(self):
        wrong = json.loads(json.dumps(CASES))
        wrong["cases"][0]["functions"]["on_cart"] = []
        (self.folder / "cases.json").write_text(json.dumps(wrong))
        done = self.ferry("task", "test", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("on_cart: expected 0 runs, got 1", done.stdout)

    def test_errors_name_file_and_line(self):
        place = str(self.folder / "task.py")
        start = "from ferry import stream\n\n"
        for text, parts in [
            ("@stream.rule('cart { seen: view; within 10 mn }')\ndef f(m): pass\n",
             [f"{place}:3: ", "line 1, column 30"]),
            ("stream.rule('a { s: v }', per='x')\n", [f"{place}:3: ", '"per" stands in the rule\'s text']),
            ("stream.rule('a', steps=[stream.step('s', evnt='v')])\n", [f"{place}:3: ", '"evnt"', '"event"']),
            ("stream.stream('a', operators=[stream.filter('x >')], upload=True)\n", [f"{place}:3: ", "stream a: operator 1"]),
            ("stream.stream('a', uplod=True)\n", [f"{place}:3: ", '"uplod"']),
            ("stream.table('t', key='k', columns={'k': 'txt'})\nstream.stream('a', app=True)\n", [f"{place}:3: ", "k is int, float, text, bool or json"]),
            ("stream.stream('a', app=True)\nstream.stream('a', app=True)\n",
             [f"{place}:4: stream a: {place}:3 has a stream of this name"]),
            ("stream.stream('a', app=True)\nstream.rule('a { s: v }', app=True)\n", [f"{place}:4: rule a: {place}:3 has a stream"]),
            ("@stream.rule('a { s: v }')\ndef f(m): pass\ndef f(m): return 1\n",
             [f"{place}:3: rule a: task.py has another f under this name"]),
            ("def g():\n    @stream.rule('a { s: v }')\n    def f(m): pass\ng()\n",
             [f"{place}:4: rule a: task.py has no function f at its top"]),
            ("@stream.rule('a { s: v }', to='f')\ndef f(m): pass\n", [f"{place}:3: rule a", "leave it out"]),
            ("stream.rule('a { s: v }', to='on_cart')\ndef on_crat(m): pass\n", ['no function "on_cart"', '"on_crat" is near']),
            ("stream.field('age', 'secret')\nstream.stream('a', app=True)\n", [f"{place}:3: ", 'class "secret"']),
            ("while True: pass\n", ["the script's top level"]),
        ]:
            with self.subTest(text):
                self.write(start + text, limits={"steps": 100000})
                self.refused(*parts)

    def test_names_of_task_json_are_taken(self):
        given = {"streams": [{"name": "visits", "source": "x", "app": True}]}
        self.write(SCRIPT, **given)
        self.refused(f"stream visits: {self.folder / 'task.json'} has a stream of this name", "task.py:23")
        given = {"streams": [{"name": "more", "source": "x", "app": True}], "rules": "rule text { s: view }"}
        self.write(SCRIPT + "stream.stream('of_text', source='text', app=True)\n", **given)
        task = self.packed()
        self.assertEqual([one["name"] for one in task["rules"]], ["text", "cart", "left"])
        self.assertEqual([one["name"] for one in task["streams"]], ["more", "prices", "visits", "carts", "of_text"])

    def test_declarations_of_modules(self):
        (self.folder / "parts").mkdir()
        (self.folder / "parts/__init__.py").write_text("")
        (self.folder / "parts/visits.py").write_text(
            "from ferry import stream\n\n\n@stream.stream('visits', source='view')\ndef on_visit(row): return 1\n")
        self.write("from parts.visits import on_visit\n")
        self.assertEqual(self.packed()["streams"][0]["to"], "on_visit")
        self.write("import parts.visits\n")
        self.refused(f"{self.folder}/parts/visits.py:4: stream visits: task.py has no function on_visit at its top")

    def test_json_functions_exist(self):
        self.write("def on_visit(row): return 1\n", streams=[{"name": "v", "source": "view", "to": "on_vist"}])
        self.refused('task.py has no function "on_vist"')

    def test_local_fields_do_not_leave(self):
        place = str(self.folder / "task.py")
        self.write("from ferry import stream\n\nstream.field('user.name')\n"
                   "stream.stream('up', source='view', upload=True,\n"
                   "              operators=[stream.map(who='user.name')])\n")
        self.refused(f"{place}:4: stream up: field who carries user.name, which is local", "min_rows 10")
        self.write("from ferry import stream\n", fields={"user.name": "local"},
                   streams=[{"name": "up", "source": "view", "upload": True}])
        self.refused("stream up: field user.name carries user.name, which is local")
        self.write("from ferry import stream\n\nstream.field('user.name')\n"
                   "stream.stream('up', source='view', upload=True,\n"
                   "              operators=[stream.map(who='keyed_hash(user.name)', age='bucket(age, 10)')])\n")
        self.packed()

    def test_scripts_do_not_let_local_fields_out(self):
        self.write("from ferry import events, stream\n\nstream.field('name')\n"
                   "stream.stream('up', upload=True, operators=[stream.map(x='x')])\n"
                   "@stream.rule('r { s: view }')\n"
                   "def f(match):\n    events.emit('up', {'x': match['steps']['s'][0]['data']['name']})\n")
        events = self.folder.parent / "events.json"
        events.write_text('[{"id": "view", "time_ms": 1, "data": {"name": "n"}}]')
        done = self.ferry("task", "run", self.folder, "--events", events, "--json")
        self.assertEqual(done.returncode, 1, done.stdout)
        read = json.loads(done.stdout)
        self.assertIn('"up" leads up as it is', read["outcomes"][0]["error"]["text"])
        self.assertEqual(read["rows"], [])


if __name__ == "__main__":
    unittest.main()
