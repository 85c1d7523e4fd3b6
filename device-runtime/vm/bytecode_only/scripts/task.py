import collections
import dataclasses
import json
import re

import helper


@dataclasses.dataclass
class Point:
    x: int
    y: int = 2


async def answer():
    return 42


def on_trigger(events):
    counted = collections.Counter(event["name"] for event in events)
    match Point(1):
        case Point(x=1, y=why):
            counted["point"] = why
    try:
        answer().send(None)
    except StopIteration as stop:
        counted["answer"] = stop.value
    counted["digits"] = len(re.findall(r"\d+", json.dumps(events)))
    counted["twice"] = helper.twice(21)
    return dict(counted)


def fail():
    return helper.twice(1)[0]


def from_source():
    try:
        import written
    except Exception:
        return "caught"
    return written.value
