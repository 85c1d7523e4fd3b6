// Element access whatever the dtype.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "device-runtime/tensor/minifloat.h"
#include "device-runtime/tensor/tensor.h"

namespace ferry::tensor {
namespace {

template <typename T>
T Load(const uint8_t* data, int64_t index) {
  T value;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): T is a number, no pointer.
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void Store(uint8_t* data, int64_t index, T value) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): T is a number, no pointer.
  std::memcpy(data + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

template <typename T>
T Saturated(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

// Toward zero, with the last bit set when that is not exact: what is then rounded to a narrower
// format is as if it had been rounded once.
float ToOdd(double value) {
  float narrow = static_cast<float>(value);
  if (std::isnan(narrow) || std::isinf(narrow) || static_cast<double>(narrow) == value) {
    return narrow;
  }
  if (std::abs(static_cast<double>(narrow)) > std::abs(value)) {
    narrow = std::nextafter(narrow, 0.0f);
  }
  return std::bit_cast<float>(std::bit_cast<uint32_t>(narrow) | 1);
}

// The nearest integer of `bits` bits toward zero, saturated.
int64_t Narrow(double value, int bits, bool is_unsigned) {
  const int64_t low = is_unsigned ? 0 : -(int64_t{1} << (bits - 1));
  const int64_t high = (int64_t{1} << (is_unsigned ? bits : bits - 1)) - 1;
  return std::clamp(Saturated<int64_t>(value), low, high);
}

}  // namespace

double Tensor::Number(int64_t index) const {
  switch (dtype_) {
    case DType::kF32:
      return Load<float>(data_, index);
    case DType::kF64:
      return Load<double>(data_, index);
    case DType::kF16:
      return HalfToFloat(Load<uint16_t>(data_, index));
    case DType::kBF16:
      return BFloat16ToFloat(Load<uint16_t>(data_, index));
    case DType::kU64:
      return static_cast<double>(Load<uint64_t>(data_, index));
    default:
      if (IsFloat(dtype_)) return MiniToFloat(dtype_, data_[index]);
      return static_cast<double>(Integer(index));
  }
}

int64_t Tensor::Integer(int64_t index) const {
  switch (dtype_) {
    case DType::kI8:
    case DType::kI4:
    case DType::kI2:
      return Load<int8_t>(data_, index);
    case DType::kU8:
    case DType::kU4:
    case DType::kU2:
    case DType::kBool:
      return data_[index];
    case DType::kI16:
      return Load<int16_t>(data_, index);
    case DType::kU16:
      return Load<uint16_t>(data_, index);
    case DType::kI32:
      return Load<int32_t>(data_, index);
    case DType::kU32:
      return Load<uint32_t>(data_, index);
    case DType::kI64:
    case DType::kU64:
      return Load<int64_t>(data_, index);
    default:
      CHECK(false) << DTypeName(dtype_) << " is not an integer type";
      return 0;
  }
}

void Tensor::SetNumber(int64_t index, double value) {
  uint8_t* data = mutable_raw();
  switch (dtype_) {
    case DType::kF32:
      return Store<float>(data, index, static_cast<float>(value));
    case DType::kF64:
      return Store<double>(data, index, value);
    case DType::kF16:
      return Store<uint16_t>(data, index, FloatToHalf(ToOdd(value)));
    case DType::kBF16:
      return Store<uint16_t>(data, index, FloatToBFloat16(ToOdd(value)));
    case DType::kI64:
      return Store<int64_t>(data, index, Saturated<int64_t>(value));
    case DType::kU64:
      return Store<uint64_t>(data, index, Saturated<uint64_t>(value));
    case DType::kBool:
      return Store<uint8_t>(data, index, value != 0);
    case DType::kString:
      CHECK(false) << "a string is not a number";
      return;
    default:
      if (IsFloat(dtype_)) {
        return Store<uint8_t>(data, index, FloatToMini(dtype_, ToOdd(value)));
      }
      SetInteger(index, Narrow(value, IntegerBits(dtype_), IsUnsigned(dtype_)));
  }
}

void Tensor::SetInteger(int64_t index, int64_t value) {
  uint8_t* data = mutable_raw();
  switch (dtype_) {
    case DType::kBool:
      return Store<uint8_t>(data, index, value != 0);
    case DType::kI2:
      return Store<int8_t>(data, index, static_cast<int8_t>(((value & 3) ^ 2) - 2));
    case DType::kU2:
      return Store<uint8_t>(data, index, static_cast<uint8_t>(value & 3));
    case DType::kI4:
      return Store<int8_t>(data, index, static_cast<int8_t>(((value & 15) ^ 8) - 8));
    case DType::kU4:
      return Store<uint8_t>(data, index, static_cast<uint8_t>(value & 15));
    default:
      break;
  }
  CHECK(IsInteger(dtype_)) << DTypeName(dtype_) << " is not an integer type";
  switch (DTypeSize(dtype_)) {
    case 1:
      return Store<int8_t>(data, index, static_cast<int8_t>(value));
    case 2:
      return Store<int16_t>(data, index, static_cast<int16_t>(value));
    case 4:
      return Store<int32_t>(data, index, static_cast<int32_t>(value));
    default:
      return Store<int64_t>(data, index, value);
  }
}

std::string_view Tensor::Text(int64_t index) const {
  CHECK(dtype_ == DType::kString) << DTypeName(dtype_) << " is not a string type";
  const auto* text = Load<StringRef>(data_, index);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

void Tensor::SetText(int64_t index, StringRef text) {
  CHECK(dtype_ == DType::kString) << DTypeName(dtype_) << " is not a string type";
  Store<StringRef>(mutable_raw(), index, text);
}

}  // namespace ferry::tensor
