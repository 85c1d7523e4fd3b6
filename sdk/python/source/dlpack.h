// DLPack: how array libraries hand memory to each other (dmlc.github.io/dlpack).
#pragma once

#include "sdk/python/source/python.h"

namespace ferry::python {

struct DlDevice {
  int32_t type;  // 1: memory of the processor
  int32_t id;
};
struct DlType {
  uint8_t code;  // 0 int, 1 unsigned, 2 float, 4 bfloat, 6 bool
  uint8_t bits;
  uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  int32_t rank;
  DlType type;
  int64_t* shape;
  int64_t* strides;  // in elements; null: dense
  uint64_t byte_offset;
};
struct DlManaged {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManaged*);
};

// Takes what `value.__dlpack__()` gives; null with an exception. The deleter is to be called with
// the lock held.
DlManaged* TakeDlpack(PyObject* value, const char* input);
// FERRY_TYPE_* of an element; 0 for none.
int TypeOfDl(const DlType& type);

}  // namespace ferry::python
