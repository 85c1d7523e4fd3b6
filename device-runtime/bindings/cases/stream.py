from ferry import stream


def raises(kind, f, *args, **kwargs):
    try:
        f(*args, **kwargs)
    except kind:
        return
    raise AssertionError((kind, args, kwargs))


items = stream.table("items", key="item", columns={"item": "text", "price": "float"})
assert items == "items"
assert stream.field("user.name", "local", k=20) == "user.name"

# Operators and aggregates are plain dicts, as task.json has them.
assert stream.filter("price > 1") == {"op": "filter", "where": "price > 1"}
assert stream.map(page="_page", n="n + 1") == {"op": "map", "fields": {"page": "_page", "n": "n + 1"}}
assert stream.map({"as": "n"}) == {"op": "map", "fields": {"as": "n"}}
assert stream.lookup(items, "item", as_="found", inner=True) == {
    "op": "lookup", "table": "items", "key": ["item"], "as": "found", "inner": True}
assert stream.join("buys", ["a", "b"], lower_ms=0, upper_ms=9, as_=None) == {
    "op": "join", "with": "buys", "key": ["a", "b"], "lower_ms": 0, "upper_ms": 9}
assert stream.window("page", key="user", min_rows=10, aggregates={
    "n": "count", "total": stream.sum("price"), "best": stream.top_k("item", 3), "p": stream.quantile("price", q=0.9)
}) == {"op": "window", "kind": "page", "key": ["user"], "min_rows": 10, "aggregates": [
    {"op": "top_k", "field": "item", "k": 3, "as": "best"}, {"op": "count", "as": "n"},
    {"op": "quantile", "field": "price", "q": 0.9, "as": "p"}, {"op": "sum", "field": "price", "as": "total"}]}
assert stream.step("gone", event="remove", not_=True) == {"name": "gone", "event": "remove", "not": True}
for name in ["dedupe", "sample", "flat_map", "count", "distinct", "first", "last", "max", "mean", "min"]:
    assert getattr(stream, name)()["op"] == name


# Decorators give the function itself, also one above another.
@stream.rule("cart per user { seen: view; then add: add_to_cart where price == seen.price; within 10 min }", app=True)
@stream.stream("visits", source="page_enter", operators=[stream.filter("page == \"item\"")], upload=True)
def on_cart(match):
    return match


assert on_cart(7) == 7
assert on_cart.__name__ == "on_cart"

raises(TypeError, stream.rule)
raises(TypeError, stream.rule, 3)
raises(TypeError, stream.rule("x { a: b }"), 3)
raises(TypeError, stream.rule("x { a: b }"), lambda match: match)
raises(TypeError, stream.stream)
raises(TypeError, stream.filter, "a", "b")
raises(TypeError, stream.filter, "a", where="b")
raises(TypeError, stream.stream, "a", "b", "c")
raises(ValueError, stream.stream, "a", operators=[object()])
