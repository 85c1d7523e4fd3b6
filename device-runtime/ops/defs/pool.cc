#include "device-runtime/ops/defs/pool.h"

#include <algorithm>
#include <limits>

#include "device-runtime/ops/defs/window.h"
#include "device-runtime/ops/lower_context.h"

namespace ferry::ops {
namespace {

struct Plan {
  Window2d window;
  ir::PoolKind kind;
};

Result<Plan> PlanOf(const NodeContext& c) {
  if (c.Input(0).dtype != DType::kF32) return Status(Code::kUnsupported, "only f32 is supported");
  Plan plan;
  FERRY_ASSIGN_OR_RETURN(auto kernel, c.Ints("kernel_shape"));
  if (!kernel) return Status(Code::kBadModel, "attribute 'kernel_shape' is missing");
  FERRY_ASSIGN_OR_RETURN(plan.window, WindowOf(c, c.InputShape(0), *kernel));
  FERRY_ASSIGN_OR_RETURN(int64_t with_pad, c.Int("count_include_pad", 0));
  plan.kind = c.node().op == "MaxPool" ? ir::PoolKind::kMax
              : with_pad != 0          ? ir::PoolKind::kAverageWithPad
                                       : ir::PoolKind::kAverage;
  return plan;
}

// The value of the window at output (oh, ow) of one plane.
double WindowValue(const Plan& p, const float* x, int64_t oh, int64_t ow) {
  const Window2d& w = p.window;
  double best = -std::numeric_limits<double>::infinity();
  double sum = 0;
  int64_t inside = 0;
  int64_t padded = 0;
  for (int64_t k = 0; k < w.kernel[0] * w.kernel[1]; ++k) {
    const int64_t ih = oh * w.stride[0] + k / w.kernel[1] * w.dilation[0] - w.pad_begin[0];
    const int64_t iw = ow * w.stride[1] + k % w.kernel[1] * w.dilation[1] - w.pad_begin[1];
    if (ih >= w.in[0] + w.pad_end[0] || iw >= w.in[1] + w.pad_end[1]) continue;
    ++padded;
    if (ih < 0 || ih >= w.in[0] || iw < 0 || iw >= w.in[1]) continue;
    ++inside;
    const double value = x[ih * w.in[1] + iw];
    best = std::max(best, value);
    sum += value;
  }
  if (p.kind == ir::PoolKind::kMax) return best;
  const int64_t count = p.kind == ir::PoolKind::kAverage ? inside : padded;
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

}  // namespace

Status InferPool(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan plan, PlanOf(c));
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(Shape shape, WindowOutput(x, x[1], plan.window));
  c.SetOutput(0, DType::kF32, shape);
  return OkStatus();
}

Status ReferencePool(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  const Window2d& w = p.window;
  const float* x = c.In(0).data<float>().data();
  float* y = c.Out(0).mutable_data<float>().data();
  const int64_t positions = w.out[0] * w.out[1];
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const int64_t plane = i / positions;
    const int64_t at = i % positions;
    y[i] = static_cast<float>(
        WindowValue(p, x + plane * w.in[0] * w.in[1], at / w.out[1], at % w.out[1]));
  }
  return OkStatus();
}

Status LowerPool(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  const Window2d& w = p.window;
  const Shape& x = c.InputShape(0);
  ir::PoolPrim prim{p.kind,       x[0],          w.in[0],       w.in[1],        x[1],
                    w.out[0],     w.out[1],      w.kernel[0],   w.kernel[1],    w.stride[0],
                    w.stride[1],  w.dilation[0], w.dilation[1], w.pad_begin[0], w.pad_begin[1],
                    w.pad_end[0], w.pad_end[1]};
  const BufferId in = c.In(0, Layout::kChannelsLast);
  c.Emit(prim, {in}, c.Out(0, Layout::kChannelsLast));
  return OkStatus();
}

}  // namespace ferry::ops
