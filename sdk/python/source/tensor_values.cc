// Tensors from Python's lists and back.
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sdk/python/source/tensor.h"

namespace ferry::python {
namespace {

// How a float of 16 bits or fewer lies in its bits.
enum class Special { kIeee, kOneNan, kUnsignedZero, kNone };
struct Small {
  int exponent;
  int mantissa;
  int bias;
  Special special;
};

const Small* SmallOf(int type) {
  static constexpr Small kF16 = {5, 10, 15, Special::kIeee};
  static constexpr Small kBf16 = {8, 7, 127, Special::kIeee};
  static constexpr Small kE5M2 = {5, 2, 15, Special::kIeee};
  static constexpr Small kE4M3 = {4, 3, 7, Special::kOneNan};
  static constexpr Small kE4M3Fnuz = {4, 3, 8, Special::kUnsignedZero};
  static constexpr Small kE5M2Fnuz = {5, 2, 16, Special::kUnsignedZero};
  static constexpr Small kE2M1 = {2, 1, 1, Special::kNone};
  switch (type) {
    case FERRY_TYPE_F16:
      return &kF16;
    case FERRY_TYPE_BF16:
      return &kBf16;
    case FERRY_TYPE_F8E5M2:
      return &kE5M2;
    case FERRY_TYPE_F8E4M3FN:
      return &kE4M3;
    case FERRY_TYPE_F8E4M3FNUZ:
      return &kE4M3Fnuz;
    case FERRY_TYPE_F8E5M2FNUZ:
      return &kE5M2Fnuz;
    case FERRY_TYPE_F4E2M1:
      return &kE2M1;
    default:
      return nullptr;
  }
}

double Decode(const Small& small, unsigned bits) {
  const int width = small.exponent + small.mantissa;
  const bool negative = (bits >> width & 1) != 0;
  const unsigned magnitude = bits & ((1U << width) - 1);
  const unsigned exponent = magnitude >> small.mantissa;
  const unsigned mantissa = magnitude & ((1U << small.mantissa) - 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (small.special == Special::kIeee && exponent == (1U << small.exponent) - 1) {
    const double infinity = std::numeric_limits<double>::infinity();
    return mantissa != 0 ? nan : negative ? -infinity : infinity;
  }
  if (small.special == Special::kOneNan && magnitude == (1U << width) - 1) return nan;
  if (small.special == Special::kUnsignedZero && negative && magnitude == 0) return nan;
  const unsigned whole = exponent == 0 ? mantissa : mantissa | 1U << small.mantissa;
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - small.bias - small.mantissa;
  const double value = std::ldexp(static_cast<double>(whole), power);
  return negative ? -value : value;
}

// To the nearest, ties to even; what is too large becomes infinite.
unsigned Encode(const Small& small, double value) {
  const int width = small.exponent + small.mantissa;
  const unsigned sign = std::signbit(value) ? 1U << width : 0;
  const unsigned infinity = ((1U << small.exponent) - 1) << small.mantissa;
  if (std::isnan(value)) return sign | infinity | 1U << (small.mantissa - 1);
  const double size = std::fabs(value);
  if (std::isinf(size)) return sign | infinity;
  const int least = 1 - small.bias;
  const int exponent = size == 0 ? least : std::max(std::ilogb(size), least);
  const double steps = std::nearbyint(std::ldexp(size, small.mantissa - exponent));
  if (exponent > small.bias) return sign | infinity;
  const unsigned bits =
      (static_cast<unsigned>(exponent - least) << small.mantissa) + static_cast<unsigned>(steps);
  return sign | std::min(bits, infinity);
}

// A float as an integer of a type: the nearest that it has, without fraction.
template <typename T>
T Saturated(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  // The largest of 64 bits is no double: the power of two above it is.
  if (value >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

template <typename T>
void Store(void* data, Py_ssize_t index, T value) {
  static_cast<T*>(data)[index] = value;
}
template <typename T>
T Load(const void* data, Py_ssize_t index) {
  return static_cast<const T*>(data)[index];
}

// Bits of the integers that take a byte each; 0 for others.
int NarrowBits(int type) {
  switch (type) {
    case FERRY_TYPE_U4:
    case FERRY_TYPE_I4:
      return 4;
    case FERRY_TYPE_U2:
    case FERRY_TYPE_I2:
      return 2;
    default:
      return 0;
  }
}

long long LoadInteger(int type, const void* data, Py_ssize_t i) {
  switch (type) {
    case FERRY_TYPE_I8:
      return Load<int8_t>(data, i);
    case FERRY_TYPE_I16:
      return Load<int16_t>(data, i);
    case FERRY_TYPE_U16:
      return Load<uint16_t>(data, i);
    case FERRY_TYPE_I32:
      return Load<int32_t>(data, i);
    case FERRY_TYPE_U32:
      return Load<uint32_t>(data, i);
    case FERRY_TYPE_I64:
      return Load<int64_t>(data, i);
    default:
      break;
  }
  const int bits = NarrowBits(type);
  const unsigned byte = Load<uint8_t>(data, i);
  if (bits == 0) return byte;
  const int value = static_cast<int>(byte & ((1U << bits) - 1));
  const bool is_signed = type == FERRY_TYPE_I4 || type == FERRY_TYPE_I2;
  return is_signed && value >= 1 << (bits - 1) ? value - (1 << bits) : value;
}

bool IsFloat(int type) {
  return type == FERRY_TYPE_F32 || type == FERRY_TYPE_F64 || type == FERRY_TYPE_F8E8M0 ||
         SmallOf(type) != nullptr;
}

PyObject* ElementOf(const TensorObject& tensor, Py_ssize_t index) {
  if (tensor.texts != nullptr) return Ref::Of(PyList_GetItem(tensor.texts, index)).release();
  if (tensor.type == FERRY_TYPE_BOOL)
    return PyBool_FromLong(Load<uint8_t>(tensor.data, index) != 0 ? 1 : 0);
  if (tensor.type == FERRY_TYPE_U64)
    return PyLong_FromUnsignedLongLong(Load<uint64_t>(tensor.data, index));
  if (IsFloat(tensor.type)) return PyFloat_FromDouble(NumberAt(tensor, index));
  return PyLong_FromLongLong(LoadInteger(tensor.type, tensor.data, index));
}

PyObject* ListFrom(const TensorObject& tensor, int axis, Py_ssize_t* at) {
  if (axis == tensor.rank) return ElementOf(tensor, (*at)++);
  Ref out(PyList_New(tensor.shape[axis]));
  for (Py_ssize_t i = 0; out && i < tensor.shape[axis]; ++i) {
    PyObject* item = ListFrom(tensor, axis + 1, at);
    if (item == nullptr || PyList_SetItem(out.get(), i, item) != 0) return nullptr;
  }
  return out.release();
}

bool IsList(PyObject* value) {
  return PyList_Check(value) != 0 || PyTuple_Check(value) != 0;
}

// The extents of nested lists, by their first elements; -1 with an exception.
int ExtentsOf(PyObject* value, int64_t out[FERRY_MAX_RANK]) {
  int rank = 0;
  Ref at = Ref::Of(value);
  while (IsList(at.get())) {
    if (rank == FERRY_MAX_RANK) {
      RaiseFormat(FERRY_kInvalidArgument, "lists nested deeper than %d", FERRY_MAX_RANK);
      return -1;
    }
    const Py_ssize_t count = PySequence_Size(at.get());
    if (count < 0) return -1;
    out[rank++] = count;
    if (count == 0) break;
    at = Ref(PySequence_GetItem(at.get(), 0));
    if (!at) return -1;
  }
  return rank;
}

bool StoreNumber(TensorObject& out, Py_ssize_t index, PyObject* value) {
  if (PyFloat_Check(value) == 0 && PyLong_Check(value) == 0 && PyIndex_Check(value) == 0) {
    RaiseType(value, "values must be numbers");
    return false;
  }
  // Integers keep all their bits.
  if (out.type == FERRY_TYPE_I64 || out.type == FERRY_TYPE_U64) {
    const Ref whole(PyFloat_Check(value) != 0 ? nullptr : PyNumber_Index(value));
    if (whole && out.type == FERRY_TYPE_I64) {
      int overflow = 0;
      const long long number = PyLong_AsLongLongAndOverflow(whole.get(), &overflow);
      Store<int64_t>(out.data, index,
                     overflow > 0   ? std::numeric_limits<int64_t>::max()
                     : overflow < 0 ? std::numeric_limits<int64_t>::min()
                                    : number);
      return true;
    }
    if (whole) {
      const unsigned long long number = PyLong_AsUnsignedLongLong(whole.get());
      if (PyErr_Occurred() == nullptr) {
        Store<uint64_t>(out.data, index, number);
        return true;
      }
    }
    PyErr_Clear();
  }
  const double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred() != nullptr) return false;
  if (const Small* small = SmallOf(out.type); small != nullptr) {
    const unsigned bits = Encode(*small, number);
    if (ferry_type_bytes(out.type) == 2)
      Store(out.data, index, static_cast<uint16_t>(bits));
    else
      Store(out.data, index, static_cast<uint8_t>(bits));
    return true;
  }
  switch (out.type) {
    case FERRY_TYPE_F32:
      Store(out.data, index, static_cast<float>(number));
      break;
    case FERRY_TYPE_F64:
      Store(out.data, index, number);
      break;
    case FERRY_TYPE_BOOL:
      Store<uint8_t>(out.data, index, number != 0 ? 1 : 0);
      break;
    case FERRY_TYPE_I8:
      Store(out.data, index, Saturated<int8_t>(number));
      break;
    case FERRY_TYPE_U8:
      Store(out.data, index, Saturated<uint8_t>(number));
      break;
    case FERRY_TYPE_I16:
      Store(out.data, index, Saturated<int16_t>(number));
      break;
    case FERRY_TYPE_U16:
      Store(out.data, index, Saturated<uint16_t>(number));
      break;
    case FERRY_TYPE_I32:
      Store(out.data, index, Saturated<int32_t>(number));
      break;
    case FERRY_TYPE_U32:
      Store(out.data, index, Saturated<uint32_t>(number));
      break;
    case FERRY_TYPE_I64:
      Store(out.data, index, Saturated<int64_t>(number));
      break;
    case FERRY_TYPE_U64:
      Store(out.data, index, Saturated<uint64_t>(number));
      break;
    default: {
      const int high = out.type == FERRY_TYPE_U4   ? 15
                       : out.type == FERRY_TYPE_I4 ? 7
                       : out.type == FERRY_TYPE_U2 ? 3
                                                   : 1;
      const int low = out.type == FERRY_TYPE_I4 ? -8 : out.type == FERRY_TYPE_I2 ? -2 : 0;
      const double bounded =
          std::isnan(number) ? 0 : std::min<double>(std::max<double>(number, low), high);
      Store(out.data, index,
            static_cast<uint8_t>(static_cast<int>(bounded) & ((1 << NarrowBits(out.type)) - 1)));
    }
  }
  return true;
}

// Fills from `at` on with what nested lists have.
bool Fill(PyObject* value, const TensorObject& like, int axis, TensorObject& out, Py_ssize_t* at) {
  if (axis == like.rank) {
    if (out.texts == nullptr) return StoreNumber(out, (*at)++, value);
    if (PyUnicode_Check(value) == 0) {
      RaiseType(value, "values must be texts");
      return false;
    }
    return PyList_SetItem(out.texts, (*at)++, Ref::Of(value).release()) == 0;
  }
  if (!IsList(value)) {
    RaiseType(value, "values must be lists of numbers");
    return false;
  }
  const Py_ssize_t count = PySequence_Size(value);
  if (count != like.shape[axis]) {
    RaiseFormat(FERRY_kInvalidArgument, "a list of %zd values among lists of %zd", count,
                like.shape[axis]);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Ref item(PySequence_GetItem(value, i));
    if (!item || !Fill(item.get(), like, axis + 1, out, at)) return false;
  }
  return true;
}

bool CanStore(int type) {
  const Small* small = SmallOf(type);
  if (small == nullptr) return type != FERRY_TYPE_F8E8M0;
  return small->special == Special::kIeee;
}

}  // namespace

double NumberAt(const TensorObject& tensor, Py_ssize_t index) {
  if (const Small* small = SmallOf(tensor.type); small != nullptr) {
    return Decode(*small, ferry_type_bytes(tensor.type) == 2 ? Load<uint16_t>(tensor.data, index)
                                                             : Load<uint8_t>(tensor.data, index));
  }
  switch (tensor.type) {
    case FERRY_TYPE_F32:
      return Load<float>(tensor.data, index);
    case FERRY_TYPE_F64:
      return Load<double>(tensor.data, index);
    case FERRY_TYPE_U64:
      return static_cast<double>(Load<uint64_t>(tensor.data, index));
    case FERRY_TYPE_F8E8M0: {
      const int bits = Load<uint8_t>(tensor.data, index);
      return bits == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - 127);
    }
    default:
      return static_cast<double>(LoadInteger(tensor.type, tensor.data, index));
  }
}

PyObject* ToList(const TensorObject& tensor) {
  Py_ssize_t at = 0;
  return ListFrom(tensor, 0, &at);
}

int ReadShape(PyObject* shape, int64_t out[FERRY_MAX_RANK]) {
  const Ref one(PyLong_Check(shape) != 0 ? Py_BuildValue("(O)", shape) : Ref::Of(shape).release());
  if (PySequence_Check(one.get()) == 0 || PyUnicode_Check(one.get()) != 0) {
    RaiseType(shape, "shape must be a list of integers");
    return -1;
  }
  const Py_ssize_t rank = PySequence_Size(one.get());
  if (rank < 0) return -1;
  if (rank > FERRY_MAX_RANK) {
    RaiseFormat(FERRY_kShapeMismatch, "rank %zd is above the limit of %d", rank, FERRY_MAX_RANK);
    return -1;
  }
  Py_ssize_t elements = 1;
  for (Py_ssize_t axis = 0; axis < rank; ++axis) {
    const Ref item(PySequence_GetItem(one.get(), axis));
    const Ref whole(item ? PyNumber_Index(item.get()) : nullptr);
    const Py_ssize_t extent = whole ? PyLong_AsSsize_t(whole.get()) : -1;
    if (PyErr_Occurred() != nullptr) return -1;
    if (extent < 0) {
      RaiseFormat(FERRY_kShapeMismatch, "negative extent %zd", extent);
      return -1;
    }
    if (extent > 0 && elements > PY_SSIZE_T_MAX / 16 / extent) {
      RaiseError(FERRY_kShapeMismatch, "the shape has too many elements");
      return -1;
    }
    elements *= extent > 0 ? extent : 1;
    out[axis] = extent;
  }
  return static_cast<int>(rank);
}

PyObject* TensorFromValues(PyObject* values, PyObject* shape, int type) {
  if (!CanStore(type)) {
    return RaiseFormat(FERRY_kUnsupported, "%s from numbers: give its bytes in a buffer",
                       ferry_type_name(type));
  }
  TensorObject like = {};
  int64_t extents[FERRY_MAX_RANK];
  like.rank = ExtentsOf(values, extents);
  if (like.rank < 0) return nullptr;
  int64_t elements = 1;
  for (int axis = 0; axis < like.rank; ++axis) {
    like.shape[axis] = static_cast<Py_ssize_t>(extents[axis]);
    elements *= extents[axis];
  }
  int64_t wanted[FERRY_MAX_RANK];
  int rank = like.rank;
  std::memcpy(wanted, extents, sizeof(wanted));
  if (shape != nullptr && shape != Py_None) {
    rank = ReadShape(shape, wanted);
    if (rank < 0) return nullptr;
  }
  const bool texts = type == FERRY_TYPE_STRING;
  Ref made(texts ? NewTextTensor(rank, wanted, PyList_New(static_cast<Py_ssize_t>(elements)))
                 : nullptr);
  if (!texts) {
    int64_t given = 1;
    for (int axis = 0; axis < rank; ++axis) given *= wanted[axis];
    const auto bytes = static_cast<size_t>(std::max(given, elements)) * ferry_type_bytes(type);
    made = Ref(reinterpret_cast<PyObject*>(NewTensor(type, rank, wanted, bytes)));
  }
  if (!made) return nullptr;
  auto& out = *reinterpret_cast<TensorObject*>(made.get());
  if (out.elements != elements) {
    const Ref to(PySequence_Check(shape) != 0 ? PySequence_List(shape) : Ref::Of(shape).release());
    if (!to) return nullptr;
    return RaiseFormat(FERRY_kShapeMismatch, "%lld values do not fill the shape %S",
                       static_cast<long long>(elements), to.get());
  }
  Py_ssize_t at = 0;
  return Fill(values, like, 0, out, &at) ? made.release() : nullptr;
}

}  // namespace ferry::python
