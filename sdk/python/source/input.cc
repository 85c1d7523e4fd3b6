#include "sdk/python/source/input.h"

#include <cstdlib>
#include <cstring>

#include "sdk/python/source/tensor.h"

namespace ferry::python {
namespace {

constexpr size_t kAlign = 64;

// The type of a buffer's elements by the letter of the struct module; 0 for none.
int TypeOfFormat(const char* format, Py_ssize_t bytes) {
  if (format == nullptr) return FERRY_TYPE_U8;
  if (*format == '@' || *format == '=' || *format == '<' || *format == '|') ++format;
  if (*format == '\0' || format[1] != '\0') return 0;
  switch (*format) {
    case '?':
      return bytes == 1 ? FERRY_TYPE_BOOL : 0;
    case 'e':
      return FERRY_TYPE_F16;
    case 'f':
      return FERRY_TYPE_F32;
    case 'd':
      return FERRY_TYPE_F64;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return bytes == 1   ? FERRY_TYPE_I8
             : bytes == 2 ? FERRY_TYPE_I16
             : bytes == 4 ? FERRY_TYPE_I32
                          : FERRY_TYPE_I64;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return bytes == 1   ? FERRY_TYPE_U8
             : bytes == 2 ? FERRY_TYPE_U16
             : bytes == 4 ? FERRY_TYPE_U32
                          : FERRY_TYPE_U64;
    default:
      return 0;
  }
}

// Types without a letter come as integers of their size.
int AsDeclared(int type, int declared) {
  if (FormatOf(declared) != nullptr || declared == FERRY_TYPE_STRING) return type;
  const bool integer = type == FERRY_TYPE_U8 || type == FERRY_TYPE_I8 || type == FERRY_TYPE_U16 ||
                       type == FERRY_TYPE_I16;
  return integer && ferry_type_bytes(type) == ferry_type_bytes(declared) ? declared : type;
}

// Puts the input's name before what was raised as a TypeError or ValueError of Python's own.
void NameInput(const Io& io) {
  PyObject *kind = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&kind, &value, &traceback);
  PyErr_NormalizeException(&kind, &value, &traceback);
  const Ref type(kind);
  const Ref error(value);
  const Ref trace(traceback);
  const Ref code(error ? PyObject_GetAttrString(error.get(), "code") : nullptr);
  PyErr_Clear();
  const Ref text(error ? PyObject_Str(error.get()) : nullptr);
  if (!text) return;
  if (code && PyLong_Check(code.get()) != 0)
    RaiseFormat(static_cast<int>(PyLong_AsLong(code.get())), "input '%s': %U", io.name.c_str(),
                text.get());
  else
    PyErr_Format(type.get(), "input '%s': %U", io.name.c_str(), text.get());
}

bool IsPlain(PyObject* value) {
  return PyList_Check(value) != 0 || PyTuple_Check(value) != 0 || PyLong_Check(value) != 0 ||
         PyFloat_Check(value) != 0 || PyUnicode_Check(value) != 0;
}

bool HasMember(PyObject* value, const char* name) {
  const Ref member(PyObject_GetAttrString(value, name));
  if (!member) PyErr_Clear();
  return static_cast<bool>(member);
}

void FillFrom(const TensorObject& tensor, ferry_tensor* out) {
  out->type = tensor.type;
  out->rank = tensor.rank;
  for (int axis = 0; axis < tensor.rank; ++axis) out->shape[axis] = tensor.shape[axis];
  out->data = tensor.data;
  out->bytes = static_cast<size_t>(BytesOf(tensor));
}

}  // namespace

bool Input::Read(PyObject* value, const Io& io, ferry_tensor* out) {
  out->size = sizeof(*out);
  out->name = io.name.c_str();
  Ref made;
  TensorObject* tensor = AsTensor(value);
  if (tensor == nullptr && io.type == FERRY_TYPE_STRING && !IsPlain(value)) {
    // NumPy's arrays of texts.
    made = Ref(HasMember(value, "tolist") ? PyObject_CallMethod(value, "tolist", nullptr)
                                          : Ref::Of(value).release());
    if (!made) return false;
    value = made.get();
  }
  if (tensor == nullptr && IsPlain(value)) {
    made = Ref(TensorFromValues(value, nullptr, io.type));
    if (!made) {
      NameInput(io);
      return false;
    }
    tensor = AsTensor(made.get());
  }
  if (tensor != nullptr) {
    kept_ = made ? std::move(made) : Ref::Of(value);
    FillFrom(*tensor, out);
    return tensor->texts == nullptr || ReadTexts(io, out);
  }
  if (PyObject_CheckBuffer(value) != 0) {
    if (PyObject_GetBuffer(value, &view_, PyBUF_RECORDS_RO) == 0) return ReadBuffer(io, out);
    view_.obj = nullptr;
    PyObject *kind = nullptr, *error = nullptr, *traceback = nullptr;
    PyErr_Fetch(&kind, &error, &traceback);
    if (HasMember(value, "__dlpack__")) {
      if (ReadDlpack(value, io, out)) {
        Py_XDECREF(kind);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
        return true;
      }
      PyErr_Clear();
    }
    PyErr_Restore(kind, error, traceback);
    NameInput(io);
    return false;
  }
  if (HasMember(value, "__dlpack__")) return ReadDlpack(value, io, out);
  RaiseType(value,
            "input '%s' takes an object with a buffer or DLPack, a ferry.Tensor or lists of "
            "numbers",
            io.name.c_str());
  return false;
}

bool Input::ReadBuffer(const Io& io, ferry_tensor* out) {
  out->type = AsDeclared(TypeOfFormat(view_.format, view_.itemsize), io.type);
  if (out->type == 0 || static_cast<size_t>(view_.itemsize) != ferry_type_bytes(out->type)) {
    RaiseFormat(FERRY_kShapeMismatch, "input '%s': models take no elements of the form '%s'",
                io.name.c_str(), view_.format);
    return false;
  }
  if (view_.ndim > FERRY_MAX_RANK) {
    RaiseFormat(FERRY_kShapeMismatch, "input '%s': rank %d: 0 to %d", io.name.c_str(), view_.ndim,
                FERRY_MAX_RANK);
    return false;
  }
  out->rank = view_.ndim;
  for (int axis = 0; axis < view_.ndim; ++axis) out->shape[axis] = view_.shape[axis];
  out->data = view_.buf;
  out->bytes = static_cast<size_t>(view_.len);
  if (PyBuffer_IsContiguous(&view_, 'C') != 0) return true;
  if (posix_memalign(&memory_, kAlign, out->bytes) != 0) {
    memory_ = nullptr;
    PyErr_NoMemory();
    return false;
  }
  out->data = memory_;
  return PyBuffer_ToContiguous(memory_, &view_, view_.len, 'C') == 0;
}

bool Input::ReadDlpack(PyObject* value, const Io& io, ferry_tensor* out) {
  managed_ = TakeDlpack(value, io.name.c_str());
  if (managed_ == nullptr) return false;
  const DlTensor& tensor = managed_->tensor;
  out->type = TypeOfDl(tensor.type);
  out->rank = tensor.rank;
  out->bytes = ferry_type_bytes(out->type);
  for (int axis = 0; axis < tensor.rank; ++axis) {
    out->shape[axis] = tensor.shape[axis];
    out->bytes *= static_cast<size_t>(tensor.shape[axis]);
  }
  out->data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  return true;
}

bool Input::ReadTexts(const Io& io, ferry_tensor* out) {
  const TensorObject& tensor = *AsTensor(kept_.get());
  const auto count = static_cast<size_t>(tensor.elements);
  memory_ = std::calloc(count + 1, sizeof(char*));
  if (memory_ == nullptr) {
    PyErr_NoMemory();
    return false;
  }
  auto** texts = static_cast<const char**>(memory_);
  for (size_t i = 0; i < count; ++i) {
    Py_ssize_t length = 0;
    PyObject* text = PyList_GetItem(tensor.texts, static_cast<Py_ssize_t>(i));
    texts[i] = PyUnicode_AsUTF8AndSize(text, &length);
    if (texts[i] == nullptr) return false;
    if (std::strlen(texts[i]) == static_cast<size_t>(length)) continue;
    RaiseFormat(FERRY_kInvalidArgument, "input '%s': text %zu has a zero byte", io.name.c_str(), i);
    return false;
  }
  out->data = memory_;
  out->bytes = count * sizeof(char*);
  return true;
}

void Input::Clear() {
  if (view_.obj != nullptr) PyBuffer_Release(&view_);
  view_.obj = nullptr;
  if (managed_ != nullptr && managed_->deleter != nullptr) managed_->deleter(managed_);
  managed_ = nullptr;
  kept_ = Ref();
  std::free(memory_);
  memory_ = nullptr;
}

}  // namespace ferry::python
