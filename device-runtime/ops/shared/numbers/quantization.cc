#include "device-runtime/ops/shared/numbers/quantization.h"

#include <array>

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

Result<FactorView> FactorView::Of(LowerContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& scale = c.InputShape(1);
  FactorView view;
  FERRY_ASSIGN_OR_RETURN(const int64_t block, c.Int("block_size", 0));
  if (scale.rank() <= 1 && scale.elements() == 1) {
    view.shape = x;
    return view;
  }
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(1, x.rank()));
  const int64_t outer = x.Product(0, axis), extent = x[axis];
  const int64_t inner = x.Product(axis + 1, x.rank());
  if (block == 0) {
    FERRY_ASSIGN_OR_RETURN(view.shape, Shape::Make(std::array{outer, extent, inner}));
    view.strides = {0, 1, 0};
    return view;
  }
  const int64_t blocks = (extent + block - 1) / block;
  if (extent % block == 0) {
    FERRY_ASSIGN_OR_RETURN(view.shape, Shape::Make(std::array{outer, blocks, block, inner}));
    view.strides = {blocks * inner, inner, 0, 1};
    return view;
  }
  FERRY_ASSIGN_OR_RETURN(view.shape, Shape::Make(std::array{outer, extent, inner}));
  view.strides = {extent * inner, inner, 1};
  view.block_ = block;
  return view;
}

// Whole blocks, then what the last one is short of.
BufferId FactorView::Expanded(LowerContext& c, int input) const {
  const BufferId factors = c.In(input);
  if (block_ == 0) return factors;
  const int64_t outer = shape[0], extent = shape[1], inner = shape[2];
  const int64_t blocks = (extent + block_ - 1) / block_;
  ir::RasterPrim raster;
  for (int64_t part = 0; part < 2; ++part) {
    const int64_t whole = blocks - 1;
    ir::Region region;
    region.rank = 4;
    region.size = {outer, part == 0 ? whole : 1, part == 0 ? block_ : extent - whole * block_,
                   inner};
    region.from_stride = {blocks * inner, inner, 0, 1};
    region.to_stride = {extent * inner, block_ * inner, inner, 1};
    region.from = part * whole * inner;
    region.to = part * whole * block_ * inner;
    raster.copies.push_back({0, region});
  }
  const BufferId all = c.Temporary(c.Input(input).dtype, shape);
  c.Emit(std::move(raster), {factors}, all);
  return all;
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
