"""A visit's features as the model takes them."""

# One place of the model's input a feature, with what makes it about 1.
SCALES = [("l", 4), ("d", 60000), ("s", 20), ("m", 60000), ("k", 5), ("p", 100), ("b", 1), ("f", 1),
          ("x", 1), ("n", 10), ("r", 60000), ("q", 5)]


def inputs(row):
    return [min(float(row[name] or 0) / scale, 4.0) for name, scale in SCALES]
