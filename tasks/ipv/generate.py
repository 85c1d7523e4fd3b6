"""Makes what the task is tried on: a shop's items and logs of events, all from a seed.

usage: generate.py items > items.jsonl
       generate.py events [--seed N] [--sessions N] > events.jsonl

An event a line, in the order of arrival: pages are entered and left, also one inside another or an item inside itself,
some exits never come, and events overtake each other by less than LATENESS_MS. A user with a mind to buy stays longer,
clicks more, and often buys.
"""
import argparse
import json
import random
import sys

ITEMS = 400
CATEGORIES = 12
LATENESS_MS = 15
START_MS = 1_750_000_000_000
FIRST_ITEM = 100_001


def items(seed=1):
    rng = random.Random(seed)
    return [{"item": FIRST_ITEM + k, "category": rng.randrange(CATEGORIES), "level": rng.randrange(1, 5)}
            for k in range(ITEMS)]


class Session:
    """One user's way through the app, as events in order of time."""

    def __init__(self, rng, start_ms):
        self.rng = rng
        self.now = start_ms
        self.events = []
        self.bought = set()
        self.mind = rng.random() < 0.4  # to buy something

    def wait(self, mean_ms):
        # Now and then two events have the same time.
        self.now += 0 if self.rng.random() < 0.02 else 1 + int(self.rng.expovariate(1 / mean_ms))

    def add(self, id, page, **data):
        self.events.append({"id": id, "page": page, "time_ms": self.now, "data": data})

    def choose(self):
        # Some items are newer than the table.
        return FIRST_ITEM + self.rng.randrange(ITEMS + 5)

    def item_page(self, depth=0):
        rng = self.rng
        item = self.choose()
        likes = rng.random() < (0.6 if self.mind else 0.15)
        self.add("page_enter", "item", item=item, source=rng.choice(["search", "feed", "cart", "item"]), position=rng.randrange(50))
        reached = 0
        for _ in range(rng.randrange(6, 22 if likes else 14)):
            self.wait(2200 if likes else 900)
            what = rng.random()
            if what < 0.55:
                self.add("exposure", "item", item=item, seen=self.choose(), shown_ms=rng.randrange(100, 4000),
                         slot=rng.randrange(40), scene="recommend")
            elif what < 0.78:
                reached = min(100, reached + rng.randrange(3, 30))
                self.add("scroll", "item", item=item, depth=reached, speed=round(rng.uniform(0.1, 9), 3))
            elif what < (0.93 if likes else 0.82):
                self.add("click", "item", item=item, target=rng.randrange(1, 9), area=rng.choice(["photo", "sku", "reviews", "shop"]))
            elif likes and what < 0.96:
                self.add("cart", "item", item=item, count=rng.randrange(1, 3))
            elif likes:
                self.add("favorite", "item", item=item, favorite=1)
            elif depth < 2 and what > 0.97:
                self.item_page(depth + 1)  # opened from within, and back
        if likes and rng.random() < 0.08 and depth < 2:
            self.add("page_enter", "item", item=item, source="item", position=0)  # the same page inside itself
            self.wait(1500)
            self.add("page_exit", "item", item=item)
        self.wait(1500)
        if rng.random() < 0.04:
            return  # the app was put away: no exit
        self.add("page_exit", "item", item=item)
        if likes and rng.random() < 0.6:
            self.wait(3000)
            self.add("buy", "cart", item=item, count=1)
            self.bought.add(item)

    def run(self):
        rng = self.rng
        self.add("page_enter", "feed", tab="home")
        for _ in range(rng.randrange(2, 9)):
            for _ in range(rng.randrange(0, 5)):
                self.wait(700)
                self.add("exposure", "feed", seen=self.choose(), shown_ms=rng.randrange(100, 3000), slot=rng.randrange(60))
            if rng.random() < 0.03:
                self.add("page_exit", "item", item=self.choose())  # nobody entered it
            self.item_page()
            self.wait(4000)
        self.add("page_exit", "feed", tab="home")
        return self


def log(seed, sessions):
    """The events of a device in order of arrival, and by session the items that were bought."""
    rng = random.Random(seed)
    now, events, bought = START_MS + rng.randrange(3_600_000), [], []
    for _ in range(sessions):
        session = Session(rng, now).run()
        events += session.events
        bought.append((now, session.now, session.bought))
        now = session.now + rng.choice([20_000, 200_000, 2_400_000])
    for _ in range(12):  # time goes on, so that every visit comes to its end
        now += 240_000
        events.append({"id": "page_enter", "page": "feed", "time_ms": now, "data": {"tab": "home"}})
    arrivals = [(event["time_ms"] + rng.random() * LATENESS_MS, k) for k, event in enumerate(events)]
    return [events[k] for _, k in sorted(arrivals)], bought


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["items", "events"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=20)
    arguments = parser.parse_args()
    rows = items() if arguments.what == "items" else log(arguments.seed, arguments.sessions)[0]
    for row in rows:
        json.dump(row, sys.stdout, separators=(",", ":"))
        print()


if __name__ == "__main__":
    main()
