"""Dicts, sets and tuples as keys: counting, grouping, joining."""


def tally(n):
    counts = {}
    value = 1
    for _ in range(n):
        value = (value * 1103515245 + 12345) % 2147483648
        key = value % 5003
        counts[key] = counts.get(key, 0) + 1
    return counts


def grid(n):
    cells = {(x, y): x * y % 7 for x in range(n) for y in range(n)}
    for _ in range(3):
        after = {}
        for (x, y), value in cells.items():
            near = cells.get((x - 1, y), 0) + cells.get((x + 1, y), 0) + cells.get((x, y - 1), 0) + cells.get((x, y + 1), 0)
            after[x, y] = (value + near) % 7
        cells = after
    return sum(cells.values())


def events(n):
    rows = [{"user": "u%d" % (i % 211), "kind": ("view", "click", "buy")[i % 3], "ms": i * 37 % 1000} for i in range(n)]
    by_user = {}
    for row in rows:
        user = by_user.setdefault(row["user"], {"count": 0, "ms": 0, "kinds": set()})
        user["count"] += 1
        user["ms"] += row["ms"]
        user["kinds"].add(row["kind"])
    best = sorted(by_user.items(), key=lambda item: (-item[1]["ms"], item[0]))[:3]
    return [(name, user["count"], user["ms"], sorted(user["kinds"])) for name, user in best]


def sieve(n):
    gone = set()
    for i in range(2, n):
        if i in gone:
            continue
        for k in range(i * i, n, i):
            gone.add(k)
    return n - 2 - len(gone)


for _ in range(2):
    counts = tally(250000)
    print(len(counts), max(counts.values()), sum(k * v for k, v in counts.items()) % 1000003)
    print(grid(90))
    print(events(60000))
    print(sieve(100000))
    while len(counts) > 10:
        counts.popitem()
    print(sorted(counts.items()))
