// DeformConv (ONNX): a convolution whose taps read x, bilinearly, at places that `offset` moves and
// `mask` weighs: (x [n,c,..], w [m,c/group,..], offset [n, groups * taps * axes, out..], bias?,
// mask [n, groups * taps, out..]?). Outside the input is zero.
#include <algorithm>
#include <array>
#include <cmath>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/places/window.h"

namespace ferry::ops {
namespace {

struct DeformConvPlan {
  Window window;
  int64_t groups, offset_groups;
  Shape out;
};

Status CheckShapes(const NodeContext& c, const DeformConvPlan& p) {
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

Result<DeformConvPlan> DeformConvPlanOf(const NodeContext& c) {
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
  DeformConvPlan p;
  FERRY_ASSIGN_OR_RETURN(p.groups, c.Int("group", 1));
  FERRY_ASSIGN_OR_RETURN(p.offset_groups, c.Int("offset_group", 1));
  FERRY_ASSIGN_OR_RETURN(p.window, WindowOf(c, x, w.dims().subspan(2)));
  FERRY_ASSIGN_OR_RETURN(p.out, WindowOutput(x, w[0], p.window));
  FERRY_TRY(CheckShapes(c, p));
  return p;
}

Status InferDeformConv(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(DeformConvPlan p, DeformConvPlanOf(c));
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
  FERRY_ASSIGN_OR_RETURN(DeformConvPlan p, DeformConvPlanOf(c));
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

// The places that the taps read before offsets move them: [taps, axes, places].
Result<BufferId> PlacesOf(LowerContext& c, const Window& w, DType dtype) {
  const auto axes = static_cast<int64_t>(w.axes);
  const int64_t taps = w.kernel_positions(), places = w.out_positions();
  FERRY_ASSIGN_OR_RETURN(Tensor list, Tensor::Allocate(dtype, {taps, axes, places}));
  for (int64_t i = 0; i < list.elements(); ++i) {
    const Index tap = PositionOf(w.kernel, w.axes, i / places / axes);
    const Index out = PositionOf(w.out, w.axes, i % places);
    const auto a = static_cast<size_t>(i / places % axes);
    list.SetNumber(
        i, static_cast<double>(out[a] * w.stride[a] - w.pad_begin[a] + tap[a] * w.dilation[a]));
  }
  return c.Constant(std::move(list));
}

// What the taps read, weighed: [batch * offset groups, channels of a group, taps * places].
Result<BufferId> ColumnsOf(LowerContext& c, const DeformConvPlan& p, DType dtype) {
  const Window& w = p.window;
  const Shape& x = c.InputShape(0);
  const auto axes = static_cast<int64_t>(w.axes);
  const int64_t taps = w.kernel_positions(), places = w.out_positions();
  const int64_t groups = x[0] * p.offset_groups, channels = x[1] / p.offset_groups;
  FERRY_ASSIGN_OR_RETURN(const BufferId fixed, PlacesOf(c, w, dtype));
  FERRY_ASSIGN_OR_RETURN(const Shape offsets, Shape::Make(std::array{groups, taps, axes, places}));
  FERRY_ASSIGN_OR_RETURN(const Shape points, Shape::Make(std::array{groups, taps, places, axes}));
  const BufferId given = c.In(2), in = c.In(0);
  MapBuilder moved(c, offsets, Layout::kPlain);
  const BufferId by_axis = moved.EmitNew(
      dtype, moved.Call("Add", moved.Buffer(given, dtype, offsets),
                        moved.Buffer(fixed, dtype, tensor::Strides{0, axes * places, places, 1})));
  const int order[] = {0, 1, 3, 2};
  const BufferId at = c.Moved(by_axis, dtype, points, Permuted(offsets, order));
  ir::SamplePrim sample;
  sample.normalized = false;
  sample.axes = static_cast<int>(axes);
  sample.batch = groups;
  sample.channels = channels;
  sample.points = taps * places;
  sample.in = w.in;
  FERRY_ASSIGN_OR_RETURN(const Shape all, Shape::Make(std::array{groups, channels, taps * places}));
  const BufferId columns = c.Temporary(dtype, all);
  c.Emit(sample, {in, at}, columns);
  if (!c.HasInput(4)) return columns;
  const BufferId mask = c.In(4);
  MapBuilder weighed(c, all, Layout::kPlain);
  const auto value = weighed.Buffer(columns, dtype, all);
  const auto factor = weighed.Buffer(mask, dtype, tensor::Strides{taps * places, 0, 1});
  return weighed.EmitNew(dtype, weighed.Call("Mul", value, factor));
}

// A product of weights and columns for each image and group.
Status LowerDeformConv(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(DeformConvPlan p, DeformConvPlanOf(c));
  c.ComputeInFloat();
  const DType dtype = c.OutType(0);
  const int64_t batch = c.InputShape(0)[0], taps = p.window.kernel_positions();
  const int64_t places = p.window.out_positions(), in_group = c.InputShape(1)[1];
  const int64_t out_group = p.out[1] / p.groups, k = in_group * taps;
  if (c.InputShape(0).elements() == 0 && p.out.elements() > 0) {
    return Status(Code::kUnsupported, "a deformable convolution of nothing");
  }
  FERRY_ASSIGN_OR_RETURN(const BufferId columns, ColumnsOf(c, p, dtype));
  ir::MatMulPrim product{out_group, places, k, k, 1, places, 1, {}, {}, {}};
  for (int64_t i = 0; i < batch * p.groups; ++i) {
    product.a_offsets.push_back(i % p.groups * out_group * k);
    product.b_offsets.push_back(i * k * places);
  }
  const BufferId weights = c.In(1);
  if (!c.HasInput(3)) {
    c.Emit(std::move(product), {weights, columns}, c.Out(0));
    return OkStatus();
  }
  const BufferId bias = c.In(3), sum = c.Temporary(dtype, p.out);
  c.Emit(std::move(product), {weights, columns}, sum);
  MapBuilder map(c, p.out, Layout::kPlain);
  map.Output(0, map.Call("Add", map.Buffer(sum, dtype, p.out),
                         map.Buffer(bias, dtype, tensor::Strides{0, 1})));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kDeformConvOp;
const Op kDeformConvOp = {"DeformConv",   3, 5, 1, 1, InferDeformConv, ReferenceDeformConv,
                          LowerDeformConv};

}  // namespace ferry::ops
