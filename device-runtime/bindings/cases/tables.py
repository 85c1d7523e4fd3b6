from ferry import tables


def raises(kind, f, *args, **kwargs):
    try:
        f(*args, **kwargs)
    except kind as error:
        return str(error)
    raise AssertionError((kind, args))


def row(shop, item, price=None, more=None):
    return {"shop": shop, "item": item, "price": price, "more": more}


assert tables.get("items", "north", 1) is None
assert tables.range("items") == []
for item in [3, -1, 2]:
    tables.put("items", row("north", item, item / 2, {"tags": [item]}))
tables.put("items", {"item": 9, "shop": "no"})

# What was written is seen, whole: missing columns are None.
assert tables.get("items", "north", 3) == row("north", 3, 1.5, {"tags": [3]})
assert tables.get("items", "no", 9) == row("no", 9)
assert [r["item"] for r in tables.range("items")] == [9, -1, 2, 3]
assert [r["item"] for r in tables.range("items", ("north",))] == [-1, 2, 3]
assert [r["item"] for r in tables.range("items", ["north"], descending=True)] == [3, 2, -1]
assert [r["item"] for r in tables.range("items", limit=2)] == [9, -1]
assert [r["item"] for r in tables.range("items", prefix=("north",), limit=1, descending=True)] == [3]
assert tables.range("items", limit=0) == []
assert tables.range("items", ("south",)) == []
assert tables.range("items", ("north", 2)) == [tables.get("items", "north", 2)]

# Put replaces, delete takes away; what is not there may be deleted.
tables.put("items", row("north", 3, 7))
assert tables.get("items", "north", 3)["price"] == 7.0
assert tables.get("items", "north", 3)["more"] is None
tables.delete("items", "north", 3)
tables.delete("items", "north", 3)
assert tables.get("items", "north", 3) is None
assert [r["item"] for r in tables.range("items", ("north",))] == [-1, 2]

# A change of what was read changes no table.
tables.get("items", "north", 2)["price"] = 99
assert tables.get("items", "north", 2)["price"] == 1.0

assert "other" in raises(LookupError, tables.get, "other", 1)
assert "other" in raises(LookupError, tables.put, "other", {})
assert "other" in raises(LookupError, tables.range, "other")
assert "1 values for a key of 2" in raises(ValueError, tables.get, "items", "north")
assert "price" in raises(ValueError, tables.put, "items", row("north", 1, "dear"))
assert "no column" in raises(ValueError, tables.put, "items", {"shop": "a", "item": 1, "hue": 3})
assert "missing" in raises(ValueError, tables.put, "items", {"item": 1})
assert "item" in raises(ValueError, tables.delete, "items", "north", "1")
assert "3 values" in raises(ValueError, tables.range, "items", ("north", 1, 2))
raises(ValueError, tables.put, "items", [1])
raises(ValueError, tables.put, "items", row("a", 1, None, lambda: 1))
raises(ValueError, tables.range, "items", limit=-1)
assert "65536" in raises(RuntimeError, tables.put, "items", row("a", 1, None, "x" * 70000))
assert "1024" in raises(RuntimeError, tables.put, "items", row("y" * 2000, 1))
raises(TypeError, tables.get, "items")
raises(TypeError, tables.get, 3, 1)
raises(TypeError, tables.put, "items")
raises(TypeError, tables.range)
raises(TypeError, tables.range, "items", "north")
raises(TypeError, tables.range, "items", limit="2")
