// QAveragePool (Ferry's own): means of u8 or i8 over windows, sums in integers; see quant_sum.h.
// Attributes of AveragePool, and `factor`, by which the mean is multiplied (in f32, divided by the
// count first). One or two spatial axes.
#include <cmath>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/numbers/quant_sum.h"
#include "device-runtime/ops/shared/places/window.h"

namespace ferry::ops {
namespace {

struct QAveragePoolPlan {
  QuantSum sum;
  Window window;
  bool padding;
  float factor;
};

Result<QAveragePoolPlan> QAveragePoolPlanOf(const NodeContext& c) {
  QAveragePoolPlan p;
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(p.sum, QuantSumOf(c));
  if (x.rank() < 3 || x.rank() > 4) {
    return Status::Of(Code::kShapeMismatch, "an input of {}", x.ToString());
  }
  if (p.sum.dtype == DType::kI32) return Status(Code::kUnsupported, "an output of i32");
  FERRY_ASSIGN_OR_RETURN(auto kernel, c.Ints("kernel_shape"));
  if (!kernel) return Status(Code::kBadModel, "attribute 'kernel_shape' is missing");
  FERRY_ASSIGN_OR_RETURN(p.window, WindowOf(c, x, *kernel));
  FERRY_ASSIGN_OR_RETURN(const int64_t padding, c.Int("count_include_pad", 0));
  p.padding = padding != 0;
  FERRY_ASSIGN_OR_RETURN(p.factor, c.Float("factor", 1));
  if (!std::isfinite(p.factor)) return Status(Code::kBadModel, "the factor is not finite");
  return p;
}

Status InferQAveragePool(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(QAveragePoolPlan p, QAveragePoolPlanOf(c));
  FERRY_ASSIGN_OR_RETURN(Shape out, WindowOutput(c.InputShape(0), c.InputShape(0)[1], p.window));
  c.SetOutput(0, p.sum.dtype, out);
  return OkStatus();
}

Status ReferenceQAveragePool(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(QAveragePoolPlan p, QAveragePoolPlanOf(c));
  const Window& w = p.window;
  const int64_t positions = w.out_positions();
  for (int64_t at = 0; at < c.Out(0).elements(); ++at) {
    const int64_t plane = at / positions * w.in_positions();
    const Reach reach(w, PositionOf(w.out, w.axes, at % positions));
    int64_t sum = 0;
    ForTaps(w, reach, [&](int64_t position, int64_t) {
      sum += c.In(0).Integer(plane + position) - p.sum.x_zero;
    });
    const int64_t count = p.padding ? reach.padded : reach.inside;
    const float factor = count == 0 ? 0.0f : p.factor / static_cast<float>(count);
    PutQuantSum(p.sum, sum, factor, 0, nullptr, at, c.Out(0));
  }
  return OkStatus();
}

Status LowerQAveragePool(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(QAveragePoolPlan p, QAveragePoolPlanOf(c));
  const Window2d w(p.window);
  const Shape& x = c.InputShape(0);
  ir::QuantPoolPrim prim;
  prim.pool = {p.padding ? ir::PoolKind::kAverageWithPad : ir::PoolKind::kAverage,
               x[0],
               w.in[0],
               w.in[1],
               x[1],
               w.out[0],
               w.out[1],
               w.kernel[0],
               w.kernel[1],
               w.stride[0],
               w.stride[1],
               w.dilation[0],
               w.dilation[1],
               w.pad_begin[0],
               w.pad_begin[1],
               w.pad_end[0],
               w.pad_end[1]};
  prim.x_zero = p.sum.x_zero;
  prim.factor = p.factor;
  prim.post = p.sum.post;
  const BufferId in = c.In(0, Layout::kChannelsLast);
  c.Emit(std::move(prim), {in}, c.Out(0, Layout::kChannelsLast));
  return OkStatus();
}

}  // namespace

extern const Op kQAveragePoolOp;
const Op kQAveragePoolOp = {"QAveragePool",   1, 1, 1, 1, InferQAveragePool, ReferenceQAveragePool,
                            LowerQAveragePool};

}  // namespace ferry::ops
