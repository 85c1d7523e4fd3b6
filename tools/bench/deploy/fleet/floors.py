"""One line of the table."""


def at_most(what, value, floor, aim):
    return {"what": what, "value": round(value, 3), "floor": floor, "aim": aim, "ok": value <= floor}


def at_least(what, value, floor, aim):
    return {"what": what, "value": round(value, 3), "floor": floor, "aim": aim, "ok": value >= floor}
