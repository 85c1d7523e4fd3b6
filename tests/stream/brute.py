"""Rules by brute force: every way to give steps positions is tried and held against the definition, clause by clause.

Written after the definition alone; what it shares with the program is the JSON form of rules.
"""
import itertools


class Conditions:
    """Expressions that random rules use, each with what it means: f(event, captured) -> bool, or None where it cannot
    be computed. `captured` maps a step's name to the data of its events before the tested one."""

    @staticmethod
    def _number(value):
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    @classmethod
    def compare(cls, sign, left, right):
        left, right = cls._number(left), cls._number(right)
        if left is None or right is None:
            return False
        return {">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right}[sign]

    @classmethod
    def plain(cls, random):
        bound, sign = random.randint(0, 3), random.choice([">", ">=", "<", "<="])
        choices = [
            (f"p {sign} {bound}", lambda data, _: cls.compare(sign, data.get("p"), bound)),
            ('q == "x"', lambda data, _: data.get("q") == "x"),
            ('q != "x"', lambda data, _: data.get("q") != "x"),
        ]
        return random.choice(choices)

    @classmethod
    def capturing(cls, random, step):
        sign = random.choice([">", ">=", "<", "<="])

        def last(data, captured):
            events = captured.get(step, [])
            return bool(events) and cls.compare(sign, data.get("p"), events[-1].get("p"))

        def count(data, captured):
            return cls.compare(sign, data.get("p"), len(captured.get(step, [])))
        return random.choice([(f"p {sign} {step}.p", last), (f"p {sign} count({step})", count)])


def fits(condition, event, captured):
    if condition.get("event") and condition["event"] != event["id"]:
        return False
    if condition.get("page") and condition["page"] != event["page"]:
        return False
    meaning = condition.get("meaning")
    return meaning is None or bool(meaning(event["data"], captured))


class Matches:
    """All matches of one rule over one key's events, as (flat positions, positions of each step)."""

    def __init__(self, rule, events):
        self.rule, self.steps, self.events = rule, rule["steps"], events

    def captured(self, lists, position):
        return {step["name"]: [self.events[at]["data"] for at in places if at < position]
                for step, places in zip(self.steps, lists)}

    def fits(self, k, lists, position):
        return fits(self.steps[k], self.events[position], self.captured(lists, position))

    def between(self, k, lists, p, q):
        return any(self.fits(k, lists, at) for at in range(p + 1, q))

    def near(self, how, k, lists, p, q):
        if how == "strict":
            return q == p + 1
        return how == "any" or not self.between(k, lists, p, q)

    def holds(self, lists):
        flat = [at for places in lists for at in places]
        if not flat:
            return False
        within = self.rule.get("within_ms", 0)
        if within and self.events[flat[-1]]["time_ms"] - self.events[flat[0]]["time_ms"] > within:
            return False
        before = None
        for k, places in enumerate(lists):
            step = self.steps[k]
            for p, q in itertools.pairwise(places):
                if not self.near(step.get("inner", "relaxed"), k, lists, p, q):
                    return False
            if places and before is not None:
                p, q = lists[before][-1], places[0]
                if not self.near(step.get("contiguity", "relaxed"), k, lists, p, q):
                    return False
                if any(self.steps[n].get("not") and self.between(n, lists, p, q) for n in range(before + 1, k)):
                    return False
                loop = self.steps[before]
                full = len(lists[before]) == loop.get("times", [1, 1])[1]
                if loop.get("greedy") and not full and self.between(before, lists, p, q):
                    return False
            if places:
                before = k
            if places and "until" in step:
                for at in range(places[0], places[-1] + 1):
                    if fits(step["until"], self.events[at], self.captured(lists, at)):
                        return False
        return True

    def choose(self, k=0, start=0, lists=()):
        if k == len(self.steps):
            if self.holds(lists):
                yield lists
            return
        step = self.steps[k]
        if step.get("not"):
            yield from self.choose(k + 1, start, lists + ((),))
            return
        if step.get("optional"):
            yield from self.choose(k + 1, start, lists + ((),))
        least, most = step.get("times", [1, 1])
        rest = ((),) * (len(self.steps) - k - 1)
        chosen = [((), start)]
        for size in range(1, most + 1):
            chosen = [(places + (at,), at + 1) for places, begin in chosen for at in range(begin, len(self.events))
                      if self.fits(k, lists + (places,) + rest, at)]
            if size >= least:
                for places, begin in chosen:
                    yield from self.choose(k + 1, begin, lists + (places,))


def skips(rule, left, start):
    """Whether the match `left`, which has left, drops one that starts at `start`."""
    flat = [at for places in left for at in places]
    how = rule.get("skip", "past_last")
    if how in ("none", "next", "past_last"):
        return {"none": False, "next": start == flat[0], "past_last": start <= flat[-1]}[how]
    end, name = how.split(":")
    places = left[[step["name"] for step in rule["steps"]].index(name)]
    return bool(places) and start < (places[0] if end == "first" else places[-1])


def match(rule, events):
    """The lines of the program's output for one rule, without its order among other rules: (line at which it leaves,
    the line as an object)."""
    keys = {}
    for line, event in enumerate(events):
        key = tuple(event["data"].get(field) for field in rule.get("per", []))
        keys.setdefault(key, []).append(line)
    trailing = [k for k, step in enumerate(rule["steps"])
                if all(later.get("not") for later in rule["steps"][k:])]
    out = []
    for key, lines in keys.items():
        matches = Matches(rule, [events[line] for line in lines])
        leaving = []
        for lists in matches.choose():
            flat = tuple(at for places in lists for at in places)
            at, time_ms = lines[flat[-1]], events[lines[flat[-1]]]["time_ms"]
            if trailing:
                time_ms = events[lines[flat[0]]]["time_ms"] + rule["within_ms"]
                at = next((n for n in range(at + 1, len(events)) if events[n]["time_ms"] > time_ms), None)
                if at is None:
                    continue
                quiet = [n for n, line in enumerate(lines) if lines[flat[-1]] < line < at]
                if any(matches.fits(k, lists, n) for k in trailing for n in quiet):
                    continue
            leaving.append((at, flat, lists, time_ms))
        left = []
        for at, flat, lists, time_ms in sorted(leaving, key=lambda one: one[:3]):
            if any(skips(rule, other, flat[0]) for other in left):
                continue
            left.append(lists)
            steps = {step["name"]: [lines[n] for n in places]
                     for step, places in zip(rule["steps"], lists) if places}
            out.append((at, {"kind": "match", "rule": rule["name"], "key": list(key), "steps": steps,
                             "time_ms": time_ms}))
    return out


def random_rule(random, name):
    """A small rule with a little of everything. Steps have "meaning" beside "where": see bare."""
    rule = {"name": name, "steps": []}
    if random.random() < 0.4:
        rule["per"] = ["u"]
    if random.random() < 0.6:
        rule["within_ms"] = random.randint(1, 60)
    count = random.randint(1, 3)
    earlier = []
    for k in range(count):
        step = {"name": f"s{k}", "event": random.choice("abc")}
        if random.random() < 0.4:
            use = earlier and random.random() < 0.5
            step["where"], step["meaning"] = (
                Conditions.capturing(random, random.choice(earlier)) if use else Conditions.plain(random))
        last = k == count - 1
        if k > 0 and random.random() < 0.25 and (not last or "within_ms" in rule):
            rule["steps"].append(step | {"not": True})
            continue
        earlier.append(step["name"])
        step["contiguity"] = random.choice(["strict", "relaxed", "relaxed", "any"])
        if random.random() < 0.4:
            least = random.randint(1, 2)
            step |= {"times": [least, least + random.randint(0, 2)], "greedy": random.random() < 0.3,
                     "inner": random.choice(["strict", "relaxed", "relaxed", "any"])}
        if random.random() < 0.2:
            step["optional"] = True
        if random.random() < 0.15:
            step["until"] = {"event": random.choice("abc"), "page": "m"}
        rule["steps"].append(step)
    rule["skip"] = random.choice(["none", "next", "past_last", "first:" + earlier[0], "last:" + earlier[-1]])
    return rule


def bare(rule):
    """The rule as the program takes it."""
    return rule | {"steps": [{name: value for name, value in step.items() if name != "meaning"}
                             for step in rule["steps"]]}


def random_events(random, count):
    events, time_ms = [], 1000
    for _ in range(count):
        time_ms += random.randint(0, 15)
        data = {}
        if random.random() < 0.9:
            data["p"] = random.randint(0, 4)
        if random.random() < 0.9:
            data["q"] = random.choice("xy")
        if random.random() < 0.8:
            data["u"] = random.choice(["ann", "bob"])
        late = random.randint(0, 40) if random.random() < 0.1 else 0
        events.append({"id": random.choice("abcd"), "page": random.choice(["m", "n"]), "time_ms": time_ms - late,
                       "data": data})
    return events
