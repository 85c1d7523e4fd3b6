// What a run gives: memory that the library writes to, as NumPy's arrays where NumPy is there.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "sdk/python/source/session.h"

namespace ferry::python {
namespace {

// numpy.asarray; null without NumPy. Imported when the first result asks for it.
PyObject* AsArray() {
  static bool tried = false;
  static PyObject* function = nullptr;
  if (tried) return function;
  tried = true;
  const Ref numpy(PyImport_ImportModule("numpy"));
  if (numpy) function = PyObject_GetAttrString(numpy.get(), "asarray");
  PyErr_Clear();
  return function;
}

// An array of str objects, with the tensor's shape.
PyObject* TextArray(const TensorObject& tensor, PyObject* asarray) {
  const Ref arguments(Py_BuildValue("(O)", tensor.texts));
  const Ref options(
      Py_BuildValue("{sO}", "dtype", reinterpret_cast<PyObject*>(&PyBaseObject_Type)));
  const Ref flat(arguments && options ? PyObject_Call(asarray, arguments.get(), options.get())
                                      : nullptr);
  const Ref shape(PyObject_GetAttrString(
      const_cast<PyObject*>(reinterpret_cast<const PyObject*>(&tensor)), "shape"));
  return flat && shape ? PyObject_CallMethod(flat.get(), "reshape", "O", shape.get()) : nullptr;
}

PyObject* TextsOf(const ferry_tensor& from) {
  const auto* texts = static_cast<const char* const*>(from.data);
  const auto count = static_cast<Py_ssize_t>(from.bytes / sizeof(char*));
  Ref out(PyList_New(count));
  for (Py_ssize_t i = 0; out && i < count; ++i) {
    PyObject* text =
        PyUnicode_DecodeUTF8(texts[i], static_cast<Py_ssize_t>(std::strlen(texts[i])), "replace");
    if (text == nullptr || PyList_SetItem(out.get(), i, text) != 0) return nullptr;
  }
  return NewTextTensor(from.rank, from.shape, out.release());
}

// The tensor of an output that was written to the session's memory.
PyObject* CopyOf(const ferry_tensor& from) {
  if (from.type == FERRY_TYPE_STRING) return TextsOf(from);
  TensorObject* out = NewTensor(from.type, from.rank, from.shape, from.bytes);
  if (out != nullptr && from.bytes > 0) std::memcpy(out->data, from.data, from.bytes);
  return reinterpret_cast<PyObject*>(out);
}

bool SameShape(const ferry_tensor& a, const ferry_tensor& b) {
  return a.type == b.type && a.rank == b.rank && std::equal(a.shape, a.shape + a.rank, b.shape);
}

// Whether an output lies in the tensor that was made for it.
bool HoldsIt(const TensorObject& tensor, const ferry_tensor& out) {
  if (tensor.data != out.data || tensor.type != out.type || tensor.rank != out.rank) return false;
  return std::equal(out.shape, out.shape + out.rank, tensor.shape);
}

bool SameShapes(const std::vector<ferry_tensor>& a, const std::vector<ferry_tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameShape);
}

bool IsStatic(SessionState& state) {
  char* json = nullptr;
  auto* session = Get<ferry_engine_session>(state.handle);
  if (ferry_engine_session_info(session, &json) != FERRY_kOk) return false;
  const bool is_static =
      std::string_view(json).find("\"is_static\":true") != std::string_view::npos;
  ferry_string_free(json);
  return is_static;
}

}  // namespace

bool TakeResults(SessionState& state, std::vector<Ref>* out) {
  PyObject* asarray = state.arrays ? AsArray() : nullptr;
  for (size_t i = 0; i < state.out.size(); ++i) {
    Ref tensor(reinterpret_cast<PyObject*>(std::exchange(state.results[i], nullptr)));
    if (!tensor || !HoldsIt(*AsTensor(tensor.get()), state.out[i]))
      tensor = Ref(CopyOf(state.out[i]));
    if (!tensor) return false;
    const TensorObject& made = *AsTensor(tensor.get());
    if (asarray != nullptr && made.texts != nullptr)
      tensor = Ref(TextArray(made, asarray));
    else if (asarray != nullptr && FormatOf(made.type) != nullptr)
      tensor = Ref(PyObject_CallFunctionObjArgs(asarray, tensor.get(), nullptr));
    if (!tensor) return false;
    out->push_back(std::move(tensor));
  }
  return true;
}

bool MakeResults(SessionState& state) {
  const bool known = state.is_known && SameShapes(state.in, state.planned);
  for (size_t i = 0; i < state.out.size(); ++i) {
    ferry_tensor& out = state.out[i];
    out = {sizeof(out), state.outputs[i].name.c_str()};
    if (!known || state.last[i].type == FERRY_TYPE_STRING) continue;
    const ferry_tensor& last = state.last[i];
    state.results[i] = NewTensor(last.type, last.rank, last.shape, last.bytes);
    if (state.results[i] == nullptr) return false;
    out.data = state.results[i]->data;
    out.bytes = last.bytes;
  }
  return true;
}

void DropResults(SessionState& state) {
  for (size_t i = 0; i < state.results.size(); ++i) {
    Py_XDECREF(reinterpret_cast<PyObject*>(std::exchange(state.results[i], nullptr)));
    state.out[i].data = nullptr;
    state.out[i].bytes = 0;
  }
}

void Remember(SessionState& state) {
  if (state.is_known && SameShapes(state.in, state.planned) && SameShapes(state.out, state.last))
    return;
  state.planned = state.in;
  state.last = state.out;
  state.is_known = IsStatic(state);
}

void RememberDeclared(SessionState& state) {
  const auto fill = [](const std::vector<Io>& from, std::vector<ferry_tensor>* to) {
    for (const Io& io : from) {
      ferry_tensor one = {sizeof(one), nullptr, io.type, io.rank};
      if (io.rank < 0 || ferry_type_bytes(io.type) == 0) return false;
      one.bytes = ferry_type_bytes(io.type);
      for (int axis = 0; axis < io.rank; ++axis) {
        if (io.shape[axis] < 0) return false;
        one.shape[axis] = io.shape[axis];
        one.bytes *= static_cast<size_t>(io.shape[axis]);
      }
      to->push_back(one);
    }
    return true;
  };
  state.planned.clear();
  state.last.clear();
  state.is_known = fill(state.inputs, &state.planned) && fill(state.outputs, &state.last);
}

}  // namespace ferry::python
