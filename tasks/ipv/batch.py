"""The features of a whole log at once, from their definition in README.md alone: what the streams of task.json are held
against, and what the model is trained on.

usage: batch.py EVENTS ITEMS
"""
import collections
import json
import math
import pathlib
import sys

ENTER, EXIT = "page_enter", "page_exit"
KINDS = {ENTER, EXIT, "exposure", "click", "scroll", "cart", "favorite"}
TIMEOUT_MS = 1_800_000
STEP_MS, SIZE_MS = 60_000, 600_000


class Visit:
    def __init__(self, item, start_ms):
        self.item, self.start_ms, self.last_ms = item, start_ms, start_ms
        self.rows = []
        self.time_ms = None  # when its row leaves
        self.missing = False

    def end(self, time_ms, missing):
        self.time_ms, self.missing = time_ms, missing
        if not missing:
            self.last_ms = time_ms


def visits(events):
    """Of pages of items, in the order in which they end; `events` in any order."""
    moments = collections.defaultdict(list)
    for event in events:
        item = event.get("data", {}).get("item")
        if event["id"] in KINDS and event.get("page") == "item" and item is not None:
            moments[event["time_ms"]].append(event)
    open_visits, done = [], []  # the open ones by start

    def innermost(item):
        found = [visit for visit in open_visits if visit.item == item]
        return found[-1] if found else None

    def leave(visit, time_ms, missing):
        visit.end(time_ms, missing)
        open_visits.remove(visit)
        done.append(visit)

    def time_out(now):
        while open_visits and open_visits[0].start_ms + TIMEOUT_MS <= now:
            leave(open_visits[0], open_visits[0].start_ms + TIMEOUT_MS, True)

    def take(event, time_ms):
        """False when it has no visit to belong to."""
        item = event["data"]["item"]
        if event["id"] == ENTER:
            open_visits.append(Visit(item, time_ms))
            return True
        visit = innermost(item)
        if visit is None:
            return False
        if event["id"] == EXIT:
            leave(visit, time_ms, False)
        else:
            visit.rows.append(event)
            visit.last_ms = max(visit.last_ms, time_ms)
        return True

    for time_ms in sorted(moments):
        time_out(time_ms)
        # Within a millisecond: rows of visits that are open, their exits, enters, and what belongs to these.
        moment = moments[time_ms]
        enters = [event for event in moment if event["id"] == ENTER]
        exits = [event for event in moment if event["id"] == EXIT]
        rows = [event for event in moment if event["id"] not in (ENTER, EXIT)]
        rows = [event for event in rows if not take(event, time_ms)]
        exits = [event for event in exits if not take(event, time_ms)]
        for event in enters + rows + exits:
            take(event, time_ms)
    time_out(math.inf)
    return done


def features(events, items):
    """A row a visit, as stream ipv.features gives them: a list of (time_ms, row)."""
    table = {row["item"]: row for row in items}
    done = visits(events)
    past = collections.defaultdict(list)  # by category
    for visit in done:
        if visit.item in table:
            past[table[visit.item]["category"]].append(visit)
    return [(visit.time_ms, row_of(visit, table.get(visit.item, {}), past)) for visit in done]


def carts_of(visit):
    return sum(row["data"].get("count", 0) for row in visit.rows)


def row_of(visit, item, past):
    data = [row["data"] for row in visit.rows]
    end = visit.time_ms // STEP_MS * STEP_MS
    recent = [one for one in past.get(item.get("category"), []) if end - SIZE_MS <= one.time_ms < end]
    dwell = [one.last_ms - one.start_ms for one in recent]
    return {
        "i": visit.item,
        "c": item.get("category"),
        "l": item.get("level"),
        "d": visit.last_ms - visit.start_ms,
        "s": min(len({one["seen"] for one in data if "seen" in one}), 999),
        "m": min(sum(one.get("shown_ms", 0) for one in data), 9_999_999),
        "k": min(sum("target" in one for one in data), 99),
        "p": max([one["depth"] for one in data if "depth" in one], default=0),
        "b": min(carts_of(visit), 99),
        "f": max([one["favorite"] for one in data if "favorite" in one], default=0),
        "x": visit.missing,
        "n": min(len(recent), 999),
        "r": math.floor(math.fsum(dwell) / len(dwell)) if dwell else 0,
        "q": min(sum(carts_of(one) for one in recent), 99),
    }


def main():
    events, items = ([json.loads(line) for line in pathlib.Path(path).read_text().splitlines()] for path in sys.argv[1:3])
    for time_ms, row in features(events, items):
        print(json.dumps({"time_ms": time_ms, "row": row}, separators=(",", ":")))


if __name__ == "__main__":
    main()
