// Resize (ONNX): axis after axis. Nearest neighbours are gathered; interpolation is a weighted sum
// of a few gathered neighbours, or, when there are many, a product with a matrix of weights.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/places/resize_axis.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

// More neighbours than this are summed by a product.
constexpr int64_t kMostGathers = 8;
constexpr int64_t kMaxMatrix = int64_t{1} << 28;

Result<ResizeRules> RulesOf(const NodeContext& c) {
  ResizeRules r;
  FERRY_ASSIGN_OR_RETURN(r.mode, c.Text("mode", r.mode));
  if (r.mode == "bilinear") r.mode = "linear";
  const bool old = c.version() < 11;
  FERRY_ASSIGN_OR_RETURN(
      r.coordinates, c.Text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"));
  FERRY_ASSIGN_OR_RETURN(r.rounding, c.Text("nearest_mode", old ? "floor" : r.rounding));
  FERRY_ASSIGN_OR_RETURN(const float cubic, c.Float("cubic_coeff_a", -0.75f));
  FERRY_ASSIGN_OR_RETURN(const float beyond, c.Float("extrapolation_value", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t exclude, c.Int("exclude_outside", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t antialias, c.Int("antialias", 0));
  r.cubic = cubic;
  r.extrapolation = beyond;
  r.exclude_outside = exclude != 0;
  r.antialias = antialias != 0;
  auto known = [](const std::string& text, std::initializer_list<std::string_view> all) {
    return std::ranges::find(all, text) != all.end();
  };
  if (!known(r.mode, {"nearest", "linear", "cubic"}) ||
      !known(r.rounding, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) ||
      !known(r.coordinates,
             {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
              "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"})) {
    return Status::Of(Code::kBadModel, "mode '{}', '{}', '{}'", r.mode, r.coordinates, r.rounding);
  }
  return r;
}

// The elements of float input `i`; none when it is left out or empty.
Result<std::vector<double>> FloatsOf(const NodeContext& c, int i) {
  std::vector<double> numbers;
  if (!c.HasInput(i) || c.InputShape(i).elements() == 0) return numbers;
  FERRY_ASSIGN_OR_RETURN(const Tensor* known, c.KnownInput(i));
  if (!IsWideFloat(known->dtype()) || known->elements() > 2 * tensor::kMaxRank) {
    return Status::Of(Code::kShapeMismatch, "input {} is {}", i, known->TypeText());
  }
  for (int64_t k = 0; k < known->elements(); ++k) numbers.push_back(known->Number(k));
  return numbers;
}

// The resized axes in the node's order; extents and scales are not set yet.
Result<std::vector<ResizeAxis>> ResizeAxesOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(auto given, c.Ints("axes"));
  std::vector<ResizeAxis> axes;
  if (!given) {
    given = IntList(std::vector<int64_t>(static_cast<size_t>(x.rank())));
    std::iota(given->begin(), given->end(), 0);
  }
  FERRY_TRY(NormalizeAxes(*given, x.rank()));  // refuses repeats
  for (int64_t axis : *given) {
    FERRY_ASSIGN_OR_RETURN(const int at, tensor::NormalizeAxis(axis, x.rank()));
    axes.push_back({at, x[at], x[at]});
  }
  return axes;
}

Status BySizes(const NodeContext& c, const IntList& sizes, std::vector<ResizeAxis>& axes) {
  FERRY_ASSIGN_OR_RETURN(const std::string policy, c.Text("keep_aspect_ratio_policy", "stretch"));
  if (sizes.list.size() != axes.size()) return Status(Code::kShapeMismatch, "a size an axis");
  double common = policy == "not_larger" ? INFINITY : 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i].out = sizes.list[i];
    if (axes[i].out < 0 || axes[i].out > tensor::kMaxElements) {
      return Status::Of(Code::kShapeMismatch, "a size of {}", axes[i].out);
    }
    axes[i].scale = static_cast<double>(axes[i].out) / static_cast<double>(axes[i].in);
    common =
        policy == "not_larger" ? std::min(common, axes[i].scale) : std::max(common, axes[i].scale);
  }
  if (policy == "stretch") return OkStatus();
  if (policy != "not_larger" && policy != "not_smaller") {
    return Status::Of(Code::kBadModel, "keep_aspect_ratio_policy '{}'", policy);
  }
  for (ResizeAxis& a : axes) {
    const double out = std::floor(common * static_cast<double>(a.in) + 0.5);
    if (!(out >= 0 && out <= static_cast<double>(tensor::kMaxElements))) {
      return Status::Of(Code::kShapeMismatch, "a size of {}", out);
    }
    a.out = static_cast<int64_t>(out);
    a.scale = common;
  }
  return OkStatus();
}

Status ByScales(std::span<const double> scales, std::vector<ResizeAxis>& axes) {
  if (scales.size() != axes.size()) return Status(Code::kShapeMismatch, "a scale an axis");
  for (size_t i = 0; i < axes.size(); ++i) {
    // In float32, as those who export count: 10 times 0.7 makes 7, though the float is below 0.7.
    const double out = std::floor(static_cast<float>(scales[i]) * static_cast<float>(axes[i].in));
    if (!(scales[i] > 0) || !(out <= static_cast<double>(tensor::kMaxElements))) {
      return Status::Of(Code::kShapeMismatch, "a scale of {}", scales[i]);
    }
    axes[i].out = static_cast<int64_t>(out);
    axes[i].scale = scales[i];
  }
  return OkStatus();
}

// Regions are [begin..., end...] of all axes given.
Status Crop(std::span<const double> roi, std::vector<ResizeAxis>& axes) {
  if (roi.size() != 2 * axes.size()) {
    return Status::Of(Code::kShapeMismatch, "a roi of {} numbers for {} axes", roi.size(),
                      axes.size());
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i].roi_begin = roi[i];
    axes[i].roi_end = roi[axes.size() + i];
  }
  return OkStatus();
}

Result<std::vector<ResizeAxis>> PlanOf(const NodeContext& c, const ResizeRules& rules) {
  FERRY_ASSIGN_OR_RETURN(std::vector<ResizeAxis> axes, ResizeAxesOf(c));
  const bool old = c.version() < 11;  // (x, scales)
  FERRY_ASSIGN_OR_RETURN(std::vector<double> scales, FloatsOf(c, old ? 1 : 2));
  if (!scales.empty()) {
    FERRY_TRY(ByScales(scales, axes));
  } else if (!old && c.HasInput(3)) {
    FERRY_ASSIGN_OR_RETURN(IntList sizes, c.IntsInput(3, "sizes"));
    FERRY_TRY(BySizes(c, sizes, axes));
  } else if (!axes.empty()) {
    return Status(Code::kBadModel, "neither scales nor sizes");
  }
  if (rules.coordinates == "tf_crop_and_resize") {
    FERRY_ASSIGN_OR_RETURN(std::vector<double> roi, FloatsOf(c, 1));
    FERRY_TRY(Crop(roi, axes));
  }
  return axes;
}

// Tap `tap` of a list of each, along the axis: a constant of `dims`.
Result<ValueId> TapConstant(ExpandContext& c, const Tensor& taps, int64_t tap, int64_t out,
                            DType dtype, std::span<const int64_t> dims) {
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(Tensor list, Tensor::Allocate(dtype, shape));
  for (int64_t y = 0; y < out; ++y) list.SetNumber(y, taps.Number(tap * out + y));
  return c.Constant(std::move(list));
}

// The dims of a list along the axis that broadcasts.
std::vector<int64_t> AlongDims(const ResizeAxis& a, int rank) {
  std::vector<int64_t> dims(static_cast<size_t>(rank - a.axis), 1);
  dims[0] = a.out;
  return dims;
}

Result<ValueId> ByGathers(ExpandContext& c, ValueId x, const ResizeAxis& a, const ResizeTaps& t,
                          bool weighted) {
  const std::vector<int64_t> dims = AlongDims(a, c.ShapeOf(x).rank());
  ValueId sum = ir::kNoValue;
  for (int64_t tap = 0; tap < t.taps; ++tap) {
    FERRY_ASSIGN_OR_RETURN(const ValueId index,
                           TapConstant(c, t.index, tap, a.out, DType::kI64, {&a.out, 1}));
    ValueId part = c.Add("Gather", {x, index}, {{"axis", int64_t{a.axis}}});
    if (weighted) {
      FERRY_ASSIGN_OR_RETURN(const ValueId weight,
                             TapConstant(c, t.weight, tap, a.out, c.TypeOf(x), dims));
      part = c.Add("Mul", {part, weight});
    }
    sum = tap == 0 ? part : c.Add("Add", {sum, part});
  }
  return sum;
}

// y[o, out, i] = sum of matrix[out, in] * x[o, in, i].
Result<ValueId> ByProduct(ExpandContext& c, ValueId x, const ResizeAxis& a, const ResizeTaps& t) {
  if (a.in > kMaxMatrix / std::max<int64_t>(a.out, 1)) {
    return Status::Of(Code::kLimitExceeded, "weights of {} x {}", a.out, a.in);
  }
  FERRY_ASSIGN_OR_RETURN(Tensor matrix, Tensor::Zeros(c.TypeOf(x), {a.out, a.in}));
  for (int64_t i = 0; i < a.out * t.taps; ++i) {
    const int64_t at = i % a.out * a.in + t.index.Integer(i);
    matrix.SetNumber(at, matrix.Number(at) + t.weight.Number(i));
  }
  const Shape shape = c.ShapeOf(x);
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  const std::vector<int64_t> flat = {shape.Product(0, a.axis), a.in,
                                     shape.Product(a.axis + 1, shape.rank())};
  dims[static_cast<size_t>(a.axis)] = a.out;
  const ValueId weights = c.Constant(std::move(matrix));
  return c.Reshape(c.Add("MatMul", {weights, c.Reshape(x, flat)}), dims);
}

Result<ValueId> OneAxis(ExpandContext& c, const ResizeRules& rules, const ResizeAxis& a,
                        ValueId x) {
  FERRY_ASSIGN_OR_RETURN(const ResizeTaps taps, TapsOf(rules, a));
  const int rank = c.ShapeOf(x).rank();
  ValueId y = ir::kNoValue;
  if (taps.taps <= kMostGathers) {
    FERRY_ASSIGN_OR_RETURN(y, ByGathers(c, x, a, taps, rules.mode != "nearest"));
  } else {
    FERRY_ASSIGN_OR_RETURN(y, ByProduct(c, x, a, taps));
  }
  if (!taps.any_outside) return y;
  FERRY_ASSIGN_OR_RETURN(const ValueId mask, TapConstant(c, taps.is_outside, 0, a.out, DType::kBool,
                                                         AlongDims(a, rank)));
  return c.Add("Where", {mask, c.Number(c.TypeOf(y), rules.extrapolation), y});
}

bool KeepsAxis(const ResizeRules& rules, const ResizeAxis& a) {
  if (a.out != a.in || std::abs(a.scale - 1) > 1e-9) return false;
  return rules.coordinates != "tf_crop_and_resize" || (a.roi_begin == 0 && a.roi_end == 1);
}

// Axes that shrink come first, the outer before the inner; then those that grow, the inner first:
// what lies on the last axis is gathered one by one, and so while there is little of it.
void SortAxes(std::vector<ResizeAxis>& axes) {
  std::ranges::stable_sort(axes, [](const ResizeAxis& a, const ResizeAxis& b) {
    const bool a_grows = a.out > a.in, b_grows = b.out > b.in;
    if (a_grows != b_grows) return b_grows;
    return a_grows ? a.axis > b.axis : a.axis < b.axis;
  });
}

Status ExpandResize(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(const ResizeRules rules, RulesOf(c));
  FERRY_ASSIGN_OR_RETURN(std::vector<ResizeAxis> axes, PlanOf(c, rules));
  SortAxes(axes);
  const DType dtype = c.Input(0).dtype;
  const bool blends = rules.mode != "nearest";
  if (blends && !tensor::IsFloat(dtype) && !tensor::IsInteger(dtype)) {
    return Status::Of(Code::kUnsupported, "interpolation of {}", tensor::DTypeName(dtype));
  }
  std::vector<int64_t> dims(c.InputShape(0).dims().begin(), c.InputShape(0).dims().end());
  for (const ResizeAxis& a : axes) dims[static_cast<size_t>(a.axis)] = a.out;
  FERRY_TRY(Shape::Make(dims));  // before taking memory for any axis
  const bool is_float = tensor::IsFloat(dtype);
  const DType wide = dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  ValueId x = blends ? c.Cast(c.In(0), wide) : c.In(0);
  for (const ResizeAxis& a : axes) {
    if (KeepsAxis(rules, a)) continue;
    if (a.in == 0) {
      if (a.out == 0) continue;
      return Status(Code::kShapeMismatch, "an empty axis grows");
    }
    FERRY_ASSIGN_OR_RETURN(x, OneAxis(c, rules, a, x));
  }
  if (blends && !is_float) x = c.Add("Round", {x});
  x = c.Cast(x, dtype);
  c.SetOutput(0, x == c.In(0) ? c.Add("Identity", {x}) : x);
  return OkStatus();
}

}  // namespace

extern const Op kResizeOp;
const Op kResizeOp = {
    .name = "Resize",
    .min_inputs = 1,
    .max_inputs = 4,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandResize,
};

}  // namespace ferry::ops
