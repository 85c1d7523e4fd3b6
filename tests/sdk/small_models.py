"""ONNX files of a node or two for the tests of the bindings (ModelProto of the specification, by hand)."""
import sys

F32, I64, TEXT = 1, 7, 8


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    """One field of a protobuf message: text and bytes with a length, integers as varints."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def value(name, kind, dims):
    """A ValueInfoProto; dims are numbers, names of free extents, or None for any rank."""
    shape = b"".join(field(1, field(1, one) if isinstance(one, int) else field(2, one)) for one in dims or ())
    tensor = field(1, kind) + (b"" if dims is None else field(2, shape))
    return field(1, name) + field(2, field(1, tensor))


def model(nodes, inputs, outputs):
    """nodes: (operator, inputs, outputs); inputs and outputs: (name, type, dims)."""
    graph = b"".join(
        field(1, b"".join(field(1, one) for one in ins) + b"".join(field(2, one) for one in outs)
              + field(3, f"node_{at}") + field(4, operator))
        for at, (operator, ins, outs) in enumerate(nodes))
    graph += field(2, "small") + b"".join(field(11, value(*one)) for one in inputs)
    graph += b"".join(field(12, value(*one)) for one in outputs)
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


def slow(size, count):
    """`count` products of matrices, each of which takes a while: what a run is cancelled in."""
    nodes = [("MatMul", ["x" if at == 0 else f"h{at}", "x"], [f"h{at + 1}"]) for at in range(count)]
    return model(nodes, [("x", F32, [size, size])], [(f"h{count}", F32, [size, size])])


def all_models():
    return {
        # y = a + b, [4] each
        "add.onnx": model([("Add", ["a", "b"], ["y"])], [("a", F32, [4]), ("b", F32, [4])], [("y", F32, [4])]),
        # y = x + x over a free batch, and z = |x|
        "free.onnx": model([("Add", ["x", "x"], ["y"]), ("Abs", ["x"], ["z"])], [("x", F32, ["batch", 3])],
                           [("y", F32, ["batch", 3]), ("z", F32, ["batch", 3])]),
        # y = x + x alone
        "twice.onnx": model([("Add", ["x", "x"], ["y"])], [("x", F32, ["n"])], [("y", F32, ["n"])]),
        # the places of numbers that are not zero: how many depends on values
        "places.onnx": model([("NonZero", ["x"], ["y"])], [("x", F32, ["n"])], [("y", I64, [1, "found"])]),
        "texts.onnx": model([("Identity", ["x"], ["y"])], [("x", TEXT, ["n"])], [("y", TEXT, ["n"])]),
        "whole.onnx": model([("Add", ["x", "x"], ["y"])], [("x", I64, ["n"])], [("y", I64, ["n"])]),
        "odd.onnx": model([("Frobnicate", ["x"], ["y"])], [("x", F32, [4])], [("y", F32, [4])]),
        "slow.onnx": slow(384, 60),
    }


def write_to(folder):
    for name, content in all_models().items():
        (folder / name).write_bytes(content)
    (folder / "broken.onnx").write_bytes(all_models()["add.onnx"][:-20])


if __name__ == "__main__":
    import pathlib
    write_to(pathlib.Path(sys.argv[1]))
