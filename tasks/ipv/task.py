"""Item page views: the features of a visit in, how likely the item is bought out."""

from ferry import engine, events, tables

from inputs import inputs

model = engine.load("intent")


def on_visit(start):
    row = start["row"]
    values = inputs(row)
    given = engine.tensor(values, [1, len(values)])
    intent = round(model.run({"features": given})["intent"].item(), 6)
    tables.put("ipv_intent", {"item": row["i"], "intent": intent, "time_ms": start["time_ms"]})
    events.emit("ipv.intent", {"intent": intent})
    return {"item": row["i"], "intent": intent}


def on_return(start):
    item = start["key"][0]
    before = tables.get("ipv_returns", item)
    times = 1 if before is None else before["times"] + 1
    tables.put("ipv_returns", {"item": item, "times": times})
    last = tables.get("ipv_intent", item)
    return {"item": item, "returned": times, "intent": last and last["intent"]}
