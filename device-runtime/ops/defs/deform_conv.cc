// DeformConv (ONNX): a convolution whose taps read x, bilinearly, at places that `offset` moves and
// `mask` weighs: (x [n,c,..], w [m,c/group,..], offset [n, groups * taps * axes, out..], bias?,
// mask [n, groups * taps, out..]?). Outside the input is zero.
#include <algorithm>
#include <cmath>

#include "device-runtime/ops/defs/dtypes.h"
#include "device-runtime/ops/defs/window.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

struct Plan {
  Window window;
  int64_t groups, offset_groups;
  Shape out;
};

Status CheckShapes(const NodeContext& c, const Plan& p) {
  const Shape& x = c.InputShape(0);
  const Shape& w = c.InputShape(1);
  if (p.groups < 1 || p.groups > kMaxAttribute || p.offset_groups < 1 ||
      p.offset_groups > kMaxAttribute || w[0] % p.groups != 0 || x[1] != w[1] * p.groups ||
      x[1] % p.offset_groups != 0) {
    return Status::Of(Code::kShapeMismatch, "input {}, weights {} and {}, {} groups do not fit",
                      x.ToString(), w.ToString(), p.groups, p.offset_groups);
  }
  const int64_t taps = p.window.kernel_positions() * p.offset_groups;
  auto fits = [&](int i, int64_t channels) {
    const Shape& s = c.InputShape(i);
    return s.rank() == x.rank() && s[0] == x[0] && s[1] == channels &&
           std::ranges::equal(s.dims().subspan(2), p.out.dims().subspan(2));
  };
  if (!fits(2, taps * static_cast<int64_t>(p.window.axes))) {
    return Status::Of(Code::kShapeMismatch, "offsets {} for an output of {}",
                      c.InputShape(2).ToString(), p.out.ToString());
  }
  if (c.HasInput(3) && c.InputShape(3) != Shape({w[0]})) {
    return Status::Of(Code::kShapeMismatch, "a bias of {}", c.InputShape(3).ToString());
  }
  if (c.HasInput(4) && !fits(4, taps)) {
    return Status::Of(Code::kShapeMismatch, "a mask of {}", c.InputShape(4).ToString());
  }
  return OkStatus();
}

Result<Plan> PlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& w = c.InputShape(1);
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.HasInput(i)) continue;
    if (!IsWideFloat(c.Input(i).dtype) || c.Input(i).dtype != c.Input(0).dtype) {
      return Status::Of(Code::kUnsupported, "input {} is {}", i,
                        tensor::DTypeName(c.Input(i).dtype));
    }
  }
  if (x.rank() < 3 || w.rank() != x.rank()) {
    return Status::Of(Code::kShapeMismatch, "input {} and weights {}", x.ToString(), w.ToString());
  }
  Plan p;
  FERRY_ASSIGN_OR_RETURN(p.groups, c.Int("group", 1));
  FERRY_ASSIGN_OR_RETURN(p.offset_groups, c.Int("offset_group", 1));
  FERRY_ASSIGN_OR_RETURN(p.window, WindowOf(c, x, w.dims().subspan(2)));
  FERRY_ASSIGN_OR_RETURN(p.out, WindowOutput(x, w[0], p.window));
  FERRY_TRY(CheckShapes(c, p));
  return p;
}

Status InferDeformConv(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  c.SetOutput(0, c.Input(0).dtype, p.out);
  return OkStatus();
}

// The value of a plane between its elements; zero outside.
double Between(const Window& w, const double* plane, const double* at) {
  double sum = 0;
  for (size_t corner = 0; corner < (size_t{1} << w.axes); ++corner) {
    double weight = 1;
    int64_t flat = 0;
    for (size_t i = 0; i < w.axes && weight != 0; ++i) {
      const double low = std::floor(at[i]);
      const bool upper = (corner >> i & 1) != 0;
      const double place = upper ? low + 1 : low;
      weight *= upper ? at[i] - low : 1 - (at[i] - low);
      // Not in range also when the place is no number.
      if (!(place >= 0 && place < static_cast<double>(w.in[i]))) weight = 0;
      flat = flat * w.in[i] + (weight != 0 ? static_cast<int64_t>(place) : 0);
    }
    if (weight != 0) sum += weight * plane[flat];
  }
  return sum;
}

Status ReferenceDeformConv(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  const Window& w = p.window;
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(Tensor image, ToDoubles(c.In(0)));
  const int64_t channels = x[1], in_group = c.InputShape(1)[1];
  const int64_t out_group = p.out[1] / p.groups, places = w.out_positions();
  const int64_t taps = w.kernel_positions(), axes = static_cast<int64_t>(w.axes);
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const int64_t place = i % places, oc = i / places % p.out[1], n = i / places / p.out[1];
    const Index out = PositionOf(w.out, w.axes, place);
    double sum = c.HasInput(3) ? c.In(3).Number(oc) : 0.0;
    for (int64_t k = 0; k < in_group * taps; ++k) {
      const int64_t channel = oc / out_group * in_group + k / taps;
      const int64_t group = n * p.offset_groups + channel / (channels / p.offset_groups);
      const int64_t tap = group * taps + k % taps;
      const Index in_kernel = PositionOf(w.kernel, w.axes, k % taps);
      std::array<double, tensor::kMaxRank> at{};
      for (size_t axis = 0; axis < w.axes; ++axis) {
        const int64_t fixed =
            out[axis] * w.stride[axis] - w.pad_begin[axis] + in_kernel[axis] * w.dilation[axis];
        const int64_t offset = (tap * axes + static_cast<int64_t>(axis)) * places + place;
        at[axis] = static_cast<double>(fixed) + c.In(2).Number(offset);
      }
      const double* plane =
          image.data<double>().data() + (n * channels + channel) * w.in_positions();
      const double mask = c.HasInput(4) ? c.In(4).Number(tap * places + place) : 1.0;
      sum += Between(w, plane, at.data()) * mask * c.In(1).Number(oc * in_group * taps + k);
    }
    c.Out(0).SetNumber(i, sum);
  }
  return OkStatus();
}

}  // namespace

extern const Op kDeformConvOp;
const Op kDeformConvOp = {"DeformConv", 3, 5, 1, 1, InferDeformConv, ReferenceDeformConv};

}  // namespace ferry::ops
