// The Reduce* operators; reduce.inc has a row for each. Axes come as attribute (old opsets) or
// input.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "device-runtime/ops/defs/index.h"
#include "device-runtime/ops/defs/spatial_mean.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {

std::span<const Op> ReduceOps();

namespace {

struct Function {
  std::string_view name;
  std::string_view kernel;
  double start;
  double (*step)(double s, double x);
  double (*end)(double s, double n);
};
constexpr Function kFunctions[] = {
#define FERRY_REDUCE(name, kernel, start, step, end)                                        \
  {"Reduce" #name, kernel, start, [](double s, [[maybe_unused]] double x) { return step; }, \
   [](double s, [[maybe_unused]] double n) { return end; }},
#include "device-runtime/ops/defs/reduce.inc"
#undef FERRY_REDUCE
};

const Function& FunctionOf(const NodeContext& c) {
  return *std::ranges::find(kFunctions, c.node().op, &Function::name);
}

struct Axes {
  std::vector<int> list;
  bool keep;
};
Result<Axes> AxesOf(const NodeContext& c) {
  Axes axes;
  FERRY_ASSIGN_OR_RETURN(const int64_t keep, c.Int("keepdims", 1));
  FERRY_ASSIGN_OR_RETURN(const int64_t noop, c.Int("noop_with_empty_axes", 0));
  FERRY_ASSIGN_OR_RETURN(auto given, c.IntsInput(1, "axes"));
  axes.keep = keep != 0;
  const int rank = c.InputShape(0).rank();
  if (given && !given->empty()) {
    FERRY_ASSIGN_OR_RETURN(axes.list, NormalizeAxes(*given, rank));
  } else if (noop == 0) {
    axes.list.resize(static_cast<size_t>(rank));
    std::iota(axes.list.begin(), axes.list.end(), 0);
  }
  return axes;
}

bool Has(const Axes& axes, int axis) {
  return std::ranges::binary_search(axes.list, axis);
}

Status InferReduce(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Axes axes, AxesOf(c));
  std::vector<int64_t> dims;
  for (int axis = 0; axis < c.InputShape(0).rank(); ++axis) {
    if (!Has(axes, axis)) {
      dims.push_back(c.InputShape(0)[axis]);
    } else if (axes.keep) {
      dims.push_back(1);
    }
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

// Accumulates each input element at its output index, which has the reduced axes at 0.
Status ReferenceReduce(ReferenceContext& c) {
  const Function& f = FunctionOf(c);
  FERRY_ASSIGN_OR_RETURN(Axes axes, AxesOf(c));
  const Tensor& x = c.In(0);
  Tensor& y = c.Out(0);
  std::vector<int64_t> kept_dims;
  double count = 1;
  for (int axis = 0; axis < x.shape().rank(); ++axis) {
    kept_dims.push_back(Has(axes, axis) ? 1 : x.shape()[axis]);
    if (Has(axes, axis)) count *= static_cast<double>(x.shape()[axis]);
  }
  FERRY_ASSIGN_OR_RETURN(Shape kept, Shape::Make(kept_dims));
  FERRY_ASSIGN_OR_RETURN(Tensor accumulators, Tensor::Allocate(DType::kF64, {y.elements()}));
  const std::span<double> sums = accumulators.mutable_data<double>();
  std::ranges::fill(sums, f.start);
  for (int64_t i = 0; i < x.elements(); ++i) {
    Index index = Unflatten(x.shape(), i);
    for (int axis : axes.list) index[static_cast<size_t>(axis)] = 0;
    double& sum = sums[static_cast<size_t>(Flatten(kept, index))];
    sum = f.step(sum, x.Number(i));
  }
  for (int64_t i = 0; i < y.elements(); ++i) {
    y.SetNumber(i, f.end(sums[static_cast<size_t>(i)], count));
  }
  return OkStatus();
}

Status LowerReduce(LowerContext& c) {
  const Function& f = FunctionOf(c);
  FERRY_ASSIGN_OR_RETURN(Axes axes, AxesOf(c));
  const Shape& shape = c.InputShape(0);
  const int rank = shape.rank();
  if (f.kernel.empty() || c.Input(0).dtype != DType::kF32 || axes.list.empty()) {
    c.EmitCall();
    return OkStatus();
  }
  const int first = axes.list.front();
  const int count = static_cast<int>(axes.list.size());
  const bool contiguous = axes.list.back() - first + 1 == count;
  if (first == 2 && contiguous && count == rank - 2 && c.IsChannelsLast(0)) {
    LowerSpatialReduce(c, f.kernel);
    return OkStatus();
  }
  ir::ReducePrim prim{std::string(f.kernel), shape.Product(0, first),
                      shape.Product(first, first + count), shape.Product(first + count, rank)};
  BufferId x = c.In(0);
  if (!contiguous) {  // moves the reduced axes to the end
    std::vector<int> order;
    std::vector<int64_t> dims;
    prim = {std::string(f.kernel), 1, 1, 1};
    for (int axis = 0; axis < rank; ++axis) {
      if (Has(axes, axis)) continue;
      order.push_back(axis);
      prim.outer *= shape[axis];
    }
    for (int axis : axes.list) {
      order.push_back(axis);
      prim.size *= shape[axis];
    }
    for (int axis : order) dims.push_back(shape[axis]);
    FERRY_ASSIGN_OR_RETURN(Shape moved, Shape::Make(dims));
    const BufferId temporary = c.Temporary(DType::kF32, moved);
    ir::RasterPrim raster;
    raster.copies.push_back({0, Permuted(shape, order)});
    c.Emit(std::move(raster), {x}, temporary);
    x = temporary;
  }
  c.Emit(std::move(prim), {x}, c.Out(0));
  return OkStatus();
}

constexpr Op kOps[] = {
#define FERRY_REDUCE(name, ...) \
  {"Reduce" #name, 1, 2, 1, 1, InferReduce, ReferenceReduce, LowerReduce},
#include "device-runtime/ops/defs/reduce.inc"
#undef FERRY_REDUCE
};

}  // namespace

std::span<const Op> ReduceOps() {
  return kOps;
}

}  // namespace ferry::ops
