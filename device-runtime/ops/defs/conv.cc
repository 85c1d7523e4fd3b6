// Conv (ONNX): x [n,c,..], w [m,c/group,..], bias [m]?, and, when a pass fused it, a residual input
// that is added before the activation.
#include <algorithm>

#include "device-runtime/ops/defs/post.h"
#include "device-runtime/ops/defs/window.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

struct Plan {
  Window2d window;
  int64_t groups, in_c, out_c;
  ir::PostOp post;
};

Result<Plan> PlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& w = c.InputShape(1);
  for (int i = 0; i < c.input_count(); ++i) {
    if (c.HasInput(i) && c.Input(i).dtype != DType::kF32) {
      return Status(Code::kUnsupported, "only f32 is supported");
    }
  }
  if (x.rank() < 3 || w.rank() != x.rank()) {
    return Status::Of(Code::kShapeMismatch, "input {} and weights {}", x.ToString(), w.ToString());
  }
  Plan plan;
  FERRY_ASSIGN_OR_RETURN(plan.groups, c.Int("group", 1));
  plan.in_c = x[1];
  plan.out_c = w[0];
  if (plan.groups < 1 || plan.groups > kMaxAttribute || plan.out_c % plan.groups != 0 ||
      plan.in_c != w[1] * plan.groups) {
    return Status::Of(Code::kShapeMismatch, "input {}, weights {} and {} groups do not fit",
                      x.ToString(), w.ToString(), plan.groups);
  }
  if (c.HasInput(2) && c.InputShape(2) != Shape({plan.out_c})) {
    return Status::Of(Code::kShapeMismatch, "a bias of {} for {} channels",
                      c.InputShape(2).ToString(), plan.out_c);
  }
  FERRY_ASSIGN_OR_RETURN(plan.window, WindowOf(c, x, w.dims().subspan(2)));
  FERRY_ASSIGN_OR_RETURN(plan.post, PostOf(c));
  return plan;
}

Status InferConv(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan plan, PlanOf(c));
  FERRY_ASSIGN_OR_RETURN(Shape shape, WindowOutput(c.InputShape(0), plan.out_c, plan.window));
  if (c.HasInput(3) && c.InputShape(3) != shape) {
    return Status::Of(Code::kShapeMismatch, "a fused addition of {} to {}",
                      c.InputShape(3).ToString(), shape.ToString());
  }
  c.SetOutput(0, DType::kF32, shape);
  return OkStatus();
}

// Adds one kernel row to the sums of one output row.
void AddRow(const Window2d& w, const float* x, const float* weights, std::vector<double>& sums) {
  for (int64_t kw = 0; kw < w.kernel[1]; ++kw) {
    const double weight = weights[kw];
    const int64_t shift = kw * w.dilation[1] - w.pad_begin[1];
    const int64_t begin = shift >= 0 ? 0 : (-shift + w.stride[1] - 1) / w.stride[1];
    const int64_t end = std::min(w.out[1], (w.in[1] - shift + w.stride[1] - 1) / w.stride[1]);
    double* sum = sums.data();
    if (w.stride[1] == 1) {
      for (int64_t ow = begin; ow < end; ++ow) sum[ow] += weight * x[ow + shift];
    } else {
      for (int64_t ow = begin; ow < end; ++ow) sum[ow] += weight * x[ow * w.stride[1] + shift];
    }
  }
}

Status ReferenceConv(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  if (c.Out(0).elements() == 0) return OkStatus();
  const Window2d& w = p.window;
  const float* x = c.In(0).data<float>().data();
  const float* weights = c.In(1).data<float>().data();
  const float* bias = c.HasInput(2) ? c.In(2).data<float>().data() : nullptr;
  const float* add = c.HasInput(3) ? c.In(3).data<float>().data() : nullptr;
  float* y = c.Out(0).mutable_data<float>().data();
  const int64_t in_group = p.in_c / p.groups;
  const int64_t out_group = p.out_c / p.groups;
  std::vector<double> sums(static_cast<size_t>(w.out[1]));
  for (int64_t row = 0; row < c.InputShape(0)[0] * p.out_c * w.out[0]; ++row) {
    const int64_t oh = row % w.out[0];
    const int64_t oc = row / w.out[0] % p.out_c;
    const int64_t n = row / w.out[0] / p.out_c;
    std::ranges::fill(sums, bias ? bias[oc] : 0.0);
    for (int64_t ic = 0; ic < in_group; ++ic) {
      const int64_t channel = oc / out_group * in_group + ic;
      for (int64_t kh = 0; kh < w.kernel[0]; ++kh) {
        const int64_t ih = oh * w.stride[0] + kh * w.dilation[0] - w.pad_begin[0];
        if (ih < 0 || ih >= w.in[0]) continue;
        AddRow(w, x + ((n * p.in_c + channel) * w.in[0] + ih) * w.in[1],
               weights + ((oc * in_group + ic) * w.kernel[0] + kh) * w.kernel[1], sums);
      }
    }
    for (int64_t ow = 0; ow < w.out[1]; ++ow) {
      const int64_t at = row * w.out[1] + ow;
      const double sum = sums[static_cast<size_t>(ow)] + (add ? add[at] : 0.0);
      y[at] = static_cast<float>(ApplyPost(p.post, sum));
    }
  }
  return OkStatus();
}

Status LowerConv(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  const Window2d& w = p.window;
  ir::ConvPrim prim{
      c.InputShape(0)[0], w.in[0],       w.in[1],       p.in_c,         w.out[0],
      w.out[1],           p.out_c,       w.kernel[0],   w.kernel[1],    w.stride[0],
      w.stride[1],        w.dilation[0], w.dilation[1], w.pad_begin[0], w.pad_begin[1],
      p.groups,           p.post};
  const BufferId x = c.In(0, Layout::kChannelsLast);
  const BufferId weights = c.In(1);
  const BufferId bias = c.HasInput(2) ? c.In(2) : -1;
  const BufferId add = c.HasInput(3) ? c.In(3, Layout::kChannelsLast) : -1;
  c.Emit(std::move(prim), {x, weights, bias, add}, c.Out(0, Layout::kChannelsLast));
  return OkStatus();
}

}  // namespace

extern const Op kConvOp;
const Op kConvOp = {"Conv", 2, 4, 1, 1, InferConv, ReferenceConv, LowerConv};

}  // namespace ferry::ops
