#include "device-runtime/ops/shared/reductions/global_pool.h"

#include <algorithm>
#include <limits>

#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/reductions/spatial_mean.h"

namespace ferry::ops {

Status InferGlobalPool(InferContext& c) {
  const Shape& x = c.InputShape(0);
  if (!IsWideFloat(c.Input(0).dtype)) {
    return Status::Of(Code::kUnsupported, "a pool of {}", tensor::DTypeName(c.Input(0).dtype));
  }
  if (x.rank() < 3) return Status::Of(Code::kShapeMismatch, "{} has no positions", x.ToString());
  std::vector<int64_t> dims(static_cast<size_t>(x.rank()), 1);
  dims[0] = x[0];
  dims[1] = x[1];
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

Status ReferenceGlobalPool(ReferenceContext& c) {
  const bool max = c.node().op == "GlobalMaxPool";
  const int64_t size = c.InputShape(0).Product(2, c.InputShape(0).rank());
  for (int64_t plane = 0; plane < c.Out(0).elements(); ++plane) {
    double value = max ? -std::numeric_limits<double>::infinity() : 0.0;
    for (int64_t i = 0; i < size; ++i) {
      const double x = c.In(0).Number(plane * size + i);
      value = max ? std::max(value, x) : value + x;
    }
    c.Out(0).SetNumber(plane, max ? value : value / static_cast<double>(size));
  }
  return OkStatus();
}

Status LowerGlobalPool(LowerContext& c) {
  c.ComputeInFloat();
  LowerSpatialReduce(c,
                     c.node().op == "GlobalMaxPool" ? ir::ReduceKind::kMax : ir::ReduceKind::kMean);
  return OkStatus();
}

}  // namespace ferry::ops
