#include "device-runtime/ops/shared/reductions/pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/places/window.h"
#include "device-runtime/ops/shared/reductions/norm.h"

namespace ferry::ops {
namespace {

enum class Kind { kMax, kAverage, kAverageWithPad, kLp };

struct PoolPlan {
  Window window;
  Kind kind;
  double p = 2;            // of kLp
  bool by_column = false;  // indices of kMax: the first spatial axis runs fastest
};

Result<PoolPlan> PoolPlanOf(const NodeContext& c) {
  PoolPlan plan;
  const DType dtype = c.Input(0).dtype;
  const std::string& op = c.node().op;
  FERRY_ASSIGN_OR_RETURN(int64_t with_pad, c.Int("count_include_pad", 0));
  plan.kind = op == "MaxPool"  ? Kind::kMax
              : op == "LpPool" ? Kind::kLp
              : with_pad != 0  ? Kind::kAverageWithPad
                               : Kind::kAverage;
  if (!IsWideFloat(dtype) && !(plan.kind == Kind::kMax && IsByte(dtype))) {
    return Status::Of(Code::kUnsupported, "a pool of {}", tensor::DTypeName(dtype));
  }
  FERRY_ASSIGN_OR_RETURN(auto kernel, c.Ints("kernel_shape"));
  if (!kernel) return Status(Code::kBadModel, "attribute 'kernel_shape' is missing");
  FERRY_ASSIGN_OR_RETURN(plan.window, WindowOf(c, c.InputShape(0), *kernel));
  FERRY_ASSIGN_OR_RETURN(int64_t order, c.Int("storage_order", 0));
  plan.by_column = order != 0;
  if (plan.kind == Kind::kLp) {
    FERRY_ASSIGN_OR_RETURN(plan.p, NormOrder(c));
  }
  return plan;
}

struct WindowResult {
  double value = 0;
  int64_t position = -1;  // of the largest
};

// The value of one window over one plane.
WindowResult ValueOf(const PoolPlan& p, const double* x, const Reach& reach) {
  WindowResult best{-std::numeric_limits<double>::infinity(), -1};
  double sum = 0;
  ForTaps(p.window, reach, [&](int64_t position, int64_t) {
    const double value = x[position];
    // A NaN never wins against a number.
    if (best.position < 0 || value > best.value || std::isnan(best.value)) best = {value, position};
    sum += p.kind == Kind::kLp ? std::pow(std::abs(value), p.p) : value;
  });
  if (p.kind == Kind::kMax) return best;
  if (p.kind == Kind::kLp) return {std::pow(sum, 1 / p.p), -1};
  const int64_t count = p.kind == Kind::kAverage ? reach.inside : reach.padded;
  return {count == 0 ? 0.0 : sum / static_cast<double>(count), -1};
}

// The place of a plane's row-major position when its first axis runs fastest.
int64_t ByColumn(const Window& w, int64_t position) {
  const Index at = PositionOf(w.in, w.axes, position);
  int64_t flat = 0;
  for (size_t axis = w.axes; axis-- > 0;) flat = flat * w.in[axis] + at[axis];
  return flat;
}

}  // namespace

Status InferPool(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(PoolPlan plan, PoolPlanOf(c));
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(Shape shape, WindowOutput(x, x[1], plan.window));
  c.SetOutput(0, c.Input(0).dtype, shape);
  c.SetOutput(1, DType::kI64, shape);
  return OkStatus();
}

Status ReferencePool(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(PoolPlan p, PoolPlanOf(c));
  const Window& w = p.window;
  FERRY_ASSIGN_OR_RETURN(Tensor doubles, ToDoubles(c.In(0)));
  const double* x = doubles.data<double>().data();
  const int64_t positions = w.out_positions();
  const int64_t in_positions = w.in_positions();
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const int64_t plane = i / positions;
    const Reach reach(w, PositionOf(w.out, w.axes, i % positions));
    const WindowResult result = ValueOf(p, x + plane * in_positions, reach);
    c.Out(0).SetNumber(i, result.value);
    if (!c.HasOutput(1)) continue;
    const int64_t place = result.position < 0 ? 0
                          : p.by_column       ? ByColumn(w, result.position)
                                              : result.position;
    c.Out(1).SetInteger(i, plane * in_positions + place);
  }
  return OkStatus();
}

namespace {

void LowerWindows(LowerContext& c, const PoolPlan& p) {
  const Window& w = p.window;
  const Shape& x = c.InputShape(0);
  ir::WindowPrim prim;
  prim.kind = static_cast<ir::WindowPrim::Kind>(p.kind);  // ORDER: both list the same
  prim.p = p.p;
  prim.by_column = p.by_column;
  prim.axes = static_cast<int>(w.axes);
  prim.planes = x[0] * x[1];
  prim.in = w.in;
  prim.out = w.out;
  prim.kernel = w.kernel;
  prim.stride = w.stride;
  prim.dilation = w.dilation;
  prim.pad_begin = w.pad_begin;
  prim.pad_end = w.pad_end;
  const BufferId in = c.In(0);
  std::vector<BufferId> out = {c.Out(0)};
  if (c.HasOutput(1)) out.push_back(c.Out(1));
  c.EmitMany(prim, {in}, std::move(out));
}

}  // namespace

ir::PoolPrim PoolOf(const PoolPlan& p, const Window2d& w, int64_t batch, int64_t channels) {
  const ir::PoolKind kind = p.kind == Kind::kMax       ? ir::PoolKind::kMax
                            : p.kind == Kind::kAverage ? ir::PoolKind::kAverage
                                                       : ir::PoolKind::kAverageWithPad;
  return {kind,          batch,          w.in[0],        w.in[1],      channels,    w.out[0],
          w.out[1],      w.kernel[0],    w.kernel[1],    w.stride[0],  w.stride[1], w.dilation[0],
          w.dilation[1], w.pad_begin[0], w.pad_begin[1], w.pad_end[0], w.pad_end[1]};
}

// Some axes of a window.
Window AxesOf(const Window& w, size_t first, size_t count) {
  Window some = w;
  some.axes = count;
  for (Index* list : {&some.in, &some.out, &some.kernel, &some.stride, &some.dilation,
                      &some.pad_begin, &some.pad_end}) {
    std::rotate(list->begin(), list->begin() + static_cast<ptrdiff_t>(first), list->end());
  }
  return some;
}

// Maxima and means of boxes in two steps: over height and width, each depth being an image of a
// batch, then over depth, all that lies behind it being channels.
void LowerPool3d(LowerContext& c, const PoolPlan& p) {
  const Window& w = p.window;
  const Shape& x = c.InputShape(0);
  const BufferId in = c.In(0, Layout::kChannelsLast);
  const BufferId planes = c.Temporary(c.InType(0), {x[0], w.in[0], w.out[1], w.out[2], x[1]});
  c.Emit(PoolOf(p, Window2d(AxesOf(w, 1, 2)), x[0] * w.in[0], x[1]), {in}, planes);
  c.Emit(PoolOf(p, Window2d(AxesOf(w, 0, 1)), x[0], w.out[1] * w.out[2] * x[1]), {planes},
         c.Out(0, Layout::kChannelsLast));
}

Status LowerPool(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(PoolPlan p, PoolPlanOf(c));
  const bool bytes = p.kind == Kind::kMax && IsByte(c.Input(0).dtype);
  c.ComputeInFloat();
  if ((c.InType(0) != DType::kF32 && !bytes) || p.window.axes > 3 || p.kind == Kind::kLp ||
      c.HasOutput(1)) {
    LowerWindows(c, p);
  } else if (p.window.axes == 3) {
    LowerPool3d(c, p);
  } else {
    const Shape& x = c.InputShape(0);
    const BufferId in = c.In(0, Layout::kChannelsLast);
    c.Emit(PoolOf(p, Window2d(p.window), x[0], x[1]), {in}, c.Out(0, Layout::kChannelsLast));
  }
  return OkStatus();
}

}  // namespace ferry::ops
