"""From rounds to the tables that people read."""
import math
import statistics

import rounds as going

BEST = "best"  # of the others, network by network

# Error of an output, relative to its largest element, above which a fast answer is a wrong one:
# float32 sums in another order differ by about 1e-6, integer kernels by a rounding step.
MAX_ERROR = {"float32": 1e-3, "int8": 0.1}


def summary(rounds):
    """The medians over rounds of what each round says; memory is the largest. "spread" is the
    distance between the rounds' quartiles and "range" that of all, relative to the median."""
    medians = [r["median_ms"] for r in rounds]
    middle = statistics.median(medians)
    found = {"median_ms": middle, "min_ms": min(r["min_ms"] for r in rounds),
             "rounds": len(rounds), "spread": going.spread(medians),
             "range": (max(medians) - min(medians)) / middle}
    if "isa" in rounds[0]:
        found["isa"] = rounds[0]["isa"]
    if all("load_ms" in r for r in rounds):
        found["load_ms"] = statistics.median(r["load_ms"] for r in rounds)
    if all("peak_bytes" in r for r in rounds):
        found["peak_bytes"] = max(r["peak_bytes"] for r in rounds)
    return found


def worst_error(row):
    """Of a network's outputs; None when one cannot be compared."""
    errors = [output["error"] for output in row.get("agreement", [])]
    return None if not errors or None in errors else max(errors)


def is_wrong(row):
    error = worst_error(row)
    return "error" in row or error is None or error > MAX_ERROR[row["kind"]]


def geometric_mean(ratios):
    return math.exp(statistics.fmean(math.log(r) for r in ratios)) if ratios else math.nan


def show_kind(kind, rows, engines, threads, base):
    for count in threads:
        names = [e.name for e in engines if any(
            e.name in r["threads"].get(str(count), {}) for r in rows)]
        others = [name for name in names if not name.startswith("ferry")]
        print(f"\n{kind}, {count} thread{'s' if count > 1 else ''}: median milliseconds, and how "
              "many times the others' time is ours")
        print(f"{'network':<34}" + "".join(f"{name:>13}" for name in names) +
              "".join(f"{name[:4] + '/ferry':>11}" for name in [*others, BEST]) +
              f"{'load':>9}{'theirs':>9}{'MiB':>8}{'theirs':>8}{'error':>10}"
              f"{'spread':>9}{'theirs':>8}{'rounds':>8}")
        ratios = {name: [] for name in [*others, BEST]}
        for row in rows:
            if "error" in row:
                print(f"{row['network']:<34}failed: {row['error']}")
                continue
            print(line(row, row["threads"][str(count)], names, others, ratios, base) +
                  marks(row, count))
        print(f"{'geometric mean':<34}" + " " * 13 * len(names) +
              "".join(f"{geometric_mean(ratios[name]):>11.3f}" for name in ratios))


def line(row, found, names, others, ratios, base):
    text = f"{row['network']:<34}"
    for name in names:
        text += f"{found[name]['median_ms']:>13.3f}" if name in found else f"{'-':>13}"
    for name in others:
        if name not in found:
            text += f"{'-':>11}"
            continue
        ratio = found[name]["median_ms"] / found["ferry"]["median_ms"]
        ratios[name].append(ratio)
        text += f"{ratio:>11.3f}"
    best = min(found[name]["median_ms"] for name in others if name in found)
    ratios[BEST].append(best / found["ferry"]["median_ms"])
    text += f"{ratios[BEST][-1]:>11.3f}"
    ours, theirs = found["ferry"], found["onnxruntime"]
    text += f"{ours['load_ms']:>9.1f}{theirs['load_ms']:>9.1f}"
    text += f"{ours['peak_bytes'] / 2**20:>8.1f}{(theirs['peak_bytes'] - base) / 2**20:>8.1f}"
    error = worst_error(row)
    text += f"{'none' if error is None else format(error, '.1e'):>10}"
    text += f"{ours['spread']:>9.1%}{theirs['spread']:>8.1%}{ours['rounds']:>8}"
    return text + ("  WRONG" if is_wrong(row) else "")


def marks(row, count):
    """What stands behind a row that is not to be relied on."""
    found = row["threads"][str(count)]
    apart = [name for name in found if found[name]["spread"] > going.SPREAD]
    text = f"  ~ {', '.join(apart)}" if apart else ""
    busy = row.get("machine", {}).get(str(count), {}).get("busy")
    return text + (f"  BUSY: {'; '.join(busy)}" if busy else "")


def show(rows, engines, threads):
    base = engines[1].base_bytes
    for kind in dict.fromkeys(row["kind"] for row in rows):
        show_kind(kind, [row for row in rows if row["kind"] == kind], engines, threads, base)
    print(f"\nMemory: the largest resident memory of our process; theirs less the "
          f"{base / 2**20:.0f} MiB that {engines[1].process} and the library take without a model.")
    print(f"spread: the distance between the quartiles of rounds over their median; ~: above "
          f"{going.SPREAD:.0%} after all rounds. BUSY: this row cannot be judged.")
    for engine in engines[2:]:
        print(f"{engine.name}: {' '.join(type(engine).__doc__.split())}")
