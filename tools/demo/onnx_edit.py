"""Changes the weights of one layer of an ONNX file in place: what retraining one layer does to a file.

Walks the protobuf wire format only as far as it must: ModelProto.graph is field 7, GraphProto.initializer field 5,
TensorProto.name field 8 and raw_data field 9 (ONNX specification, onnx.proto3).
"""
import struct

LENGTH_DELIMITED = 2


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data, begin, end):
    """(field number, start, end) of each length-delimited field in data[begin:end]."""
    at = begin
    while at < end:
        key, at = _varint(data, at)
        kind = key & 7
        if kind == LENGTH_DELIMITED:
            size, at = _varint(data, at)
            yield key >> 3, at, at + size
            at += size
        elif kind == 0:
            _, at = _varint(data, at)
        else:
            at += 8 if kind == 1 else 4


def float_initializers(data):
    """[(name, start, end)] of the raw float data of every initializer, in file order."""
    found = []
    for field, begin, end in _fields(data, 0, len(data)):
        if field != 7:
            continue
        for inner, first, last in _fields(data, begin, end):
            if inner != 5:
                continue
            parts = {number: (a, b) for number, a, b in _fields(data, first, last)}
            if 8 in parts and 9 in parts:
                name = bytes(data[slice(*parts[8])]).decode()
                found.append((name, *parts[9]))
    return found


def scale_layer(source, target, layer, factor):
    """Writes `source` to `target` with the weights of initializer `layer` times `factor`."""
    with open(source, "rb") as file:
        data = bytearray(file.read())
    places = {name: (begin, end) for name, begin, end in float_initializers(data)}
    if layer not in places:
        raise KeyError(f"{source} has no initializer {layer}; it has {', '.join(places)}")
    begin, end = places[layer]
    count = (end - begin) // 4
    values = struct.unpack_from(f"<{count}f", data, begin)
    struct.pack_into(f"<{count}f", data, begin, *(value * factor for value in values))
    with open(target, "wb") as file:
        file.write(data)
