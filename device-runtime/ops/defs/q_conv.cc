// QConv (Ferry's own): a convolution of u8 or i8 with i8 weights in exact sums; see quant_sum.h.
// One or two spatial axes.
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/numbers/quant_sum.h"
#include "device-runtime/ops/shared/places/window.h"

namespace ferry::ops {
namespace {

struct QConvPlan {
  QuantSum sum;
  Window window;
  int64_t groups, in_c, out_c;
  Shape out;
};

Result<QConvPlan> QConvPlanOf(const NodeContext& c) {
  QConvPlan p;
  const Shape& x = c.InputShape(kX);
  const Shape& w = c.InputShape(kW);
  FERRY_ASSIGN_OR_RETURN(p.sum, QuantSumOf(c));
  if (x.rank() < 3 || x.rank() > 4 || w.rank() != x.rank()) {
    return Status::Of(Code::kShapeMismatch, "input {} and weights {}", x.ToString(), w.ToString());
  }
  FERRY_ASSIGN_OR_RETURN(p.groups, c.Int("group", 1));
  p.in_c = x[1];
  p.out_c = w[0];
  if (p.groups < 1 || p.groups > kMaxAttribute || p.out_c % p.groups != 0 ||
      p.in_c != w[1] * p.groups) {
    return Status::Of(Code::kShapeMismatch, "input {}, weights {} and {} groups do not fit",
                      x.ToString(), w.ToString(), p.groups);
  }
  FERRY_ASSIGN_OR_RETURN(p.window, WindowOf(c, x, w.dims().subspan(2)));
  FERRY_ASSIGN_OR_RETURN(p.out, WindowOutput(x, p.out_c, p.window));
  FERRY_TRY(CheckQuantInputs(c, p.sum, p.out_c, p.out));
  return p;
}

Status InferQConv(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(QConvPlan p, QConvPlanOf(c));
  c.SetOutput(0, p.sum.dtype, p.out);
  return OkStatus();
}

Status ReferenceQConv(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(QConvPlan p, QConvPlanOf(c));
  const Window& w = p.window;
  const int64_t in_group = p.in_c / p.groups, out_group = p.out_c / p.groups;
  const int64_t positions = w.out_positions(), taps = w.kernel_positions();
  const int32_t zero = XZero(c, p.sum);
  for (int64_t at = 0; at < c.Out(0).elements(); ++at) {
    const int64_t oc = at / positions % p.out_c, n = at / positions / p.out_c;
    const Reach reach(w, PositionOf(w.out, w.axes, at % positions));
    int64_t sum = 0;
    for (int64_t ic = 0; ic < in_group; ++ic) {
      const int64_t plane = (n * p.in_c + oc / out_group * in_group + ic) * w.in_positions();
      const int64_t kernel = (oc * in_group + ic) * taps;
      ForTaps(w, reach, [&](int64_t position, int64_t tap) {
        sum += (c.In(kX).Integer(plane + position) - zero) * c.In(kW).Integer(kernel + tap);
      });
    }
    PutQuantSum(c, p.sum, sum, oc, at);
  }
  return OkStatus();
}

Status LowerQConv(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(QConvPlan p, QConvPlanOf(c));
  const Window2d w(p.window);
  ir::QuantConvPrim prim;
  prim.conv = {c.InputShape(kX)[0],
               w.in[0],
               w.in[1],
               p.in_c,
               w.out[0],
               w.out[1],
               p.out_c,
               w.kernel[0],
               w.kernel[1],
               w.stride[0],
               w.stride[1],
               w.dilation[0],
               w.dilation[1],
               w.pad_begin[0],
               w.pad_begin[1],
               p.groups,
               {}};
  prim.x_zero = p.sum.x_zero;
  prim.post = p.sum.post;
  std::vector<BufferId> inputs;
  for (int i = 0; i < kQuantInputs; ++i) {
    const Layout layout = i == kX || i == kAdd ? Layout::kChannelsLast : Layout::kPlain;
    inputs.push_back(c.HasInput(i) ? c.In(i, layout) : -1);
  }
  c.Emit(std::move(prim), std::move(inputs), c.Out(0, Layout::kChannelsLast));
  return OkStatus();
}

}  // namespace

extern const Op kQConvOp;
const Op kQConvOp = {"QConv", 2, kQuantInputs, 1, 1, InferQConv, ReferenceQConv, LowerQConv};

}  // namespace ferry::ops
