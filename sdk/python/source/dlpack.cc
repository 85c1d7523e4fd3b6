#include "sdk/python/source/dlpack.h"

#include <new>

#include "sdk/python/source/tensor.h"

namespace ferry::python {
namespace {

constexpr const char* kName = "dltensor";
constexpr const char* kTaken = "used_dltensor";
enum DlCode : uint8_t { kInt = 0, kUnsigned = 1, kFloat = 2, kBfloat = 4, kBool = 6 };

struct Row {
  int type;
  DlType dl;
};
constexpr Row kRows[] = {
    {FERRY_TYPE_F32, {kFloat, 32, 1}},    {FERRY_TYPE_F64, {kFloat, 64, 1}},
    {FERRY_TYPE_F16, {kFloat, 16, 1}},    {FERRY_TYPE_BF16, {kBfloat, 16, 1}},
    {FERRY_TYPE_I8, {kInt, 8, 1}},        {FERRY_TYPE_I16, {kInt, 16, 1}},
    {FERRY_TYPE_I32, {kInt, 32, 1}},      {FERRY_TYPE_I64, {kInt, 64, 1}},
    {FERRY_TYPE_U8, {kUnsigned, 8, 1}},   {FERRY_TYPE_U16, {kUnsigned, 16, 1}},
    {FERRY_TYPE_U32, {kUnsigned, 32, 1}}, {FERRY_TYPE_U64, {kUnsigned, 64, 1}},
    {FERRY_TYPE_BOOL, {kBool, 8, 1}},
};

struct Given {
  DlManaged managed;
  PyObject* tensor;
  int64_t shape[FERRY_MAX_RANK];
};

// Called by whoever took it, on any thread.
void Delete(DlManaged* managed) {
  const PyGILState_STATE state = PyGILState_Ensure();
  auto* given = static_cast<Given*>(managed->context);
  Py_DECREF(given->tensor);
  delete given;
  PyGILState_Release(state);
}

// Of a capsule that nobody took.
void Drop(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kName) == 0) return;
  Delete(static_cast<DlManaged*>(PyCapsule_GetPointer(capsule, kName)));
}

bool IsDense(const DlTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  int64_t stride = 1;
  for (int axis = tensor.rank - 1; axis >= 0; --axis) {
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != stride) return false;
    stride *= tensor.shape[axis];
  }
  return true;
}

}  // namespace

int TypeOfDl(const DlType& type) {
  for (const Row& row : kRows)
    if (row.dl.code == type.code && row.dl.bits == type.bits && type.lanes == 1) return row.type;
  return 0;
}

PyObject* ToDlpack(TensorObject* tensor) {
  const Row* found = nullptr;
  for (const Row& row : kRows)
    if (row.type == tensor->type) found = &row;
  if (found == nullptr) {
    PyErr_Format(PyExc_BufferError, "DLPack has no type for %s", ferry_type_name(tensor->type));
    return nullptr;
  }
  auto* given = new (std::nothrow) Given{};
  if (given == nullptr) return PyErr_NoMemory();
  for (int axis = 0; axis < tensor->rank; ++axis) given->shape[axis] = tensor->shape[axis];
  given->tensor = Ref::Of(reinterpret_cast<PyObject*>(tensor)).release();
  given->managed = {
      {tensor->data, {1, 0}, tensor->rank, found->dl, given->shape, nullptr, 0}, given, Delete};
  PyObject* capsule = PyCapsule_New(&given->managed, kName, Drop);
  if (capsule == nullptr) Delete(&given->managed);
  return capsule;
}

DlManaged* TakeDlpack(PyObject* value, const char* input) {
  const Ref device(PyObject_CallMethod(value, "__dlpack_device__", nullptr));
  int type = 0;
  int id = 0;
  if (!device || PyArg_ParseTuple(device.get(), "ii", &type, &id) == 0) return nullptr;
  if (type != 1) {
    RaiseFormat(FERRY_kUnsupported,
                "input '%s': lies on a device of DLPack's type %d; bring it to the processor first",
                input, type);
    return nullptr;
  }
  const Ref capsule(PyObject_CallMethod(value, "__dlpack__", nullptr));
  if (!capsule) return nullptr;
  auto* managed = static_cast<DlManaged*>(PyCapsule_GetPointer(capsule.get(), kName));
  if (managed == nullptr) return nullptr;
  const char* wrong = nullptr;
  if (managed->tensor.rank < 0 || managed->tensor.rank > FERRY_MAX_RANK)
    wrong = "has too many dimensions";
  else if (TypeOfDl(managed->tensor.type) == 0)
    wrong = "has elements of a type that models do not take";
  else if (!IsDense(managed->tensor))
    wrong = "is not dense in rows: copy it first";
  if (wrong != nullptr) {
    RaiseFormat(FERRY_kInvalidArgument, "input '%s' %s", input, wrong);
    return nullptr;
  }
  if (PyCapsule_SetName(capsule.get(), kTaken) != 0) return nullptr;
  PyCapsule_SetDestructor(capsule.get(), nullptr);
  return managed;
}

}  // namespace ferry::python
