// The Reduce* operators; reduce.inc has a row for each. Axes come as attribute (old opsets) or
// input.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"
#include "device-runtime/ops/shared/places/index.h"
#include "device-runtime/ops/shared/reductions/spatial_mean.h"

namespace ferry::ops {

std::span<const Op> ReduceOps();

namespace {

// Integers truncate; of nothing it is NaN, or 0.
template <typename T>
T MeanOf(T sum, int64_t count) {
  if constexpr (std::is_same_v<T, double>) return sum / static_cast<double>(count);
  return count == 0 ? T{} : sum / static_cast<T>(count);
}

// Reduces x to y: element i of x goes into element to[i] of y; count elements go into each.
using Reduce = void (*)(const Tensor& x, std::span<const int64_t> to, int64_t count, Tensor& y,
                        Tensor& accumulators);

template <typename F, typename T>
void ReduceAs(const Tensor& x, std::span<const int64_t> to, int64_t count, Tensor& y,
              Tensor& accumulators) {
  T* sums = reinterpret_cast<T*>(accumulators.mutable_raw());
  for (int64_t i = 0; i < y.elements(); ++i) sums[i] = F::template Start<T>(x.dtype());
  for (int64_t i = 0; i < x.elements(); ++i) {
    T& sum = sums[to[static_cast<size_t>(i)]];
    if constexpr (F::kExact) {
      sum = F::template Step<T>(sum, Get<T>(x, i));
    } else {
      sum = F::template Step<T>(sum, x.Number(i));
    }
  }
  for (int64_t i = 0; i < y.elements(); ++i) {
    const T end = F::template End<T>(sums[i], count);
    if constexpr (F::kExact) {
      Put<T>(y, i, end);
    } else {
      y.SetNumber(i, end);
    }
  }
}

template <typename F>
void ReduceBy(const Tensor& x, std::span<const int64_t> to, int64_t count, Tensor& y,
              Tensor& accumulators) {
  if constexpr (F::kExact) {
    WithExact(x.dtype(),
              [&](auto zero) { ReduceAs<F, decltype(zero)>(x, to, count, y, accumulators); });
  } else {
    ReduceAs<F, double>(x, to, count, y, accumulators);
  }
}

enum class Precision { Exact, Double };
struct Function {
  std::string_view name;
  std::optional<ir::ReduceKind> kind;
  Kinds takes;
  Reduce reduce;
};

#define FERRY_REDUCE(name, kernel, takes, precision, start, step, end)       \
  struct name##Function {                                                    \
    static constexpr bool kExact = Precision::precision == Precision::Exact; \
    template <typename T>                                                    \
    static T Start([[maybe_unused]] DType d) {                               \
      return start;                                                          \
    }                                                                        \
    template <typename T>                                                    \
    static T Step(T s, T x) {                                                \
      return step;                                                           \
    }                                                                        \
    template <typename T>                                                    \
    static T End(T s, [[maybe_unused]] int64_t n) {                          \
      return end;                                                            \
    }                                                                        \
  };
#include "device-runtime/ops/defs/tables/reduce.inc"
#undef FERRY_REDUCE

constexpr Function kFunctions[] = {
#define FERRY_REDUCE(name, kernel, takes, ...) \
  {"Reduce" #name, kernel, Kinds::takes, ReduceBy<name##Function>},
#include "device-runtime/ops/defs/tables/reduce.inc"
#undef FERRY_REDUCE
};

const Function& FunctionOf(const NodeContext& c) {
  return *std::ranges::find(kFunctions, c.node().op, &Function::name);
}

struct Axes {
  std::vector<int> list;
  bool keep;
};
Result<Axes> ReduceAxesOf(const NodeContext& c) {
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
  FERRY_TRY(CheckKinds(c, 0, FunctionOf(c).takes));
  FERRY_ASSIGN_OR_RETURN(Axes axes, ReduceAxesOf(c));
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

Status ReferenceReduce(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Axes axes, ReduceAxesOf(c));
  const Tensor& x = c.In(0);
  Tensor& y = c.Out(0);
  std::vector<int64_t> kept_dims;
  int64_t count = 1;
  for (int axis = 0; axis < x.shape().rank(); ++axis) {
    kept_dims.push_back(Has(axes, axis) ? 1 : x.shape()[axis]);
    if (Has(axes, axis)) count *= x.shape()[axis];
  }
  FERRY_ASSIGN_OR_RETURN(Shape kept, Shape::Make(kept_dims));
  FERRY_ASSIGN_OR_RETURN(Tensor places, Tensor::Allocate(DType::kI64, {x.elements()}));
  const std::span<int64_t> to = places.mutable_data<int64_t>();
  for (int64_t i = 0; i < x.elements(); ++i) {
    Index index = Unflatten(x.shape(), i);
    for (int axis : axes.list) index[static_cast<size_t>(axis)] = 0;
    to[static_cast<size_t>(i)] = Flatten(kept, index);
  }
  FERRY_ASSIGN_OR_RETURN(Tensor accumulators, Tensor::Allocate(DType::kI64, {y.elements()}));
  FunctionOf(c).reduce(x, to, count, y, accumulators);
  return OkStatus();
}

// The reduced axes behind the others.
struct Lined {
  BufferId x;
  ir::ReducePrim prim;
};
Result<Lined> LineUp(LowerContext& c, const Axes& axes, BufferId x, DType dtype,
                     ir::ReduceKind kind) {
  const Shape& shape = c.InputShape(0);
  const int rank = shape.rank();
  const int count = static_cast<int>(axes.list.size());
  const int first = count == 0 ? rank : axes.list.front();
  if (count == 0 || axes.list.back() - first + 1 == count) {
    return Lined{x,
                 {kind, shape.Product(0, first), shape.Product(first, first + count),
                  shape.Product(first + count, rank)}};
  }
  std::vector<int> order;
  std::vector<int64_t> dims;
  ir::ReducePrim prim{kind, 1, 1, 1};
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
  return Lined{c.Moved(x, dtype, moved, Permuted(shape, order)), prim};
}

// log(sum): the sum in a float of its own, the logarithm as a map.
Status LowerLogSum(LowerContext& c, const Axes& axes) {
  const DType dtype = c.Input(0).dtype;
  const DType wide = dtype == DType::kF32 ? DType::kF32 : DType::kF64;
  const BufferId x = c.Cast(c.In(0), wide, c.InputShape(0));
  FERRY_ASSIGN_OR_RETURN(Lined lined, LineUp(c, axes, x, wide, ir::ReduceKind::kSum));
  const Shape& shape = c.OutputShape(0);
  const BufferId sum = c.Temporary(wide, shape);
  c.Emit(lined.prim, {lined.x}, sum);
  MapBuilder map(c, shape, Layout::kPlain);
  map.Output(0, map.Narrow(map.Call("Log", map.Buffer(sum, wide, shape)), dtype));
  map.Emit();
  return OkStatus();
}

Status LowerReduce(LowerContext& c) {
  const Function& f = FunctionOf(c);
  FERRY_ASSIGN_OR_RETURN(Axes axes, ReduceAxesOf(c));
  if (!f.kind) return LowerLogSum(c, axes);
  c.ComputeInFloat();
  const int rank = c.InputShape(0).rank();
  const int count = static_cast<int>(axes.list.size());
  const bool spatial =
      count > 0 && axes.list.front() == 2 && axes.list.back() == rank - 1 && count == rank - 2;
  if (spatial && c.IsChannelsLast(0)) {
    LowerSpatialReduce(c, *f.kind);
    return OkStatus();
  }
  const DType dtype = c.InType(0);
  const bool narrow = tensor::IsInteger(dtype) && tensor::IntegerBits(dtype) < 8;
  const DType wide = narrow ? DType::kI32 : dtype;
  const BufferId x = c.Cast(c.In(0), wide, c.InputShape(0));
  FERRY_ASSIGN_OR_RETURN(Lined lined, LineUp(c, axes, x, wide, *f.kind));
  if (!narrow) {
    c.Emit(lined.prim, {lined.x}, c.Out(0));
    return OkStatus();
  }
  const BufferId y = c.Temporary(wide, c.OutputShape(0));
  c.Emit(lined.prim, {lined.x}, y);
  c.Alias(0, c.Cast(y, dtype, c.OutputShape(0)));
  return OkStatus();
}

constexpr Op kOps[] = {
#define FERRY_REDUCE(name, ...) \
  {"Reduce" #name, 1, 2, 1, 1, InferReduce, ReferenceReduce, LowerReduce},
#include "device-runtime/ops/defs/tables/reduce.inc"
#undef FERRY_REDUCE
};

}  // namespace

std::span<const Op> ReduceOps() {
  return kOps;
}

}  // namespace ferry::ops
