"""Small ONNX files for tests, written as protobuf without another package."""
import struct

TYPES = {"f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "string": 8, "bool": 9, "f16": 10, "f64": 11,
         "u32": 12, "u64": 13, "bf16": 16}


def _varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def _field(number, value):
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, str):
        value = value.encode()
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def node(op, inputs, outputs, **attributes):
    """Attributes are integers."""
    out = b"".join(_field(1, name) for name in inputs) + b"".join(_field(2, name) for name in outputs)
    out += _field(3, outputs[0] + "_node") + _field(4, op)
    for name, value in attributes.items():
        out += _field(5, _field(1, name) + _field(3, value) + _field(20, 2))
    return out


def value(name, type_, shape):
    """Extents are numbers or names."""
    dims = b"".join(_field(1, _field(2 if isinstance(extent, str) else 1, extent)) for extent in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, TYPES[type_]) + _field(2, dims)))


def floats(name, shape, values):
    """A constant of f32."""
    return b"".join(_field(1, extent) for extent in shape) + _field(2, 1) + _field(8, name) + _field(
        9, struct.pack(f"<{len(values)}f", *values))


def model(nodes, inputs, outputs, constants=()):
    graph = b"".join(_field(1, one) for one in nodes) + _field(2, "test")
    graph += b"".join(_field(5, one) for one in constants)
    graph += b"".join(_field(11, value(*one)) for one in inputs) + b"".join(_field(12, value(*one)) for one in outputs)
    return _field(1, 8) + _field(2, "ferry") + _field(7, graph) + _field(8, _field(1, "") + _field(2, 17))


def add(shape=("n", 4)):
    """y = x + b over the last axis."""
    return model([node("Add", ["x", "b"], ["y"])], [("x", "f32", shape), ("b", "f32", shape[-1:])],
                 [("y", "f32", shape)])


def negate(type_, shape=("n",)):
    return model([node("Neg", ["x"], ["y"])], [("x", type_, shape)], [("y", type_, shape)])


def concat(type_):
    """y has x twice."""
    return model([node("Concat", ["x", "x"], ["y"], axis=0)], [("x", type_, ("n",))], [("y", type_, ("m",))])


def products(side, count):
    """`count` products of matrices that depend on each other: a run that takes a while."""
    names = ["x", *(f"p{k}" for k in range(count - 1)), "y"]
    nodes = [node("MatMul", [before, "x"], [after]) for before, after in zip(names, names[1:])]
    return model(nodes, [("x", "f32", (side, side))], [("y", "f32", (side, side))])


def nonzero():
    """How large the output is depends on the input's values."""
    return model([node("NonZero", ["x"], ["y"])], [("x", "f32", ("n",))], [("y", "i64", (1, "k"))])


def two_outputs():
    return model([node("Add", ["x", "x"], ["twice"]), node("Mul", ["x", "x"], ["square"])],
                 [("x", "f32", (3,))], [("twice", "f32", (3,)), ("square", "f32", (3,))])
