// Conv (ONNX) over any number of spatial axes: x [n,c,..], w [m,c/group,..], bias [m]?, and, when a
// pass fused it, a residual input that is added before the activation. Beside ONNX's types i32, to
// which the integer convolutions come down.
#include <algorithm>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/parts/post.h"
#include "device-runtime/ops/shared/places/window.h"

namespace ferry::ops {
namespace {

struct ConvPlan {
  Window window;
  int64_t groups, in_c, out_c;
  ir::PostOp post;
};

Status CheckTypes(const NodeContext& c) {
  const DType dtype = c.Input(0).dtype;
  if (!IsWideFloat(dtype) && dtype != DType::kI32) {
    return Status::Of(Code::kUnsupported, "a convolution of {}", tensor::DTypeName(dtype));
  }
  for (int i = 1; i < c.input_count(); ++i) {
    if (c.HasInput(i) && c.Input(i).dtype != dtype) {
      return Status::Of(Code::kUnsupported, "inputs are {} and {}", tensor::DTypeName(dtype),
                        tensor::DTypeName(c.Input(i).dtype));
    }
  }
  return OkStatus();
}

Result<ConvPlan> ConvPlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& w = c.InputShape(1);
  FERRY_TRY(CheckTypes(c));
  if (x.rank() < 3 || w.rank() != x.rank()) {
    return Status::Of(Code::kShapeMismatch, "input {} and weights {}", x.ToString(), w.ToString());
  }
  ConvPlan plan;
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
  FERRY_ASSIGN_OR_RETURN(auto kernel, c.Ints("kernel_shape"));
  if (kernel && !std::ranges::equal(*kernel, w.dims().subspan(2))) {
    return Status::Of(Code::kShapeMismatch, "kernel_shape differs from weights {}", w.ToString());
  }
  FERRY_ASSIGN_OR_RETURN(plan.window, WindowOf(c, x, w.dims().subspan(2)));
  FERRY_ASSIGN_OR_RETURN(plan.post, PostOf(c));
  return plan;
}

Status InferConv(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(ConvPlan plan, ConvPlanOf(c));
  FERRY_ASSIGN_OR_RETURN(Shape shape, WindowOutput(c.InputShape(0), plan.out_c, plan.window));
  if (c.HasInput(3) && c.InputShape(3) != shape) {
    return Status::Of(Code::kShapeMismatch, "a fused addition of {} to {}",
                      c.InputShape(3).ToString(), shape.ToString());
  }
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

// Adds one kernel row to the sums of one output row.
void AddRow(const Window& w, const double* x, const double* weights, std::vector<double>& sums) {
  const size_t last = w.axes - 1;
  const int64_t stride = w.stride[last];
  for (int64_t kw = 0; kw < w.kernel[last]; ++kw) {
    const double weight = weights[kw];
    const int64_t shift = kw * w.dilation[last] - w.pad_begin[last];
    const int64_t begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    const int64_t end = std::min(w.out[last], (w.in[last] - shift + stride - 1) / stride);
    double* sum = sums.data();
    if (stride == 1) {
      for (int64_t ow = begin; ow < end; ++ow) sum[ow] += weight * x[ow + shift];
    } else {
      for (int64_t ow = begin; ow < end; ++ow) sum[ow] += weight * x[ow * stride + shift];
    }
  }
}

// The window without its last axis: the rows that meet one output row.
Window RowsOf(const Window& w) {
  Window rows = w;
  --rows.axes;
  return rows;
}

Status ReferenceConv(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(ConvPlan p, ConvPlanOf(c));
  if (c.Out(0).elements() == 0) return OkStatus();
  const Window& w = p.window;
  const Window rows = RowsOf(w);
  FERRY_ASSIGN_OR_RETURN(Tensor x, ToDoubles(c.In(0)));
  FERRY_ASSIGN_OR_RETURN(Tensor weights, ToDoubles(c.In(1)));
  const int64_t in_group = p.in_c / p.groups;
  const int64_t out_group = p.out_c / p.groups;
  const int64_t in_width = w.in[w.axes - 1];
  const int64_t width = w.out[w.axes - 1];
  const int64_t taps = w.kernel_positions();
  const int64_t out_rows = rows.out_positions();
  std::vector<double> sums(static_cast<size_t>(width));
  for (int64_t row = 0; row < c.InputShape(0)[0] * p.out_c * out_rows; ++row) {
    const int64_t oc = row / out_rows % p.out_c;
    const int64_t n = row / out_rows / p.out_c;
    const Reach reach(rows, PositionOf(rows.out, rows.axes, row % out_rows));
    std::ranges::fill(sums, c.HasInput(2) ? c.In(2).Number(oc) : 0.0);
    for (int64_t ic = 0; ic < in_group; ++ic) {
      const int64_t channel = n * p.in_c + oc / out_group * in_group + ic;
      const double* plane = x.data<double>().data() + channel * w.in_positions();
      const double* kernel = weights.data<double>().data() + (oc * in_group + ic) * taps;
      ForTaps(rows, reach, [&](int64_t at, int64_t tap) {
        AddRow(w, plane + at * in_width, kernel + tap * w.kernel[w.axes - 1], sums);
      });
    }
    for (int64_t ow = 0; ow < width; ++ow) {
      const int64_t at = row * width + ow;
      const double add = c.HasInput(3) ? c.In(3).Number(at) : 0.0;
      c.Out(0).SetNumber(at, ApplyPost(p.post, sums[static_cast<size_t>(ow)] + add));
    }
  }
  return OkStatus();
}

ir::ConvPrim PrimOf(const ConvPlan& p, const Window2d& w, int64_t batch) {
  return {batch,         w.in[0],        w.in[1],        p.in_c,      w.out[0],    w.out[1],
          p.out_c,       w.kernel[0],    w.kernel[1],    w.stride[0], w.stride[1], w.dilation[0],
          w.dilation[1], w.pad_begin[0], w.pad_begin[1], p.groups,    p.post};
}

// Between [n, channels, positions, plane] (plain) and [n, positions, plane, channels], all of it.
ir::Region DepthToBatch(int64_t batch, int64_t channels, int64_t depth, int64_t plane, bool back) {
  ir::Region r;
  r.rank = 4;
  r.size = {batch, depth, plane, channels};
  const std::array<int64_t, 4> last = {depth * plane * channels, plane * channels, channels, 1};
  const std::array<int64_t, 4> plain = {depth * plane * channels, plane, 1, depth * plane};
  std::ranges::copy(back ? last : plain, r.from_stride.begin());
  std::ranges::copy(back ? plain : last, r.to_stride.begin());
  return r;
}

// Where a tap of one axis meets the input: outputs [begin, end), the first of which reads `from`.
struct Meeting {
  int64_t begin, end, from;
};
Meeting MeetingOf(const Window& w, size_t axis, int64_t tap) {
  const int64_t shift = tap * w.dilation[axis] - w.pad_begin[axis];
  const int64_t stride = w.stride[axis];
  const int64_t begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  const int64_t end =
      std::min(w.out[axis], shift >= w.in[axis] ? 0 : (w.in[axis] - shift + stride - 1) / stride);
  return {begin, end, begin * stride + shift};
}

// More than three axes as two: each place along the leading axes is an image of its own, whose
// channels are the input's channels at each of the kernel's leading taps (in the order of the
// weights). The raster that stacks them; `lead` leading axes.
ir::RasterPrim Stacking(const Window& w, size_t lead, int64_t batch, int64_t in_c) {
  const int64_t taps = Window::Product(w.kernel, lead), depth = Window::Product(w.out, lead);
  const int64_t plane = w.in[lead] * w.in[lead + 1], channels = in_c * taps;
  const int64_t in_depth = Window::Product(w.in, lead);
  ir::RasterPrim raster;
  raster.fill = 0;
  for (int64_t tap = 0; tap < taps; ++tap) {
    const Index at = PositionOf(w.kernel, lead, tap);
    ir::Region r;
    r.rank = static_cast<int>(lead) + 3;
    r.size[0] = batch;
    r.from_stride[0] = in_c * in_depth * plane;
    r.to_stride[0] = depth * plane * channels;
    r.to = tap;
    bool meets = true;
    int64_t from_step = plane, to_step = plane * channels;
    for (size_t axis = lead; axis-- > 0;) {
      const Meeting m = MeetingOf(w, axis, at[axis]);
      meets = meets && m.begin < m.end;
      r.size[axis + 1] = m.end - m.begin;
      r.from_stride[axis + 1] = w.stride[axis] * from_step;
      r.to_stride[axis + 1] = to_step;
      r.from += m.from * from_step;
      r.to += m.begin * to_step;
      from_step *= w.in[axis];
      to_step *= w.out[axis];
    }
    r.size[lead + 1] = plane;
    r.from_stride[lead + 1] = 1;
    r.to_stride[lead + 1] = channels;
    r.size[lead + 2] = in_c;
    r.from_stride[lead + 2] = in_depth * plane;
    r.to_stride[lead + 2] = taps;
    if (meets) raster.copies.push_back({0, r});
  }
  return raster;
}

// Emits the convolution, and behind it the activation where the primitive has none.
Status EmitConv(LowerContext& c, ir::ConvPrim prim, std::vector<BufferId> in, BufferId y,
                const Shape& shape) {
  const DType dtype = c.OutType(0);
  const ir::PostOp post = prim.post;
  if (dtype == DType::kF32 || post.activation == ir::Activation::kNone) {
    c.Emit(std::move(prim), std::move(in), y);
    return OkStatus();
  }
  prim.post = {};
  const BufferId sum = c.Temporary(dtype, shape);
  c.Emit(std::move(prim), std::move(in), sum);
  MapBuilder map(c, shape, Layout::kPlain);
  FERRY_ASSIGN_OR_RETURN(const auto value, PostForm(map, post, map.Buffer(sum, dtype, shape)));
  map.OutputTo(y, value);
  map.Emit();
  return OkStatus();
}

// Leading taps, each a region of a raster.
constexpr int64_t kMostTaps = 65536;

Status LowerDeep(LowerContext& c, ConvPlan p) {
  const Window& w = p.window;
  const size_t lead = w.axes - 2;
  Window flat = w;
  flat.axes = 2;
  for (Index* list : {&flat.in, &flat.out, &flat.kernel, &flat.stride, &flat.dilation,
                      &flat.pad_begin, &flat.pad_end}) {
    std::rotate(list->begin(), list->begin() + static_cast<int64_t>(lead), list->end());
  }
  const DType dtype = c.OutType(0);
  const int64_t batch = c.InputShape(0)[0], depth = Window::Product(w.out, lead);
  const int64_t taps = Window::Product(w.kernel, lead), channels = p.in_c * taps;
  if (taps > kMostTaps) return Status::Of(Code::kLimitExceeded, "a kernel of {} planes", taps);
  const int64_t out_plane = flat.out[0] * flat.out[1];
  FERRY_ASSIGN_OR_RETURN(Shape stacked, Shape::Make(std::vector<int64_t>{batch * depth, flat.in[0],
                                                                         flat.in[1], channels}));
  FERRY_ASSIGN_OR_RETURN(Shape images, Shape::Make(std::vector<int64_t>{batch * depth, flat.out[0],
                                                                        flat.out[1], p.out_c}));
  const BufferId x = c.Temporary(dtype, stacked);
  const BufferId in = c.In(0);
  c.Emit(Stacking(w, lead, batch, p.in_c), {in}, x);
  BufferId add = -1;
  if (c.HasInput(3)) {
    add = c.Moved(c.In(3), dtype, images, DepthToBatch(batch, p.out_c, depth, out_plane, false));
  }
  p.in_c = channels;
  const BufferId y = c.Temporary(dtype, images);
  const BufferId weights = c.In(1);
  const BufferId bias = c.HasInput(2) ? c.In(2) : -1;
  FERRY_TRY(
      EmitConv(c, PrimOf(p, Window2d(flat), batch * depth), {x, weights, bias, add}, y, images));
  ir::RasterPrim move;
  move.copies.push_back({0, DepthToBatch(batch, p.out_c, depth, out_plane, true)});
  c.Emit(std::move(move), {y}, c.Out(0));
  return OkStatus();
}

// Without input elements what is left is the bias and the addend.
Status LowerEmpty(LowerContext& c, const ConvPlan& p) {
  const Shape& shape = c.OutputShape(0);
  const DType dtype = c.OutType(0);
  const BufferId bias = c.HasInput(2) ? c.In(2) : -1, add = c.HasInput(3) ? c.In(3) : -1;
  MapBuilder map(c, shape, Layout::kPlain);
  auto y = map.Number(ir::MapTypeOf(dtype), 0);
  tensor::Strides by_channel{};
  by_channel[1] = 1;
  if (bias >= 0) y = map.Call("Add", map.Buffer(bias, dtype, by_channel), y);
  if (add >= 0) y = map.Call("Add", map.Buffer(add, dtype, shape), y);
  FERRY_ASSIGN_OR_RETURN(y, PostForm(map, p.post, y));
  map.Output(0, y);
  map.Emit();
  return OkStatus();
}

Status LowerConv(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(ConvPlan p, ConvPlanOf(c));
  c.ComputeInFloat();
  if (p.window.axes > 2) {
    const bool is_empty = c.OutputShape(0).elements() == 0 || c.InputShape(0).elements() == 0;
    return is_empty ? LowerEmpty(c, p) : LowerDeep(c, std::move(p));
  }
  ir::ConvPrim prim = PrimOf(p, Window2d(p.window), c.InputShape(0)[0]);
  const BufferId x = c.In(0, Layout::kChannelsLast);
  const BufferId weights = c.In(1);
  const BufferId bias = c.HasInput(2) ? c.In(2) : -1;
  const BufferId add = c.HasInput(3) ? c.In(3, Layout::kChannelsLast) : -1;
  return EmitConv(c, std::move(prim), {x, weights, bias, add}, c.Out(0, Layout::kChannelsLast),
                  ChannelsLast(c.OutputShape(0)));
}

}  // namespace

extern const Op kConvOp;
const Op kConvOp = {"Conv", 2, 4, 1, 1, InferConv, ReferenceConv, LowerConv};

}  // namespace ferry::ops
