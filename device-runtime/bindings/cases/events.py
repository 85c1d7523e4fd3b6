from ferry import events

events.emit("rows", {"n": 1, "list": [1, 2.5, None, True, "x"]})
events.emit("rows", {})
assert events.now_ms() == 1234

try:
    events.emit("rows", {"f": lambda: 1})
    assert False
except ValueError:
    pass
try:
    events.emit(1, {})
    assert False
except TypeError:
    pass
try:
    events.emit("closed", {})
    assert False
except RuntimeError as error:
    assert "the stream is closed" in str(error)
