"""Turns the forms in which apps send an image of a digit into 64 floats in 0..1, row by row."""

SIDE = 8
INK = 16.0  # grey levels that apps send: 0 (paper) to 16 (ink)


def pixels(data):
    if "rows" in data:
        flat = [value for row in data["rows"] for value in row]
    else:
        flat = data["pixels"]
    if len(flat) != SIDE * SIDE:
        raise ValueError(f"an image has {SIDE * SIDE} pixels, this one {len(flat)}")
    return [value / INK for value in flat]
