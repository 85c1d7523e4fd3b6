#include "sdk/python/source/python.h"

#include <cstdarg>
#include <cstring>

namespace ferry::python {
namespace {

thread_local int callbacks = 0;
PyObject* make_error = nullptr;  // make(code, name, text) of ferry._errors

PyObject* RaiseText(int code, PyObject* text) {
  const Ref owned(text);
  if (!owned) return nullptr;
  const Ref error(
      PyObject_CallFunction(make_error, "isO", code, ferry_code_name(code), owned.get()));
  if (error) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  return nullptr;
}

}  // namespace

InCallback::InCallback() : state_(PyGILState_Ensure()) {
  ++callbacks;
}

InCallback::~InCallback() {
  --callbacks;
  PyGILState_Release(state_);
}

bool InCallback::Is() {
  return callbacks > 0;
}

void CallBack(PyObject* callable, PyObject* arguments) {
  const Ref owned(arguments);
  const Ref result(owned ? PyObject_CallObject(callable, owned.get()) : nullptr);
  if (!result) PyErr_WriteUnraisable(callable);
}

PyObject* RaiseError(int code, const char* text) {
  return RaiseText(
      code, PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace"));
}

PyObject* RaiseFormat(int code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyObject* text = PyUnicode_FromFormatV(format, arguments);
  va_end(arguments);
  return RaiseText(code, text);
}

PyObject* RaiseType(PyObject* value, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const Ref text(PyUnicode_FromFormatV(format, arguments));
  va_end(arguments);
  const Ref type(text ? PyType_GetName(Py_TYPE(value)) : nullptr);
  if (type) PyErr_Format(PyExc_TypeError, "%U, not %U", text.get(), type.get());
  return nullptr;
}

PyObject* RaiseLast(int code) {
  return RaiseError(code, ferry_error_text());
}

PyObject* NoneOr(int code) {
  if (code != FERRY_kOk) return RaiseLast(code);
  Py_RETURN_NONE;
}

PyObject* TextOr(int code, char* text) {
  if (code != FERRY_kOk) return RaiseLast(code);
  PyObject* out = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace");
  ferry_string_free(text);
  return out;
}

bool InitErrors() {
  const Ref module(PyImport_ImportModule("ferry._errors"));
  if (!module) return false;
  make_error = PyObject_GetAttrString(module.get(), "make");
  return make_error != nullptr;
}

}  // namespace ferry::python
