#include "sdk/python/source/tensor.h"

#include <cstdlib>
#include <cstring>

namespace ferry::python {

PyTypeObject* tensor_type = nullptr;

namespace {

constexpr size_t kAlign = 64;

TensorObject* Self(PyObject* self) {
  return reinterpret_cast<TensorObject*>(self);
}

// Shape, strides and count; the rest is null.
TensorObject* Allocate(int type, int rank, const int64_t* shape) {
  const auto make = reinterpret_cast<allocfunc>(PyType_GetSlot(tensor_type, Py_tp_alloc));
  TensorObject* out = Self(make(tensor_type, 0));
  if (out == nullptr) return nullptr;
  out->type = type;
  out->rank = rank;
  auto stride = static_cast<Py_ssize_t>(ferry_type_bytes(type));
  out->elements = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    out->shape[axis] = static_cast<Py_ssize_t>(shape[axis]);
    out->strides[axis] = stride;
    stride *= out->shape[axis];
    out->elements *= out->shape[axis];
  }
  return out;
}

// Another shape of the same elements, or a part of them.
PyObject* ViewOf(TensorObject* tensor, int rank, const int64_t* shape, Py_ssize_t first) {
  TensorObject* out = Allocate(tensor->type, rank, shape);
  if (out == nullptr) return nullptr;
  Ref owned(reinterpret_cast<PyObject*>(out));
  if (tensor->texts != nullptr) {
    out->texts = PyList_GetSlice(tensor->texts, first, first + out->elements);
    if (out->texts == nullptr) return nullptr;
  }
  out->data = static_cast<char*>(tensor->data) +
              first * static_cast<Py_ssize_t>(ferry_type_bytes(tensor->type));
  out->owner = reinterpret_cast<PyObject*>(tensor);
  Py_INCREF(out->owner);
  return owned.release();
}

void Dealloc(PyObject* object) {
  TensorObject* self = Self(object);
  PyTypeObject* type = Py_TYPE(object);
  std::free(self->memory);
  Py_XDECREF(self->owner);
  Py_XDECREF(self->texts);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

int GetBuffer(PyObject* object, Py_buffer* view, int flags) {
  TensorObject* self = Self(object);
  if (self->texts != nullptr) {
    view->obj = nullptr;
    PyErr_SetString(PyExc_BufferError, "a tensor of texts has no buffer; tolist() has them");
    return -1;
  }
  const auto bytes = static_cast<Py_ssize_t>(ferry_type_bytes(self->type));
  const char* format = FormatOf(self->type);
  if (format == nullptr) format = bytes == 1 ? "B" : "H";
  view->obj = object;
  Py_INCREF(object);
  view->buf = self->data;
  view->len = self->elements * bytes;
  view->readonly = 0;
  view->itemsize = bytes;
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format) : nullptr;
  view->ndim = (flags & PyBUF_ND) != 0 ? self->rank : 1;
  view->shape = (flags & PyBUF_ND) != 0 ? self->shape : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : nullptr;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  return 0;
}

PyObject* GetShape(PyObject* self, void*) {
  Ref out(PyTuple_New(Self(self)->rank));
  for (int axis = 0; out && axis < Self(self)->rank; ++axis) {
    PyObject* extent = PyLong_FromSsize_t(Self(self)->shape[axis]);
    if (extent == nullptr || PyTuple_SetItem(out.get(), axis, extent) != 0) return nullptr;
  }
  return out.release();
}
PyObject* GetDtype(PyObject* self, void*) {
  return PyUnicode_FromString(ferry_type_name(Self(self)->type));
}
PyObject* GetSize(PyObject* self, void*) {
  return PyLong_FromSsize_t(Self(self)->elements);
}

PyObject* ToListMethod(PyObject* self, PyObject*) {
  return ToList(*Self(self));
}

PyObject* Item(PyObject* self, PyObject*) {
  if (Self(self)->elements != 1)
    return RaiseFormat(FERRY_kInvalidArgument, "item() of %zd elements", Self(self)->elements);
  const Ref scalar(ViewOf(Self(self), 0, nullptr, 0));
  return scalar ? ToList(*Self(scalar.get())) : nullptr;
}

PyObject* Reshape(PyObject* self, PyObject* given) {
  int64_t shape[FERRY_MAX_RANK];
  const int rank = ReadShape(given, shape);
  if (rank < 0) return nullptr;
  int64_t elements = 1;
  for (int axis = 0; axis < rank; ++axis) elements *= shape[axis];
  if (elements == Self(self)->elements) return ViewOf(Self(self), rank, shape, 0);
  const Ref from(TypeText(*Self(self)));
  const Ref to(PySequence_Check(given) != 0 ? PySequence_List(given) : Ref::Of(given).release());
  if (!from || !to) return nullptr;
  return RaiseFormat(FERRY_kShapeMismatch, "%U cannot become %S", from.get(), to.get());
}

// The place of the first largest element, counted over all.
PyObject* ArgMax(PyObject* object, PyObject*) {
  const TensorObject& self = *Self(object);
  if (self.elements == 0) return RaiseError(FERRY_kInvalidArgument, "argmax() of no elements");
  if (self.texts != nullptr) return RaiseError(FERRY_kInvalidArgument, "argmax() of texts");
  Py_ssize_t best = 0;
  for (Py_ssize_t i = 1; i < self.elements; ++i)
    if (NumberAt(self, i) > NumberAt(self, best)) best = i;
  return PyLong_FromSsize_t(best);
}

PyObject* DlpackMethod(PyObject* self, PyObject*, PyObject*) {
  return ToDlpack(Self(self));
}

PyObject* DlpackDevice(PyObject*, PyObject*) {
  return Py_BuildValue("ii", 1, 0);  // memory of the processor
}

Py_ssize_t Length(PyObject* self) {
  if (Self(self)->rank > 0) return Self(self)->shape[0];
  PyErr_SetString(PyExc_TypeError, "a tensor of rank 0 has no length");
  return -1;
}

// t[i]: what lies at place i of the first axis, of the same memory.
PyObject* GetItem(PyObject* object, Py_ssize_t index) {
  TensorObject* self = Self(object);
  if (self->rank == 0) {
    PyErr_SetString(PyExc_IndexError, "a tensor of rank 0 has no items");
    return nullptr;
  }
  if (index < 0 || index >= self->shape[0]) {
    PyErr_SetString(PyExc_IndexError, "tensor index out of range");
    return nullptr;
  }
  int64_t inner[FERRY_MAX_RANK];
  Py_ssize_t count = 1;
  for (int axis = 1; axis < self->rank; ++axis) {
    inner[axis - 1] = self->shape[axis];
    count *= self->shape[axis];
  }
  Ref part(ViewOf(self, self->rank - 1, inner, index * count));
  return part && self->rank == 1 ? ToList(*Self(part.get())) : part.release();
}

PyObject* Repr(PyObject* self) {
  const Ref text(TypeText(*Self(self)));
  return text ? PyUnicode_FromFormat("Tensor(%U)", text.get()) : nullptr;
}

PyMethodDef methods[] = {
    {"tolist", ToListMethod, METH_NOARGS, "Nested lists of all elements."},
    {"item", Item, METH_NOARGS, "The only element."},
    {"reshape", Reshape, METH_O, "The same elements in another shape, of the same memory."},
    {"argmax", ArgMax, METH_NOARGS, "The place of the first largest element, counted over all."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(DlpackMethod)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", DlpackDevice, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {{"shape", GetShape, nullptr, "The extents, a tuple.", nullptr},
                            {"dtype", GetDtype, nullptr, "\"f32\", \"i64\", ..", nullptr},
                            {"size", GetSize, nullptr, "How many elements.", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

template <typename T>
void* Slot(T* function) {
  return reinterpret_cast<void*>(function);
}

PyType_Slot slots[] = {{Py_tp_dealloc, Slot(Dealloc)},
                       {Py_bf_getbuffer, Slot(GetBuffer)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {Py_tp_repr, Slot(Repr)},
                       {Py_sq_length, Slot(Length)},
                       {Py_sq_item, Slot(GetItem)},
                       {Py_tp_doc, const_cast<char*>("Dense elements with a type and a shape.")},
                       {0, nullptr}};

PyType_Spec spec = {
    "ferry.Tensor", sizeof(TensorObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};

}  // namespace

TensorObject* NewTensor(int type, int rank, const int64_t* shape, size_t bytes) {
  TensorObject* out = Allocate(type, rank, shape);
  if (out == nullptr) return nullptr;
  if (posix_memalign(&out->memory, kAlign, bytes == 0 ? 1 : bytes) != 0) {
    out->memory = nullptr;
    Py_DECREF(reinterpret_cast<PyObject*>(out));
    PyErr_NoMemory();
    return nullptr;
  }
  out->data = out->memory;
  return out;
}

PyObject* NewTextTensor(int rank, const int64_t* shape, PyObject* texts) {
  Ref owned(texts);
  TensorObject* out = owned ? Allocate(FERRY_TYPE_STRING, rank, shape) : nullptr;
  if (out == nullptr) return nullptr;
  out->texts = owned.release();
  return reinterpret_cast<PyObject*>(out);
}

int TypeOfName(const char* name) {
  for (int type = 1; type <= FERRY_TYPE_I2; ++type) {
    const char* one = ferry_type_name(type);
    if (one != nullptr && std::strcmp(one, name) == 0) return type;
  }
  return 0;
}

PyObject* TypeText(const TensorObject& tensor) {
  Ref text(PyUnicode_FromFormat("%s [", ferry_type_name(tensor.type)));
  for (int axis = 0; text && axis < tensor.rank; ++axis)
    text =
        Ref(PyUnicode_FromFormat(axis == 0 ? "%U%zd" : "%U,%zd", text.get(), tensor.shape[axis]));
  return text ? PyUnicode_FromFormat("%U]", text.get()) : nullptr;
}

const char* FormatOf(int type) {
  switch (type) {
    case FERRY_TYPE_F32:
      return "f";
    case FERRY_TYPE_F64:
      return "d";
    case FERRY_TYPE_F16:
      return "e";
    case FERRY_TYPE_BOOL:
      return "?";
    case FERRY_TYPE_I8:
      return "b";
    case FERRY_TYPE_U8:
      return "B";
    case FERRY_TYPE_I16:
      return "h";
    case FERRY_TYPE_U16:
      return "H";
    case FERRY_TYPE_I32:
      return "i";
    case FERRY_TYPE_U32:
      return "I";
    // NumPy's own int64 is C's long where that has 64 bits.
    case FERRY_TYPE_I64:
      return sizeof(long) == 8 ? "l" : "q";
    case FERRY_TYPE_U64:
      return sizeof(long) == 8 ? "L" : "Q";
    default:
      return nullptr;
  }
}

bool InitTensor(PyObject* module) {
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) return false;
  tensor_type = reinterpret_cast<PyTypeObject*>(type);
  return PyModule_AddObjectRef(module, "Tensor", type) == 0;
}

}  // namespace ferry::python
