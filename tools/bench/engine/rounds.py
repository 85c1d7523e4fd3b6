"""Rounds that go on until they agree, and how far they do not."""
import statistics

SPREAD = 0.05  # of an engine's rounds, above which more are run


def spread(values):
    """The distance between the quartiles, relative to the median; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / statistics.median(values)


def disagree(samples):
    """Whether the rounds of any engine do; samples: {engine: [{"median_ms"}]}."""
    return any(spread([r["median_ms"] for r in rounds]) > SPREAD for rounds in samples.values())


def run(one_round, least, most):
    """Calls one_round() -> {engine: what it measured} at least and at most so often: beyond the
    least only while rounds disagree. An engine may be left out of a round. -> {engine: [..]}"""
    samples = {}
    for done in range(1, max(least, most) + 1):
        for name, found in one_round().items():
            samples.setdefault(name, []).append(found)
        if done >= least and not disagree(samples):
            break
    return samples
