#include "device-runtime/ops/onnx_types.h"

namespace ferry::ops {
namespace {

using tensor::DType;

struct Row {
  int64_t number;
  DType dtype;
};
constexpr Row kRows[] = {
    {1, DType::kF32},         {2, DType::kU8},      {3, DType::kI8},
    {4, DType::kU16},         {5, DType::kI16},     {6, DType::kI32},
    {7, DType::kI64},         {8, DType::kString},  {9, DType::kBool},
    {10, DType::kF16},        {11, DType::kF64},    {12, DType::kU32},
    {13, DType::kU64},        {16, DType::kBF16},   {17, DType::kF8E4M3FN},
    {18, DType::kF8E4M3FNUZ}, {19, DType::kF8E5M2}, {20, DType::kF8E5M2FNUZ},
    {21, DType::kU4},         {22, DType::kI4},     {23, DType::kF4E2M1},
    {24, DType::kF8E8M0},     {25, DType::kU2},     {26, DType::kI2},
};

}  // namespace

Result<DType> DTypeOfOnnx(int64_t number) {
  for (const Row& row : kRows) {
    if (row.number == number) return row.dtype;
  }
  return Status::Of(Code::kUnsupported, "ONNX type {}", number);
}

int64_t OnnxOfDType(DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.number;
  }
  return 0;
}

}  // namespace ferry::ops
