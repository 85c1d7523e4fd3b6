#include "device-runtime/ops/defs/quantization.h"

#include "device-runtime/ops/onnx_types.h"

namespace ferry::ops {

Result<FactorIndex> FactorIndex::Of(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& scale = c.InputShape(1);
  auto bad = [&](const char* what) {
    return Status::Of(Code::kShapeMismatch, "{} {} for an input of {}", what, scale.ToString(),
                      x.ToString());
  };
  if (c.HasInput(2) && c.InputShape(2) != scale &&
      (c.InputShape(2).elements() != 1 || scale.elements() != 1)) {
    return Status::Of(Code::kShapeMismatch, "a zero point of {} with a scale of {}",
                      c.InputShape(2).ToString(), scale.ToString());
  }
  FERRY_ASSIGN_OR_RETURN(const int64_t block, c.Int("block_size", 0));
  if (block < 0 || block > kMaxAttribute) return Status::Of(Code::kBadModel, "blocks of {}", block);
  FactorIndex index;
  if (scale.rank() <= 1 && scale.elements() == 1) return index;
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(1, x.rank()));
  index.single_ = false;
  index.extent_ = x[axis];
  index.inner_ = x.Product(axis + 1, x.rank());
  if (block == 0) {
    if (scale.rank() != 1 || scale[0] != x[axis]) return bad("a scale of");
    return index;
  }
  index.block_ = block;
  index.blocks_ = (x[axis] + block - 1) / block;
  if (scale.rank() != x.rank()) return bad("a blocked scale of");
  for (int i = 0; i < x.rank(); ++i) {
    if (scale[i] != (i == axis ? index.blocks_ : x[i])) return bad("a blocked scale of");
  }
  return index;
}

bool IsQuantInteger(DType d) {
  return d == DType::kU8 || d == DType::kI8 || d == DType::kU16 || d == DType::kI16 ||
         (d >= DType::kI4 && d <= DType::kU2);
}

bool IsQuantFloat(DType d) {
  return d >= DType::kF8E4M3FN && d <= DType::kF4E2M1;
}

Result<DType> TypeAttribute(const NodeContext& c, std::string_view key, DType fallback) {
  FERRY_ASSIGN_OR_RETURN(const int64_t number, c.Int(key, 0));
  if (number == 0) return fallback;
  return DTypeOfOnnx(number);
}

}  // namespace ferry::ops
