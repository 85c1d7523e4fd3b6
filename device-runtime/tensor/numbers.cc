// Element access whatever the dtype.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "device-runtime/tensor/tensor.h"

namespace ferry::tensor {
namespace {

template <typename T>
T Load(const uint8_t* data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void Store(uint8_t* data, int64_t index, T value) {
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

}  // namespace

double Tensor::Number(int64_t index) const {
  switch (dtype_) {
    case DType::kF32:
      return Load<float>(data_, index);
    case DType::kF64:
      return Load<double>(data_, index);
    case DType::kF16:
      return HalfToFloat(Load<uint16_t>(data_, index));
    default:
      return static_cast<double>(Integer(index));
  }
}

int64_t Tensor::Integer(int64_t index) const {
  switch (dtype_) {
    case DType::kI8:
      return Load<int8_t>(data_, index);
    case DType::kU8:
    case DType::kBool:
      return data_[index];
    case DType::kI16:
      return Load<int16_t>(data_, index);
    case DType::kI32:
      return Load<int32_t>(data_, index);
    case DType::kI64:
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
      return Store<uint16_t>(data, index, FloatToHalf(static_cast<float>(value)));
    case DType::kI8:
      return Store<int8_t>(data, index, Saturated<int8_t>(value));
    case DType::kU8:
      return Store<uint8_t>(data, index, Saturated<uint8_t>(value));
    case DType::kI16:
      return Store<int16_t>(data, index, Saturated<int16_t>(value));
    case DType::kI32:
      return Store<int32_t>(data, index, Saturated<int32_t>(value));
    case DType::kI64:
      return Store<int64_t>(data, index, Saturated<int64_t>(value));
    case DType::kBool:
      return Store<uint8_t>(data, index, value != 0);
  }
}

}  // namespace ferry::tensor
