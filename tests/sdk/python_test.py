"""Models in Python: runs without copies, results, threads, and what is wrong with an input."""
import array
import asyncio
import ctypes
import gc
import os
import pathlib
import pickle
import struct
import sys
import tempfile
import threading
import time
import unittest

import python_binding

python_binding.begin()

import ferry  # noqa: E402
import onnx_models  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

ROOT = python_binding.ROOT
DIGITS = ROOT / "tasks/digits"
with_numpy = unittest.skipIf(numpy is None, "no NumPy")
LONG = onnx_models.products(256, 400)


def floats(values, *shape):
    """A buffer of f32 without NumPy."""
    return memoryview(array.array("f", values)).cast("B").cast("f", shape)


def digits():
    data = (DIGITS / "images.f32").read_bytes()
    labels = (DIGITS / "labels.u8").read_bytes()
    probabilities = array.array("f", (DIGITS / "prob.f32").read_bytes())
    return [(memoryview(data[k * 256:(k + 1) * 256]).cast("f", (1, 1, 8, 8)), labels[k], probabilities[k * 10:k * 10 + 10])
            for k in range(20)]


class Case(unittest.TestCase):
    def refused(self, call, name, *parts, kind=Exception):
        with self.assertRaises(ferry.Error) as caught:
            call()
        error = caught.exception
        self.assertEqual(error.name, name, error)
        self.assertEqual(ferry.code_name(error.code), name)
        self.assertIsInstance(error, kind)
        for part in parts:
            self.assertIn(part, str(error))


class Runs(Case):
    def test_digits(self):
        model = ferry.Model(DIGITS / "digits.onnx", arrays=False)
        for image, label, expected in digits():
            result = model.run({"image": image})["prob"]
            self.assertEqual(result.shape, (1, 10))
            self.assertEqual(result.argmax(), label)
            for got, wanted in zip(result[0].tolist(), expected):
                self.assertAlmostEqual(got, wanted, places=4)

    def test_positions_names_and_several_outputs(self):
        model = ferry.Model(onnx_models.add(), arrays=False)
        x, b = floats([1, 2, 3, 4], 1, 4), floats([10, 20, 30, 40], 4)
        wanted = [[11, 22, 33, 44]]
        self.assertEqual(model(x, b).tolist(), wanted)
        self.assertEqual(model(x, b=b).tolist(), wanted)
        self.assertEqual(model(b=b, x=x).tolist(), wanted)
        self.assertEqual(model([[1, 2, 3, 4]], (10, 20, 30, 40)).tolist(), wanted)
        self.assertEqual(model(ferry.tensor([[1, 2, 3, 4]]), b).tolist(), wanted)
        twice, square = ferry.Model(onnx_models.two_outputs(), arrays=False)(floats([1, 2, 3], 3))
        self.assertEqual((twice.tolist(), square.tolist()), ([2, 4, 6], [1, 4, 9]))

    def test_a_result_stays_when_others_follow(self):
        model = ferry.Model(onnx_models.add(), arrays=False)
        b = [0, 0, 0, 0]
        results = [model([[k] * 4] * rows, b) for k, rows in enumerate((1, 3, 1, 1, 3, 3, 2))]
        for k, (result, rows) in enumerate(zip(results, (1, 3, 1, 1, 3, 3, 2))):
            self.assertEqual(result.tolist(), [[k] * 4] * rows)

    def test_no_copy_of_inputs_and_outputs(self):
        for source in (onnx_models.add(), onnx_models.add((2, 4))):
            model = ferry.Model(source, arrays=False)
            x, b = floats(range(8), 2, 4), floats(range(4), 4)
            addresses = [ctypes.addressof(ctypes.c_char.from_buffer(one)) for one in (x, b)]
            for _ in range(3):
                result = model(x, b)
                out = ctypes.addressof(ctypes.c_char.from_buffer(result))
                last = model._session.addresses()
            # Shapes that the model leaves open are known from the second run on.
            self.assertEqual(last, (addresses, [out]))

    @with_numpy
    def test_no_copy_of_arrays(self):
        model = ferry.Model(onnx_models.add())
        x, b = numpy.ones((2, 4), "f4"), numpy.arange(4, dtype="f4")
        for _ in range(3):
            result = model(x, b)
        self.assertEqual(model._session.addresses(), ([x.ctypes.data, b.ctypes.data], [result.ctypes.data]))
        self.assertTrue(result.flags.writeable)

    @with_numpy
    def test_types_of_arrays(self):
        for name, dtype in (("f32", "f4"), ("f64", "f8"), ("f16", "f2"), ("i8", "i1"), ("u8", "u1"), ("i16", "i2"),
                            ("u16", "u2"), ("i32", "i4"), ("u32", "u4"), ("i64", "i8"), ("u64", "u8"), ("bool", "?")):
            with self.subTest(name):
                model = ferry.Model(onnx_models.concat(name))
                x = numpy.array([1, 0, 3], dtype)
                for _ in range(2):
                    result = model(x)
                    self.assertEqual(result.dtype, x.dtype)
                    self.assertEqual(result.dtype.char, x.dtype.char)
                    self.assertEqual(result.tolist(), [*x.tolist()] * 2)
                self.assertEqual(ferry.tensor([1, 0, 3], dtype=name).tolist(), x.tolist())

    def test_a_type_that_buffers_lack(self):
        model = ferry.Model(onnx_models.concat("bf16"))
        for given in (ferry.tensor([1.5, -2], dtype="bf16"), array.array("H", [0x3fc0, 0xc000])):
            result = model(given)
            self.assertEqual((result.dtype, result.tolist()), ("bf16", [1.5, -2, 1.5, -2]))

    def test_texts(self):
        model = ferry.Model(onnx_models.concat("string"), arrays=False)
        self.assertEqual(model(["a", "öl"]).tolist(), ["a", "öl", "a", "öl"])
        self.refused(lambda: model(["a\0b"]), "invalid_argument", "'x'", "zero byte")
        with self.assertRaisesRegex(TypeError, "'x'.*texts"):
            model([1])
        if numpy is not None:
            result = ferry.Model(onnx_models.concat("string"))(numpy.array(["a", "b"]))
            self.assertEqual((result.dtype, result.tolist()), (object, ["a", "b", "a", "b"]))

    def test_outputs_of_any_size(self):
        model = ferry.Model(onnx_models.nonzero(), arrays=False)
        for values in ([1, 0, 2], [0, 0, 0], [1, 1, 1], [5, 0]):
            wanted = [k for k, value in enumerate(values) if value]
            self.assertEqual(model(values).tolist(), [wanted])

    @with_numpy
    def test_strides(self):
        model = ferry.Model(onnx_models.add())
        x = numpy.arange(8, dtype="f4").reshape(4, 2)
        self.assertEqual(model(x.T, numpy.zeros(4, "f4")).tolist(), x.T.tolist())
        self.assertEqual(model(numpy.arange(16, dtype="f4")[::2].reshape(2, 4), [0] * 4).tolist(),
                         [[0, 2, 4, 6], [8, 10, 12, 14]])
        x.flags.writeable = False
        self.assertEqual(model(x.reshape(2, 4), [0] * 4).tolist(), x.reshape(2, 4).tolist())

    def test_memory_descriptor_and_closing(self):
        held = bytearray(onnx_models.add())
        model = ferry.Model(memoryview(held), arrays=False)
        second = model.session(threads=1)
        model.close()
        del model
        self.assertEqual(second([[1] * 4], [1] * 4).tolist(), [[2] * 4])
        second.close()
        self.refused(lambda: second([[1] * 4], [1] * 4), "invalid_argument", "closed")
        second.close()
        del second
        held.append(0)
        with tempfile.TemporaryFile() as file:
            file.write(b"before" + onnx_models.add() + b"behind")
            file.flush()
            model = ferry.Model.from_descriptor(file.fileno(), 6, len(onnx_models.add()), arrays=False)
        self.assertEqual(model([[1] * 4], [1] * 4).tolist(), [[2] * 4])

    def test_what_a_model_says_of_itself(self):
        with ferry.Model(onnx_models.add(), threads=1, profile=True, isa=ferry.isas()[0]) as model:
            self.assertEqual(model.inputs[0], ferry.Io("x", "f32", ("n", 4), "", 0.0, 0))
            self.assertEqual([one.name for one in model.outputs], ["y"])
            self.assertEqual(model.info["nodes"], 1)
            model.resize({"x": (5, 4), "b": [4]})
            model([[1] * 4] * 5, [1] * 4)
            self.assertEqual((model.plan["threads"], model.plan["isa"]), (1, ferry.isas()[0]))
            self.assertEqual(model.profile[0]["runs"], 1)
        self.assertRegex(ferry.version(), r"^\d+\.\d+\.\d+$")


class Tensors(Case):
    def test_buffer(self):
        tensor = ferry.tensor([[1, 2, 3], [4, 5, 6]], dtype="i64")
        view = memoryview(tensor)
        self.assertEqual((view.shape, view.strides, view.itemsize, view.readonly), ((2, 3), (24, 8), 8, False))
        self.assertEqual(view.tolist(), tensor.tolist())
        part = tensor[1]
        del tensor
        self.assertEqual(memoryview(part).tolist(), [4, 5, 6])
        self.assertEqual(bytes(ferry.tensor([1, 2], dtype="u8")), b"\1\2")
        with self.assertRaises(BufferError):
            memoryview(ferry.tensor(["a"], dtype="string"))

    def test_small_floats(self):
        for name, bits, values in (
                ("f16", "H", {0: 0.0, 1: 2.0 ** -24, 0x3c00: 1.0, 0x7bff: 65504.0, 0xfc00: -float("inf")}),
                ("bf16", "H", {0x3f80: 1.0, 0xc040: -3.0}),
                ("f8e5m2", "B", {0x3c: 1.0, 0x7b: 57344.0})):
            for number, wanted in values.items():
                made = ferry.tensor([wanted], dtype=name)
                self.assertEqual(memoryview(made).cast("B").cast(bits)[0], number)
                self.assertEqual(made.item(), wanted)
        for k in range(1 << 16):
            half = struct.unpack("<e", struct.pack("<H", k))[0]
            if half == half and k % 7 == 0:
                self.assertEqual(memoryview(ferry.tensor([half], dtype="f16")).cast("B").cast("H")[0], k)
        for value in (1 + 2.0 ** -11, 1 + 3 * 2.0 ** -11, 65519.9, 65520.0, 1e-30, -1e9):
            wanted = float("inf") if value >= 65520 else -float("inf") if value <= -65520 else \
                struct.unpack("<e", struct.pack("<e", value))[0]
            self.assertEqual(ferry.tensor([value], dtype="f16").item(), wanted)

    def test_integers_keep_their_bits(self):
        for name, values in (("i64", [2 ** 63 - 1, -2 ** 63, 2 ** 53 + 1]), ("u64", [2 ** 64 - 1, 0])):
            self.assertEqual(ferry.tensor(values, dtype=name).tolist(), values)
        self.assertEqual(ferry.tensor([2 ** 70, -2 ** 70], dtype="i64").tolist(), [2 ** 63 - 1, -2 ** 63])
        self.assertEqual(ferry.tensor([300, -5], dtype="u8").tolist(), [255, 0])

    @with_numpy
    def test_dlpack(self):
        tensor = ferry.tensor([[1, 2], [3, 4]])
        self.assertEqual(tensor.__dlpack_device__(), (1, 0))
        array_ = numpy.from_dlpack(tensor)
        self.assertEqual(array_.ctypes.data, ctypes.addressof(ctypes.c_char.from_buffer(tensor)))
        del tensor
        self.assertEqual(array_.tolist(), [[1, 2], [3, 4]])

        class Foreign:
            def __init__(self, held):
                self.held, self.__dlpack__, self.device = held, held.__dlpack__, (1, 0)

            def __dlpack_device__(self):
                return self.device

        model = ferry.Model(onnx_models.add())
        x = numpy.ones((1, 4), "f4")
        b = numpy.zeros(4, "f4")
        before = sys.getrefcount(x)
        self.assertEqual(model(Foreign(x), b).tolist(), x.tolist())
        self.assertEqual(model._session.addresses()[0][0], x.ctypes.data)
        self.assertEqual(sys.getrefcount(x), before)
        self.refused(lambda: model(Foreign(numpy.ones((4, 2), "f4").T), b), "invalid_argument", "'x'", "dense")
        away = Foreign(x)
        away.device = (2, 0)
        self.refused(lambda: model(away, b), "unsupported", "'x'", "device")
        for _ in range(3):
            ferry.tensor([1]).__dlpack__()  # that nobody takes

    def test_bad_values(self):
        t = ferry.tensor([[1, 2, 3]])
        self.refused(lambda: ferry.tensor([1, 2, 3], [2, 2]), "shape_mismatch", "3 values", "[2, 2]", kind=ValueError)
        self.refused(lambda: ferry.tensor([[1, 2], [3]]), "invalid_argument", "1 values among lists of 2", kind=ValueError)
        self.refused(lambda: ferry.tensor([1], dtype="f99"), "invalid_argument", "f99")
        self.refused(lambda: ferry.tensor([1], [-1]), "shape_mismatch", "-1")
        self.refused(lambda: ferry.tensor([1], [1] * 9), "shape_mismatch", "9")
        self.refused(lambda: ferry.tensor([], [0, 1 << 62, 1 << 62]), "shape_mismatch")
        self.refused(lambda: t.reshape([4]), "shape_mismatch", "f32 [1,3]", "[4]")
        self.refused(lambda: t.item(), "invalid_argument", "3 elements")
        self.refused(lambda: ferry.tensor([]).argmax(), "invalid_argument", "no elements")
        deep = [1]
        for _ in range(20):
            deep = [deep]
        self.refused(lambda: ferry.tensor(deep), "invalid_argument", "nested deeper")
        for call in (lambda: ferry.tensor(["a"]), lambda: ferry.tensor([1, None]), lambda: ferry.tensor([[1], 2]),
                     lambda: ferry.tensor([1], "ab"), lambda: len(ferry.tensor(1)), lambda: ferry.Tensor(),
                     lambda: t.reshape({1: 2})):
            with self.assertRaises(TypeError):
                call()
        for index in (1, -2):
            with self.assertRaisesRegex(IndexError, "out of range"):
                t[index]


class Wrong(Case):
    def setUp(self):
        self.model = ferry.Model(onnx_models.add(), arrays=False)
        self.x, self.b = floats([1] * 4, 1, 4), floats([1] * 4, 4)

    def test_inputs(self):
        model, x, b = self.model, self.x, self.b
        self.refused(lambda: model(x), "invalid_argument", "'b' is missing", kind=ValueError)
        self.refused(lambda: model.run({}), "invalid_argument", "'x' is missing")
        self.refused(lambda: model.run({"x": x, "b": b, "c": b}), "invalid_argument", "no input 'c'", "'x', 'b'")
        self.refused(lambda: model(x, b, c=b), "invalid_argument", "no input 'c'")
        self.refused(lambda: model(x, b, b=b), "invalid_argument", "'b' is given twice")
        self.refused(lambda: model(x, floats([1] * 3, 3)), "shape_mismatch", "'b'", "[3]")
        self.refused(lambda: model(b, b), "shape_mismatch", "'x'", "rank 2")
        self.refused(lambda: model(memoryview(array.array("d", [1] * 4)).cast("B").cast("d", (1, 4)), b), "shape_mismatch",
                     "'x'", "f32", "f64")
        self.refused(lambda: model(b"1234", b), "shape_mismatch", "'x'", "u8")
        unaligned = memoryview(bytearray(17))[1:].cast("f", (1, 4))
        self.refused(lambda: model(unaligned, b), "invalid_argument", "'x'", "aligned")
        self.refused(lambda: model([[1, 2], [3]], b), "invalid_argument", "'x'", "lists of 2")
        for call, text in ((lambda: model(x, b, b), "3 inputs"), (lambda: model.run([x, b]), "dict"),
                           (lambda: model(object(), b), "'x'.*buffer"), (lambda: model(None, b), "'x'.*NoneType"),
                           (lambda: model(["a"], b), "'x'.*numbers"), (lambda: model.run(5), "dict")):
            with self.assertRaisesRegex(TypeError, text):
                call()
        # After all of that it runs.
        self.assertEqual(model(x, b).tolist(), [[2] * 4])

    @with_numpy
    def test_arrays(self):
        model, b = self.model, self.b
        self.refused(lambda: model(numpy.ones((1, 4)), b), "shape_mismatch", "'x'", "f64")
        self.refused(lambda: model(numpy.ones((1, 4), ">f4"), b), "shape_mismatch", "'x'", ">f")
        self.refused(lambda: model(numpy.ones((1, 4), "c8"), b), "shape_mismatch", "'x'", "Zf")
        self.refused(lambda: model(numpy.array([[object()] * 4]), b), "shape_mismatch", "'x'", "O")
        self.refused(lambda: model(numpy.ones((1,) * 9, "f4"), b), "shape_mismatch", "'x'", "rank 9")
        with self.assertRaisesRegex(ValueError, "'x'"):
            model(numpy.array([["2020-01-01"] * 4], "M8[D]"), b)

    def test_files(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            broken = folder / "broken.onnx"
            broken.write_bytes((DIGITS / "digits.onnx").read_bytes()[:500])
            unknown = folder / "unknown.onnx"
            unknown.write_bytes(onnx_models.model([onnx_models.node("Gadget", ["x"], ["y"])], [("x", "f32", (1,))],
                                                  [("y", "f32", (1,))]))
            self.refused(lambda: ferry.Model(folder / "none.onnx"), "not_found", "none.onnx", kind=LookupError)
            self.refused(lambda: ferry.Model(broken), "bad_model", "broken.onnx")
            self.refused(lambda: ferry.Model(folder), "bad_model", str(folder))
            self.refused(lambda: ferry.Model(unknown), "unsupported_operator", "Gadget")
        self.refused(lambda: ferry.Model(b"no model"), "bad_model")
        self.refused(lambda: ferry.Model(ROOT / "tasks/pair/draft.flm"), "unsupported", "language model")
        self.refused(lambda: ferry.Model.from_descriptor(-1), "io", "-1")
        for call in (lambda: ferry.Model(5), lambda: ferry.Model(None), lambda: ferry.Model("a\0b")):
            with self.assertRaises((TypeError, ValueError)):
                call()

    def test_options(self):
        self.refused(lambda: self.model.session(threads=-1), "invalid_argument", "-1 threads")
        self.refused(lambda: self.model.session(isa="mmx"), "invalid_argument", "mmx")
        self.refused(lambda: self.model.session(backends="gpu"), "unsupported", "gpu")
        self.refused(lambda: ferry.Model(LONG, memory_bytes=1000), "out_of_memory")
        self.refused(lambda: self.model.profile, "failed_precondition", "profile")
        self.refused(lambda: self.model.resize({"x": (1, 4)}), "invalid_argument", "'b' is missing")
        self.refused(lambda: self.model.resize({"x": (1, 5), "b": (5,)}), "shape_mismatch", "'x'")
        for call in (lambda: self.model.session(precision="best"), lambda: self.model.session(colour=1),
                     lambda: self.model.resize(3), lambda: self.model.session(threads="2")):
            with self.assertRaises((TypeError, ValueError)):
                call()

    def test_an_error_is_pickled(self):
        try:
            self.model(self.x)
        except ferry.Error as error:
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((again.code, again.name, str(again)), (error.code, error.name, str(error)))

    def test_inputs_that_raise(self):
        class Odd:
            def __init__(self, error):
                self.error = error

            def __dlpack_device__(self):
                raise self.error

            def __dlpack__(self):
                raise self.error

        class Mapping(dict):
            def __getitem__(self, name):
                raise ZeroDivisionError(name)

        with self.assertRaises(ZeroDivisionError):
            self.model(Odd(ZeroDivisionError()), self.b)
        with self.assertRaises(ZeroDivisionError):
            self.model.run(Mapping(x=self.x, b=self.b))
        self.assertEqual(self.model(self.x, self.b).tolist(), [[2] * 4])


class Threads(Case):
    def setUp(self):
        self.model = ferry.Model(LONG, threads=1, arrays=False)
        self.x = floats([0] * 256 * 256, 256, 256)

    def start(self, call):
        """Runs in another thread; returns when it is in the library."""
        outcome = []

        def run():
            try:
                outcome.append(call())
            except Exception as error:
                outcome.append(error)
        thread = threading.Thread(target=run)
        thread.start()
        return thread, outcome

    def test_others_run_meanwhile(self):
        self.model(self.x)
        begin = time.perf_counter()
        self.model(self.x)
        alone = time.perf_counter() - begin
        thread, outcome = self.start(lambda: self.model(self.x))
        turns = 0
        while thread.is_alive():
            turns += 1
            time.sleep(0)
        self.assertEqual(outcome[0].shape, (256, 256))
        # With the lock held there would be none or one.
        self.assertGreater(turns, 100, alone)

    def test_a_second_thread_is_told(self):
        thread, outcome = self.start(lambda: self.model(self.x))
        refusals = 0
        while thread.is_alive():
            try:
                self.model([[0]])
            except ferry.Error as error:
                refusals += error.name == "failed_precondition"
                self.assertIn(error.name, ("failed_precondition", "shape_mismatch"))
            if refusals == 0 and not thread.is_alive():
                self.fail("it ran to its end before")
        thread.join()
        self.assertGreater(refusals, 0)
        self.assertEqual(outcome[0].shape, (256, 256))

    def test_sessions_of_one_model_at_once(self):
        model = ferry.Model(DIGITS / "digits.onnx", arrays=False, threads=1)
        images = digits()
        wanted = [model(image).tolist() for image, _, _ in images]
        failures = []

        def work(session):
            for _ in range(20):
                for (image, _, _), one in zip(images, wanted):
                    if session(image).tolist() != one:
                        failures.append(image)
        threads = [threading.Thread(target=work, args=(model.session(),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_cancel(self):
        thread, outcome = self.start(lambda: self.model(self.x))
        while thread.is_alive():
            self.model.cancel()
            time.sleep(0.001)
        if not isinstance(outcome[0], ferry.Error):
            self.skipTest("it ended before")
        self.assertEqual(outcome[0].name, "cancelled")
        self.assertEqual(self.model(self.x).shape, (256, 256))

    def test_closing_amid_a_run(self):
        thread, outcome = self.start(lambda: self.model(self.x))
        while thread.is_alive():
            try:
                self.model.close()
                break
            except ferry.Error as error:
                self.assertEqual(error.name, "failed_precondition")
        thread.join()
        self.assertEqual(outcome[0].shape, (256, 256))

    def test_asyncio(self):
        model = ferry.Model(onnx_models.add(), arrays=False)
        other = model.session()

        async def both():
            inputs = {"x": floats([1] * 4, 1, 4), "b": floats([1] * 4, 4)}
            for _ in range(3):
                first, second = await asyncio.gather(model.run_async(inputs), other.run_async(inputs))
                self.assertEqual((first["y"].tolist(), second["y"].tolist()), ([[2] * 4], [[2] * 4]))
            with self.assertRaises(ferry.Error) as caught:
                await model.run_async({"x": inputs["x"]})
            self.assertEqual(caught.exception.name, "invalid_argument")
            ticks = 0
            run = asyncio.ensure_future(self.model.run_async({"x": self.x}))
            while not run.done():
                await asyncio.sleep(0)
                ticks += 1
            self.assertGreater(ticks, 20)
            self.assertEqual((await run)["y"].shape, (256, 256))
            run = asyncio.ensure_future(self.model.run_async({"x": self.x}))
            await asyncio.sleep(0.002)
            self.assertRaises(ferry.Error, self.model, self.x)
            run.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await run
            self.assertEqual(self.model(self.x).shape, (256, 256))
        asyncio.run(both())

    def test_after_a_fork(self):
        self.model(self.x)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                self.model(self.x)
            except ferry.Error as error:
                status = 0 if error.name == "failed_precondition" and "fork" in str(error) else 2
            fresh = ferry.Model(onnx_models.add(), arrays=False)([[1] * 4], [1] * 4)
            del self.model
            gc.collect()
            os._exit(status if fresh.tolist() == [[2] * 4] else 3)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.model(self.x)

    def test_the_end_of_the_process(self):
        for ending in ("", "model.close()", "sys.exit(0)", "del model", "raise SystemExit"):
            done = self.ended(ending)
            self.assertEqual((done.returncode, done.stderr), (0, ""), ending)

    def test_daemon_threads_at_the_end_of_the_process(self):
        """The interpreter stops them amid a run, or where an app's mapping is asked for an input."""
        for products in (1, 1, 1, 40):
            done = python_binding.run(
                "import sys, threading, time, ferry, onnx_models\n"
                "model = ferry.Model(onnx_models.products(128, int(sys.argv[1])), threads=1, arrays=False)\n"
                "x = ferry.tensor([0] * 128 * 128, [128, 128])\n"
                "class Slow(dict):\n"
                "    def __getitem__(self, name):\n"
                "        for _ in range(100): pass\n"
                "        return x\n"
                "def work():\n"
                "    while True: model.run(Slow(x=x))\n"
                "threading.Thread(target=work, daemon=True).start()\n"
                "time.sleep(0.05)\n", products)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def ended(self, ending):
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(LONG)
            file.flush()
            return python_binding.run(
                "import sys, ferry\n"
                "model = ferry.Model(sys.argv[1], arrays=False)\n"
                "x = ferry.tensor([0] * 65536, [256, 256])\n"
                "model._session.run_async({'x': x}, lambda results, error: None)\n"
                "try:\n    " + (ending or "pass") + "\nexcept ferry.Error: pass\n", file.name)


class Memory(Case):
    def test_runs_keep_nothing(self):
        class Info(ctypes.Structure):
            _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks "
                        "fordblks keepcost".split()]
        mallinfo = ctypes.CDLL(None).mallinfo2
        mallinfo.restype = Info
        model = ferry.Model(onnx_models.add(), threads=1)
        x, b = floats([1] * 4, 1, 4), floats([1] * 4, 4)
        inputs = {"x": x, "b": b}

        def runs(count):
            for _ in range(count):
                model(x, b)
                model.run(inputs)
                try:
                    model(x)
                except ferry.Error:
                    pass
        runs(500)
        gc.collect()
        before = mallinfo().uordblks
        runs(int(os.environ.get("FERRY_BINDING_RUNS", 2000)))
        gc.collect()
        self.assertLess(mallinfo().uordblks - before, 64 << 10)


if __name__ == "__main__":
    unittest.main()
