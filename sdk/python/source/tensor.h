// ferry.Tensor: dense elements with a type and a shape, by the buffer protocol and DLPack.
#pragma once

#include "sdk/python/source/python.h"

namespace ferry::python {

struct TensorObject {
  PyObject_HEAD int type;  // FERRY_TYPE_*
  int rank;
  Py_ssize_t shape[FERRY_MAX_RANK];
  Py_ssize_t strides[FERRY_MAX_RANK];  // in bytes
  Py_ssize_t elements;
  void* data;
  void* memory;     // freed with the tensor; null where `owner` has it
  PyObject* owner;  // whose memory this is; null
  PyObject* texts;  // of FERRY_TYPE_STRING: a list of all elements; else null
};

extern PyTypeObject* tensor_type;
bool InitTensor(PyObject* module);

inline TensorObject* AsTensor(PyObject* object) {
  return PyObject_TypeCheck(object, tensor_type) != 0 ? reinterpret_cast<TensorObject*>(object)
                                                      : nullptr;
}

// A tensor with memory of its own, of elements that are not set, aligned to 64 bytes. `bytes` is
// what the elements take.
TensorObject* NewTensor(int type, int rank, const int64_t* shape, size_t bytes);
// Of texts, which it takes.
PyObject* NewTextTensor(int rank, const int64_t* shape, PyObject* texts);
inline Py_ssize_t BytesOf(const TensorObject& tensor) {
  return tensor.elements * static_cast<Py_ssize_t>(ferry_type_bytes(tensor.type));
}

// The type of this name; 0 for none.
int TypeOfName(const char* name);
// "f32 [2,3]".
PyObject* TypeText(const TensorObject& tensor);

// The letter that the struct module has for a type; null where it has none (then the buffer shows
// unsigned integers of the same size).
const char* FormatOf(int type);

// ---- tensor_values.cc

// Nested lists of numbers, or of texts, as a tensor; `shape`, a list of extents or an integer, may
// be null.
PyObject* TensorFromValues(PyObject* values, PyObject* shape, int type);
// Nested lists of all elements; a number or text for rank 0.
PyObject* ToList(const TensorObject& tensor);
// As a double, for comparisons; `index` is below elements, and the type none of texts.
double NumberAt(const TensorObject& tensor, Py_ssize_t index);
// Reads extents: -1 with an exception, else the rank.
int ReadShape(PyObject* shape, int64_t out[FERRY_MAX_RANK]);

// ---- dlpack.cc

PyObject* ToDlpack(TensorObject* tensor);

}  // namespace ferry::python
