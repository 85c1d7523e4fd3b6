"""Makes intent.onnx, the task's model: 12 inputs, 8 hidden units, one number from 0 to 1.

usage: model.py [-o intent.onnx]

It is trained on the features of generated visits, to say whether the visit's item is bought in the same session, and
judged on others. Only Python's own arithmetic, a fixed seed, and weights rounded to 1/1024: the same file everywhere.
"""
import argparse
import math
import pathlib
import random
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import batch  # noqa: E402
import generate  # noqa: E402
from inputs import SCALES, inputs  # noqa: E402

HIDDEN = 8
EPOCHS = 4
RATE = 0.05


def samples(seed, sessions):
    events, sessions_bought = generate.log(seed, sessions)
    out = []
    for time_ms, row in batch.features(events, generate.items()):
        bought = any(begin <= time_ms <= end and row["i"] in items for begin, end, items in sessions_bought)
        out.append((inputs(row), 1.0 if bought else 0.0))
    return out


class Net:
    def __init__(self, rng):
        self.w1 = [[rng.gauss(0, 0.4) for _ in SCALES] for _ in range(HIDDEN)]
        self.b1 = [0.0] * HIDDEN
        self.w2 = [rng.gauss(0, 0.4) for _ in range(HIDDEN)]
        self.b2 = 0.0

    def run(self, x):
        hidden = [max(0.0, b + sum(w * v for w, v in zip(row, x))) for row, b in zip(self.w1, self.b1)]
        return hidden, 1 / (1 + math.exp(-(self.b2 + sum(w * h for w, h in zip(self.w2, hidden)))))

    def learn(self, x, label):
        hidden, p = self.run(x)
        step = RATE * (p - label)
        for k, h in enumerate(hidden):
            if h > 0:
                back = step * self.w2[k]
                self.w2[k] -= step * h
                self.b1[k] -= back
                self.w1[k] = [w - back * v for w, v in zip(self.w1[k], x)]
        self.b2 -= step

    def rounded(self):
        def at(value):
            return round(value * 1024) / 1024
        self.w1 = [[at(w) for w in row] for row in self.w1]
        self.b1 = [at(b) for b in self.b1]
        self.w2 = [at(w) for w in self.w2]
        self.b2 = at(self.b2)
        return self


def train():
    rng = random.Random(7)
    net, known = Net(rng), samples(11, 300)
    for _ in range(EPOCHS):
        rng.shuffle(known)
        for x, label in known:
            net.learn(x, label)
    return net.rounded()


def area(net, judged):
    """Under the ROC curve: how often a bought item's visit is above one of an item that was not."""
    scores = sorted((net.run(x)[1], label) for x, label in judged)
    below, wins, positives = 0, 0.0, 0
    for _, label in scores:
        if label:
            positives += 1
            wins += below
        else:
            below += 1
    return wins / (positives * below)


# ---- ONNX: a protobuf of a few messages


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, shape, values):
    return b"".join(field(1, size) for size in shape) + field(2, 1) + field(8, name) + field(
        9, struct.pack(f"<{len(values)}f", *values))


def node(op, inputs, output):
    return b"".join(field(1, name) for name in inputs) + field(2, output) + field(3, output) + field(4, op)


def value_info(name, shape):
    dims = b"".join(field(1, field(1, size)) for size in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def onnx(net):
    width = len(SCALES)
    w1 = [net.w1[k][n] for n in range(width) for k in range(HIDDEN)]
    graph = b"".join(field(1, one) for one in [
        node("Gemm", ["features", "w1", "b1"], "sums"), node("Relu", ["sums"], "hidden"),
        node("Gemm", ["hidden", "w2", "b2"], "score"), node("Sigmoid", ["score"], "intent")])
    graph += field(2, "intent")
    graph += b"".join(field(5, one) for one in [
        tensor("w1", [width, HIDDEN], w1), tensor("b1", [HIDDEN], net.b1),
        tensor("w2", [HIDDEN, 1], net.w2), tensor("b2", [1], [net.b2])])
    graph += field(11, value_info("features", [1, width])) + field(12, value_info("intent", [1, 1]))
    return field(1, 8) + field(2, "ferry") + field(7, graph) + field(8, field(1, "") + field(2, 13))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="out", type=pathlib.Path, default=HERE / "intent.onnx")
    arguments = parser.parse_args()
    net = train()
    arguments.out.write_bytes(onnx(net))
    judged = samples(12, 100)
    print(f"{arguments.out}: area under the curve {area(net, judged):.3f} over {len(judged)} visits that it has not seen")


if __name__ == "__main__":
    main()
