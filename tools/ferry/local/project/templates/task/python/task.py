"""@NAME@: a reading of a sensor in, the mean of its values out."""
from ferry import events, log, metrics


def mean(values):
    if not values:
        raise ValueError("a reading without values")
    return sum(values) / len(values)


def on_trigger(matched):
    values = matched[-1]["data"]["values"]
    result = {"mean": mean(values), "count": len(values)}
    metrics.count("readings")
    log.debug("reading", count=len(values))
    events.emit("@NAME@.mean", result)
    return result
