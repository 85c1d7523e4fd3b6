"""A new process that opens a model through the SDK's library and runs it, as an app does.

    first.py LIBRARY MODEL RUNS     one line of JSON: open_ms, session_ms, runs_ms

Inputs are ones, free extents 1; kernels run on one thread.
"""
import ctypes
import json
import sys
import time

MAX_RANK = 8


class Tensor(ctypes.Structure):  # ferry_tensor
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("type", ctypes.c_int),
                ("rank", ctypes.c_int), ("shape", ctypes.c_int64 * MAX_RANK),
                ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class Io(ctypes.Structure):  # ferry_engine_io
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("type", ctypes.c_int),
                ("rank", ctypes.c_int), ("shape", ctypes.c_int64 * MAX_RANK),
                ("symbols", ctypes.c_char_p * MAX_RANK), ("kind", ctypes.c_char_p),
                ("scale", ctypes.c_double), ("zero_point", ctypes.c_int64)]


class SessionOptions(ctypes.Structure):  # the first members of ferry_engine_session_options
    _fields_ = [("size", ctypes.c_size_t), ("threads", ctypes.c_int), ("precision", ctypes.c_int)]


# By the numbers of enum ferry_type.
ELEMENTS = {1: ctypes.c_float, 6: ctypes.c_int32, 7: ctypes.c_int64, 9: ctypes.c_bool,
            11: ctypes.c_double}


def milliseconds_since(start):
    return (time.perf_counter() - start) * 1e3


class Engine:
    def __init__(self, library):
        self.api = ctypes.CDLL(library)
        self.api.ferry_error_text.restype = ctypes.c_char_p

    def call(self, name, *words):
        if getattr(self.api, name)(*words) != 0:
            raise RuntimeError(f"{name}: {self.api.ferry_error_text().decode()}")

    def input(self, engine, index):
        io = Io(size=ctypes.sizeof(Io))
        self.call("ferry_engine_input", engine, index, ctypes.byref(io))
        if io.type not in ELEMENTS or io.rank < 0:
            raise RuntimeError(f"input {io.name.decode()} is of type {io.type}")
        extents = [max(1, extent) for extent in io.shape[:io.rank]]
        count = 1
        for extent in extents:
            count *= extent
        values = (ELEMENTS[io.type] * count)(*[1] * count)
        shape = (ctypes.c_int64 * MAX_RANK)(*extents)
        tensor = Tensor(ctypes.sizeof(Tensor), io.name, io.type, io.rank, shape,
                        ctypes.cast(values, ctypes.c_void_p), ctypes.sizeof(values))
        return tensor, values  # which the tensor points to


def main(library, model, runs):
    api = Engine(library)
    engine, session = ctypes.c_void_p(), ctypes.c_void_p()
    start = time.perf_counter()
    api.call("ferry_engine_open", model.encode(), None, ctypes.byref(engine))
    found = {"open_ms": milliseconds_since(start), "runs_ms": []}
    options = SessionOptions(ctypes.sizeof(SessionOptions), 1)
    start = time.perf_counter()
    api.call("ferry_engine_session_create", engine, ctypes.byref(options), ctypes.byref(session))
    found["session_ms"] = milliseconds_since(start)
    made = [api.input(engine, i) for i in range(api.api.ferry_engine_input_count(engine))]
    inputs = (Tensor * len(made))(*[tensor for tensor, _ in made])
    for _ in range(int(runs)):
        outputs = (Tensor * 1)(Tensor(size=ctypes.sizeof(Tensor)))
        start = time.perf_counter()
        api.call("ferry_engine_run", session, inputs, len(made), outputs, 1)
        found["runs_ms"].append(milliseconds_since(start))
    return found


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
