// ConvTranspose (ONNX), weights [c, m/group, ..]. Outputs whose places differ by multiples of the
// stride meet the same weights (every stride-th one, turned round): so it is one convolution of the
// input with as many output channels for each of m as there are such phases, and its output is laid
// out anew, phases beside one another.
#include <algorithm>
#include <limits>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/places/window.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

struct ConvTransposePlan {
  size_t axes;
  int64_t groups, in_c, out_group;
  std::vector<int64_t> in, kernel, stride, dilation, pad_begin, out;
};

// The most phases of all axes: more would make huge weights of small ones.
constexpr int64_t kMaxPhases = 65536;

// Output extent and padding of one axis. Source: ONNX's operator text; a padding that would be
// negative is zeros at the end.
Status OneAxis(const NodeContext& c, ConvTransposePlan& p, size_t i, const IntList& shape,
               const std::vector<int64_t>& pads, int64_t extra) {
  FERRY_ASSIGN_OR_RETURN(const std::string auto_pad, c.Text("auto_pad", "NOTSET"));
  const int64_t extent = (p.kernel[i] - 1) * p.dilation[i] + 1;
  const int64_t full = p.stride[i] * (p.in[i] - 1) + extra + extent;
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  p.pad_begin[i] = auto_pad == "VALID" ? 0 : pads[i];
  p.out[i] = full - p.pad_begin[i] - (auto_pad == "VALID" ? 0 : pads[p.axes + i]);
  if (shape.given || same) {
    p.out[i] = shape.given ? shape.list[shape.list.size() - p.axes + i] : p.in[i] * p.stride[i];
    const int64_t total = std::max<int64_t>(0, full - p.out[i]);
    p.pad_begin[i] = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
  }
  if (p.out[i] < 0 || p.out[i] > tensor::kMaxElements) {
    return Status::Of(Code::kShapeMismatch, "an output extent of {}", p.out[i]);
  }
  return OkStatus();
}

Result<ConvTransposePlan> ConvTransposePlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& w = c.InputShape(1);
  if (x.rank() < 3 || w.rank() != x.rank() || w[0] != x[1]) {
    return Status::Of(Code::kShapeMismatch, "input {} and weights {}", x.ToString(), w.ToString());
  }
  if (!IsWideFloat(c.Input(0).dtype) || c.Input(1).dtype != c.Input(0).dtype) {
    return Status::Of(Code::kUnsupported, "a convolution of {}",
                      tensor::DTypeName(c.Input(0).dtype));
  }
  ConvTransposePlan p{static_cast<size_t>(x.rank() - 2), 1, x[1], w[1], {}, {}, {}, {}, {}, {}};
  FERRY_ASSIGN_OR_RETURN(p.groups, c.Int("group", 1));
  if (p.groups < 1 || p.groups > kMaxAttribute || p.in_c % p.groups != 0) {
    return Status::Of(Code::kShapeMismatch, "{} channels in {} groups", p.in_c, p.groups);
  }
  p.in.assign(x.dims().begin() + 2, x.dims().end());
  p.kernel.assign(w.dims().begin() + 2, w.dims().end());
  FERRY_ASSIGN_OR_RETURN(p.stride, c.Window("strides", p.axes, 1, 1));
  FERRY_ASSIGN_OR_RETURN(p.dilation, c.Window("dilations", p.axes, 1, 1));
  FERRY_ASSIGN_OR_RETURN(auto pads, c.Window("pads", 2 * p.axes, 0, 0));
  FERRY_ASSIGN_OR_RETURN(auto extra, c.Window("output_padding", p.axes, 0, 0));
  FERRY_ASSIGN_OR_RETURN(auto shape, c.Ints("output_shape"));
  if (shape && shape->empty()) shape.given = false;
  if (shape && shape->size() != p.axes && shape->size() != p.axes + 2) {
    return Status::Of(Code::kBadModel, "an output_shape of {} numbers", shape->size());
  }
  if (c.HasInput(2) && c.InputShape(2) != Shape({p.groups * p.out_group})) {
    return Status::Of(Code::kShapeMismatch, "a bias of {}", c.InputShape(2).ToString());
  }
  p.pad_begin.resize(p.axes);
  p.out.resize(p.axes);
  int64_t phases = 1;
  for (size_t i = 0; i < p.axes; ++i) {
    const int64_t largest = std::max({p.kernel[i], pads[i], pads[p.axes + i], extra[i]});
    if (largest > kMaxWindow || p.kernel[i] < 1) {
      return Status::Of(Code::kLimitExceeded, "a window or padding of {}", largest);
    }
    if (p.in[i] > tensor::kMaxElements / p.stride[i]) {
      return Status::Of(Code::kLimitExceeded, "an extent of {} with a stride of {}", p.in[i],
                        p.stride[i]);
    }
    FERRY_TRY(OneAxis(c, p, i, shape, pads, extra[i]));
    if (p.in[i] <= 1) p.stride[i] = 1;  // decides nothing any more
    phases *= p.stride[i];
    if (phases > kMaxPhases || p.dilation[i] > kMaxWindow) {
      return Status::Of(Code::kLimitExceeded, "{} phases and a dilation of {}", phases,
                        p.dilation[i]);
    }
  }
  return p;
}

// Zeros behind each weight along the axes that have both a stride and a dilation: dilation - 1 of
// them; then the axis has no dilation.
ValueId Undilated(ExpandContext& c, ConvTransposePlan& p) {
  ValueId w = c.In(1);
  for (size_t i = 0; i < p.axes; ++i) {
    if (p.stride[i] == 1 || p.dilation[i] == 1) continue;
    int64_t outer = p.in_c * p.out_group, inner = 1;
    for (size_t axis = 0; axis < p.axes; ++axis) (axis <= i ? outer : inner) *= p.kernel[axis];
    w = c.Reshape(w, std::vector<int64_t>{outer, 1, inner});
    w = c.Add("Pad", {w, c.Ints({0, 0, 0, 0, p.dilation[i] - 1, 0})});
    p.kernel[i] *= p.dilation[i];
    p.dilation[i] = 1;
    std::vector<int64_t> dims = {p.in_c, p.out_group};
    dims.insert(dims.end(), p.kernel.begin(), p.kernel.end());
    w = c.Reshape(w, dims);
  }
  return w;
}

// The weights as [m * phases, c/group, taps..]; kernel becomes the taps of a phase.
ValueId Phased(ExpandContext& c, ConvTransposePlan& p) {
  ValueId w = Undilated(c, p);
  std::vector<int64_t> pads(2 * (p.axes + 2), 0), split = {p.in_c, p.out_group};
  std::vector<int64_t> order = {0, 1}, taps_order, axes;
  int64_t phases = 1, taps = 1;
  for (size_t i = 0; i < p.axes; ++i) {
    const auto at = static_cast<int64_t>(2 + 2 * i);
    const int64_t count = (p.kernel[i] + p.stride[i] - 1) / p.stride[i];
    pads[p.axes + 4 + i] = count * p.stride[i] - p.kernel[i];
    split.insert(split.end(), {count, p.stride[i]});
    order.push_back(at + 1);
    taps_order.push_back(at);
    axes.push_back(static_cast<int64_t>(i) + 2);
    p.kernel[i] = count;
    phases *= p.stride[i];
    taps *= count;
  }
  order.insert(order.end(), taps_order.begin(), taps_order.end());
  const int64_t in_group = p.in_c / p.groups;
  w = c.Transpose(c.Reshape(c.Add("Pad", {w, c.Ints(pads)}), split), order);
  w = c.Reshape(w, std::vector<int64_t>{p.groups, in_group, p.out_group * phases, taps});
  std::vector<int64_t> dims = {p.groups * p.out_group * phases, in_group};
  dims.insert(dims.end(), p.kernel.begin(), p.kernel.end());
  w = c.Reshape(c.Transpose(w, {0, 2, 1, 3}), dims);
  const std::vector<int64_t> minus(p.axes, -1), end(p.axes, std::numeric_limits<int32_t>::min());
  return c.Add("Slice", {w, c.Ints(minus), c.Ints(end), c.Ints(axes), c.Ints(minus)});
}

// The bias once for each phase.
ValueId PhasedBias(ExpandContext& c, const ConvTransposePlan& p) {
  if (!c.HasInput(2)) return ir::kNoValue;
  int64_t phases = 1;
  for (int64_t stride : p.stride) phases *= stride;
  if (phases == 1) return c.In(2);
  const int64_t channels = p.groups * p.out_group;
  const ValueId column = c.Reshape(c.In(2), std::vector<int64_t>{channels, 1});
  return c.Reshape(c.Add("Expand", {column, c.Ints({channels, phases})}),
                   std::vector<int64_t>{channels * phases});
}

// From [n, m * phases, q..] to [n, m, out..]: place q * stride + phase, less the padding.
ValueId Shuffled(ExpandContext& c, const ConvTransposePlan& p, const std::vector<int64_t>& counts,
                 ValueId y) {
  std::vector<int64_t> split = {c.InputShape(0)[0], p.groups * p.out_group}, dims = split;
  std::vector<int64_t> order = {0, 1}, starts, ends, axes;
  split.insert(split.end(), p.stride.begin(), p.stride.end());
  split.insert(split.end(), counts.begin(), counts.end());
  for (size_t i = 0; i < p.axes; ++i) {
    order.push_back(static_cast<int64_t>(2 + p.axes + i));
    order.push_back(static_cast<int64_t>(2 + i));
    dims.push_back(counts[i] * p.stride[i]);
    starts.push_back(p.pad_begin[i]);
    ends.push_back(p.pad_begin[i] + p.out[i]);
    axes.push_back(static_cast<int64_t>(i) + 2);
  }
  const bool shuffles = std::ranges::any_of(p.stride, [](int64_t stride) { return stride > 1; });
  if (shuffles) y = c.Reshape(c.Transpose(c.Reshape(y, split), order), dims);
  return c.Add("Slice", {y, c.Ints(starts), c.Ints(ends), c.Ints(axes)});
}

Status ExpandConvTranspose(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(ConvTransposePlan p, ConvTransposePlanOf(c));
  const ValueId w = Phased(c, p);
  std::vector<int64_t> pads(2 * (p.axes + 2), 0), counts;
  for (size_t i = 0; i < p.axes; ++i) {
    const int64_t reach = std::max<int64_t>(p.pad_begin[i] + p.out[i], 1);
    counts.push_back((reach + p.stride[i] - 1) / p.stride[i]);
    pads[2 + i] = (p.kernel[i] - 1) * p.dilation[i];
    pads[p.axes + 4 + i] = counts[i] - p.in[i];
  }
  const ValueId x = c.Add("Pad", {c.In(0), c.Ints(pads)});
  const ValueId y =
      c.Add("Conv", {x, w, PhasedBias(c, p)}, {{"group", p.groups}, {"dilations", p.dilation}});
  c.SetOutput(0, Shuffled(c, p, counts, y));
  return OkStatus();
}

}  // namespace

extern const Op kConvTransposeOp;
const Op kConvTransposeOp = {
    .name = "ConvTranspose",
    .min_inputs = 2,
    .max_inputs = 3,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandConvTranspose,
};

}  // namespace ferry::ops
