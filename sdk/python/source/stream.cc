// Streams without a package.
#include "sdk/python/source/handle.h"
#include "sdk/python/source/module.h"

namespace ferry::python {
namespace {

PyObject* OpenStream(PyObject*, PyObject* arguments) {
  const char* json = nullptr;
  if (PyArg_ParseTuple(arguments, "s", &json) == 0) return nullptr;
  ferry_stream* stream = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_stream_open(json, &stream);
  }
  return code == FERRY_kOk ? NewHandle(HandleKind::kStream, stream) : RaiseLast(code);
}

PyObject* Send(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char *source = nullptr, *row = nullptr;
  if (PyArg_ParseTuple(arguments, "Oss", &object, &source, &row) == 0) return nullptr;
  auto* stream = Get<ferry_stream>(object);
  if (stream == nullptr) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_stream_send(stream, source, row);
  }
  return NoneOr(code);
}

PyObject* SendEvent(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char* event = nullptr;
  if (PyArg_ParseTuple(arguments, "Os", &object, &event) == 0) return nullptr;
  auto* stream = Get<ferry_stream>(object);
  if (stream == nullptr) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_stream_send_event(stream, event);
  }
  return NoneOr(code);
}

PyObject* Advance(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  long long time_ms = 0;
  if (PyArg_ParseTuple(arguments, "OL", &object, &time_ms) == 0) return nullptr;
  auto* stream = Get<ferry_stream>(object);
  if (stream == nullptr) return nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_stream_advance(stream, time_ms);
  }
  return NoneOr(code);
}

PyObject* Read(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  Py_ssize_t most = 0;
  if (PyArg_ParseTuple(arguments, "On", &object, &most) == 0) return nullptr;
  auto* stream = Get<ferry_stream>(object);
  if (stream == nullptr) return nullptr;
  if (most < 0) return RaiseFormat(FERRY_kInvalidArgument, "most is %zd", most);
  char* rows = nullptr;
  int code = 0;
  {
    const WithoutLock free;
    code = ferry_stream_read(stream, static_cast<size_t>(most), &rows);
  }
  return TextOr(code, rows);
}

}  // namespace

PyMethodDef stream_functions[] = {
    {"stream_open", OpenStream, METH_VARARGS, nullptr},
    {"stream_send", Send, METH_VARARGS, nullptr},
    {"stream_send_event", SendEvent, METH_VARARGS, nullptr},
    {"stream_advance", Advance, METH_VARARGS, nullptr},
    {"stream_read", Read, METH_VARARGS, nullptr},
    {"stream_status", JsonOf<ferry_stream_status, ferry_stream>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace ferry::python
