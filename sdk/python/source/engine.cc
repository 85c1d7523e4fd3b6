// Engines: opening, describing, sessions.
#include "sdk/python/source/module.h"
#include "sdk/python/source/session.h"

namespace ferry::python {
namespace {

// Memory of the app, until the library lets it go, on any thread.
void ReleaseBuffer(void* context) {
  const PyGILState_STATE state = PyGILState_Ensure();
  auto* view = static_cast<Py_buffer*>(context);
  PyBuffer_Release(view);
  delete view;
  PyGILState_Release(state);
}

ferry_engine_options Options(int verify) {
  return {sizeof(ferry_engine_options), verify};
}

PyObject* Opened(int code, ferry_engine* engine) {
  return code == FERRY_kOk ? NewHandle(HandleKind::kEngine, engine) : RaiseLast(code);
}

PyObject* OpenFile(PyObject*, PyObject* arguments) {
  const char* path = nullptr;
  int verify = 0;
  if (PyArg_ParseTuple(arguments, "yp", &path, &verify) == 0) return nullptr;
  const ferry_engine_options options = Options(verify);
  ferry_engine* engine = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_engine_open(path, &options, &engine);
  }
  return Opened(code, engine);
}

PyObject* OpenMemory(PyObject*, PyObject* arguments) {
  PyObject* bytes = nullptr;
  int verify = 0;
  if (PyArg_ParseTuple(arguments, "Op", &bytes, &verify) == 0) return nullptr;
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(bytes, view.get(), PyBUF_SIMPLE) != 0) return nullptr;
  const ferry_engine_options options = Options(verify);
  ferry_engine* engine = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    Py_buffer* held = view.release();
    code = ferry_engine_open_memory(held->buf, static_cast<size_t>(held->len), &options,
                                    ReleaseBuffer, held, &engine);
  }
  return Opened(code, engine);
}

PyObject* OpenDescriptor(PyObject*, PyObject* arguments) {
  int descriptor = 0;
  int verify = 0;
  unsigned long long offset = 0;
  unsigned long long length = 0;
  if (PyArg_ParseTuple(arguments, "iKKp", &descriptor, &offset, &length, &verify) == 0)
    return nullptr;
  const ferry_engine_options options = Options(verify);
  ferry_engine* engine = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_engine_open_descriptor(descriptor, offset, length, &options, &engine);
  }
  return Opened(code, engine);
}

PyObject* OpenPackage(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char* name = nullptr;
  int verify = 0;
  if (PyArg_ParseTuple(arguments, "Osp", &object, &name, &verify) == 0) return nullptr;
  auto* runtime = Get<ferry_runtime>(object);
  if (runtime == nullptr) return nullptr;
  const ferry_engine_options options = Options(verify);
  ferry_engine* engine = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_engine_open_package(runtime, name, &options, &engine);
  }
  return Opened(code, engine);
}

using Describe = int(const ferry_engine*, int, ferry_engine_io*);

// (name, type, (extents or None), (symbols), kind, scale, zero point)
PyObject* IoTuple(const ferry_engine_io& io) {
  Ref shape(io.rank < 0 ? Ref::Of(Py_None).release() : PyTuple_New(io.rank));
  Ref symbols(PyTuple_New(io.rank < 0 ? 0 : io.rank));
  for (int axis = 0; shape && symbols && axis < io.rank; ++axis) {
    PyTuple_SetItem(shape.get(), axis, PyLong_FromLongLong(io.shape[axis]));
    PyTuple_SetItem(symbols.get(), axis, PyUnicode_FromString(io.symbols[axis]));
  }
  if (!shape || !symbols) return nullptr;
  return Py_BuildValue("ssOOsdL", io.name, ferry_type_name(io.type), shape.get(), symbols.get(),
                       io.kind, io.scale, static_cast<long long>(io.zero_point));
}

template <Describe describe>
PyObject* DescribeAll(const ferry_engine* engine, int count) {
  Ref out(PyList_New(0));
  for (int i = 0; out && i < count; ++i) {
    ferry_engine_io io = {sizeof(io)};
    if (const int code = describe(engine, i, &io); code != FERRY_kOk) return RaiseLast(code);
    const Ref one(IoTuple(io));
    if (!one || PyList_Append(out.get(), one.get()) != 0) return nullptr;
  }
  return out.release();
}

// (inputs, outputs)
PyObject* EngineIo(PyObject*, PyObject* object) {
  auto* engine = Get<ferry_engine>(object);
  if (engine == nullptr) return nullptr;
  const int inputs = ferry_engine_input_count(engine);
  const int outputs = ferry_engine_output_count(engine);
  if (inputs + outputs == 0 && ferry_error_text()[0] != '\0')
    return RaiseLast(FERRY_kInvalidArgument);
  return Py_BuildValue("NN", DescribeAll<ferry_engine_input>(engine, inputs),
                       DescribeAll<ferry_engine_output>(engine, outputs));
}

template <Describe describe>
bool ReadAll(const ferry_engine* engine, int count, std::vector<Io>* out) {
  for (int i = 0; i < count; ++i) {
    ferry_engine_io io = {sizeof(io)};
    out->emplace_back();
    if (const int code = describe(engine, i, &io); code != FERRY_kOk)
      return RaiseLast(code) != nullptr;
    if (!ReadIo(io, &out->back())) return false;
  }
  return true;
}

PyObject* CreateSession(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  int arrays = 0;
  long long memory = 0;
  unsigned long long seed = 0;
  ferry_engine_session_options options = {sizeof(options)};
  if (PyArg_ParseTuple(arguments, "OiizzLpzpKp", &object, &options.threads, &options.precision,
                       &options.isa, &options.backends, &memory, &options.profile,
                       &options.tune_file, &options.tune, &seed, &arrays) == 0)
    return nullptr;
  options.memory_bytes = memory;
  options.seed = seed;
  auto* engine = Get<ferry_engine>(object);
  if (engine == nullptr) return nullptr;
  ferry_engine_session* session = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_engine_session_create(engine, &options, &session);
  }
  if (code != FERRY_kOk) return RaiseLast(code);
  Ref handle(NewHandle(HandleKind::kSession, session));
  std::vector<Io> inputs;
  std::vector<Io> outputs;
  if (!handle || !ReadAll<ferry_engine_input>(engine, ferry_engine_input_count(engine), &inputs) ||
      !ReadAll<ferry_engine_output>(engine, ferry_engine_output_count(engine), &outputs))
    return nullptr;
  return NewSession(handle.release(), std::move(inputs), std::move(outputs), arrays != 0);
}

PyObject* Isas(PyObject*, PyObject*) {
  char* json = nullptr;
  const int code = ferry_engine_isas(&json);
  return TextOr(code, json);
}

PyObject* MakeTensor(PyObject*, PyObject* arguments, PyObject* keywords) {
  static const char* const kNames[] = {"values", "shape", "dtype", nullptr};
  PyObject *values = nullptr, *shape = nullptr;
  const char* dtype = "f32";
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Os", const_cast<char**>(kNames), &values,
                                  &shape, &dtype) == 0)
    return nullptr;
  const int type = TypeOfName(dtype);
  if (type == 0) return RaiseFormat(FERRY_kInvalidArgument, "unknown dtype '%s'", dtype);
  return TensorFromValues(values, shape, type);
}

}  // namespace

PyMethodDef engine_functions[] = {
    {"engine_open", OpenFile, METH_VARARGS, nullptr},
    {"engine_open_memory", OpenMemory, METH_VARARGS, nullptr},
    {"engine_open_descriptor", OpenDescriptor, METH_VARARGS, nullptr},
    {"engine_open_package", OpenPackage, METH_VARARGS, nullptr},
    {"engine_io", EngineIo, METH_O, nullptr},
    {"engine_info", JsonOf<ferry_engine_info, ferry_engine>, METH_O, nullptr},
    {"engine_isas", Isas, METH_NOARGS, nullptr},
    {"session_create", CreateSession, METH_VARARGS, nullptr},
    {"tensor", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(MakeTensor)),
     METH_VARARGS | METH_KEYWORDS, "tensor(values, shape=None, dtype='f32') -> Tensor"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace ferry::python
