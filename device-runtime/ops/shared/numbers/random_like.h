// RandomNormalLike and RandomUniformLike: the same operator with the shape of another tensor.
#pragma once

#include <string_view>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/onnx_types.h"

namespace ferry::ops {

// Attribute `dtype`, else `fallback`; kShapeMismatch unless it is floating point.
inline Result<DType> RandomType(const NodeContext& c, DType fallback) {
  FERRY_ASSIGN_OR_RETURN(int64_t number, c.Int("dtype", OnnxOfDType(fallback)));
  FERRY_ASSIGN_OR_RETURN(DType dtype, DTypeOfOnnx(number));
  if (tensor::IsFloat(dtype)) return dtype;
  return Status::Of(Code::kShapeMismatch, "random numbers of type {}", tensor::DTypeName(dtype));
}

// `op` with the first input's shape; `keys` and their defaults are passed on, and `seed`.
inline Status ExpandRandomLike(ExpandContext& c, std::string_view op, std::string_view key0,
                               float default0, std::string_view key1, float default1) {
  FERRY_ASSIGN_OR_RETURN(DType dtype, RandomType(c, c.Input(0).dtype));
  FERRY_ASSIGN_OR_RETURN(float value0, c.Float(key0, default0));
  FERRY_ASSIGN_OR_RETURN(float value1, c.Float(key1, default1));
  FERRY_ASSIGN_OR_RETURN(float seed, c.Float("seed", 0));
  const auto dims = c.InputShape(0).dims();
  const std::vector<int64_t> shape(dims.begin(), dims.end());
  const int64_t number = OnnxOfDType(dtype);
  c.SetOutput(
      0,
      c.Has("seed")
          ? c.Add(op, {},
                  {{"dtype", number},
                   {"shape", shape},
                   {key0, value0},
                   {key1, value1},
                   {"seed", seed}})
          : c.Add(op, {}, {{"dtype", number}, {"shape", shape}, {key0, value0}, {key1, value1}}));
  return OkStatus();
}

}  // namespace ferry::ops
