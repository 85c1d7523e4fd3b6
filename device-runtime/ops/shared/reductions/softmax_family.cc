#include "device-runtime/ops/shared/reductions/softmax_family.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

Result<ir::SoftmaxPrim> PlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const bool logarithm = c.node().op == "LogSoftmax";
  FERRY_TRY(CheckFloatInputs(c, {0}));
  if (x.rank() == 0) return ir::SoftmaxPrim{1, 1, 1, logarithm};
  const bool old = c.version() < 13;
  FERRY_ASSIGN_OR_RETURN(int axis, c.Axis(old ? 1 : -1, x.rank()));
  FERRY_ASSIGN_OR_RETURN(int64_t flatten, c.Int("flatten", old));
  if (flatten != 0) {
    return ir::SoftmaxPrim{x.Product(0, axis), x.Product(axis, x.rank()), 1, logarithm};
  }
  return ir::SoftmaxPrim{x.Product(0, axis), x[axis], x.Product(axis + 1, x.rank()), logarithm};
}

}  // namespace

Status InferSoftmax(InferContext& c) {
  FERRY_TRY(PlanOf(c));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceSoftmax(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(ir::SoftmaxPrim p, PlanOf(c));
  if (p.size == 0) return OkStatus();
  for (int64_t row = 0; row < p.outer * p.inner; ++row) {
    const int64_t base = row / p.inner * p.size * p.inner + row % p.inner;
    double highest = -std::numeric_limits<double>::infinity();
    double sum = 0;
    for (int64_t i = 0; i < p.size; ++i) {
      highest = std::max(highest, c.In(0).Number(base + i * p.inner));
    }
    for (int64_t i = 0; i < p.size; ++i) {
      sum += std::exp(c.In(0).Number(base + i * p.inner) - highest);
    }
    for (int64_t i = 0; i < p.size; ++i) {
      const double x = c.In(0).Number(base + i * p.inner) - highest;
      c.Out(0).SetNumber(base + i * p.inner, p.logarithm ? x - std::log(sum) : std::exp(x) / sum);
    }
  }
  return OkStatus();
}

namespace {

// In doubles, step by step.
Status LowerDoubles(LowerContext& c, const ir::SoftmaxPrim& p) {
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::array{p.outer, p.size, p.inner}));
  FERRY_ASSIGN_OR_RETURN(const Shape lines, Shape::Make(std::array{p.outer, int64_t{1}, p.inner}));
  const BufferId x = c.In(0);
  const BufferId most = c.Temporary(DType::kF64, lines), sum = c.Temporary(DType::kF64, lines);
  c.Emit(ir::ReducePrim{ir::ReduceKind::kMax, p.outer, p.size, p.inner}, {x}, most);
  auto centred = [&](MapBuilder& map) {
    return map.Call("Sub", map.Buffer(x, DType::kF64, shape), map.Buffer(most, DType::kF64, lines));
  };
  MapBuilder powers(c, shape, Layout::kPlain);
  const BufferId power = powers.EmitNew(DType::kF64, powers.Call("Exp", centred(powers)));
  c.Emit(ir::ReducePrim{ir::ReduceKind::kSum, p.outer, p.size, p.inner}, {power}, sum);
  MapBuilder map(c, shape, Layout::kPlain);
  const auto total = map.Buffer(sum, DType::kF64, lines);
  map.Output(0, p.logarithm ? map.Call("Sub", centred(map), map.Call("Log", total))
                            : map.Call("Div", map.Buffer(power, DType::kF64, shape), total));
  map.Emit();
  return OkStatus();
}

}  // namespace

Status LowerSoftmax(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(ir::SoftmaxPrim p, PlanOf(c));
  if (c.Input(0).dtype == DType::kF64) return LowerDoubles(c, p);
  c.ComputeInFloat();
  const BufferId x = c.In(0);
  c.Emit(p, {x}, c.Out(0));
  return OkStatus();
}

}  // namespace ferry::ops
