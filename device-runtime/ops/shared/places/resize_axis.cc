#include "device-runtime/ops/shared/places/resize_axis.h"

#include <algorithm>
#include <cmath>

namespace ferry::ops {
namespace {

// The input coordinate of output `y`. Source: ONNX operator Resize.
double Coordinate(const ResizeRules& rules, const ResizeAxis& a, int64_t y) {
  const auto at = static_cast<double>(y);
  const auto in = static_cast<double>(a.in);
  const double length = a.scale * in;
  const std::string& mode = rules.coordinates;
  if (mode == "align_corners") return length == 1 ? 0 : at * (in - 1) / (length - 1);
  if (mode == "asymmetric") return at / a.scale;
  if (mode == "tf_half_pixel_for_nn") return (at + 0.5) / a.scale;
  if (mode == "tf_crop_and_resize") {
    const double part = a.roi_end - a.roi_begin;
    const double inside = length == 1 ? part * (in - 1) / 2 : at * part * (in - 1) / (length - 1);
    return inside + a.roi_begin * (in - 1);
  }
  if (mode == "pytorch_half_pixel" && length == 1) return -0.5;
  const double centre = (at + 0.5) / a.scale;
  if (mode == "half_pixel_symmetric") {
    return in / 2 * (1 - static_cast<double>(a.out) / length) + centre - 0.5;
  }
  return centre - 0.5;
}

double Nearest(const std::string& rounding, double x) {
  if (x == std::floor(x)) return x;
  if (rounding == "floor") return std::floor(x);
  if (rounding == "ceil") return std::ceil(x);
  return rounding == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5);
}

// The weight of an element at distance d.
double Linear(double d) {
  return std::max(0.0, 1 - std::abs(d));
}
double Cubic(double a, double d) {
  d = std::abs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// Weights of the elements from floor(x) + first on, for output y.
void Weigh(const ResizeRules& rules, const ResizeAxis& a, double x, double shrink, int64_t first,
           int64_t y, ResizeTaps& t) {
  int64_t* index = t.index.mutable_data<int64_t>().data() + y;
  double* weight = t.weight.mutable_data<double>().data() + y;
  const double floor = std::floor(x);
  double sum = 0;
  for (int64_t k = 0; k < t.taps; ++k) {
    const double place = floor + static_cast<double>(first + k);
    const double d = (place - x) * shrink;
    const bool outside = place < 0 || place > static_cast<double>(a.in - 1);
    double& w = weight[k * a.out];
    w = rules.mode == "linear" ? Linear(d) : Cubic(rules.cubic, d);
    if (outside && rules.exclude_outside) w = 0;
    sum += w;
    index[k * a.out] = static_cast<int64_t>(std::clamp(place, 0.0, static_cast<double>(a.in - 1)));
  }
  if (!rules.exclude_outside && shrink == 1) return;
  for (int64_t k = 0; k < t.taps; ++k) weight[k * a.out] /= sum == 0 ? 1 : sum;
}

// The first element, from floor(x) on, that an output may need.
Result<int64_t> FirstTap(const ResizeRules& rules, const ResizeAxis& a, double shrink) {
  const double reach = rules.mode == "linear" ? 1 : 2;
  const double first = std::floor(-reach / shrink) + 1;
  if (first > -static_cast<double>(kMaxResizeTaps / 2)) return static_cast<int64_t>(first);
  return Status::Of(Code::kLimitExceeded, "a scale of {} takes too many elements", a.scale);
}

}  // namespace

Result<ResizeTaps> TapsOf(const ResizeRules& rules, const ResizeAxis& a) {
  const double shrink = rules.antialias ? std::min(a.scale, 1.0) : 1;
  ResizeTaps t;
  int64_t first = 0;
  t.taps = 1;
  if (rules.mode != "nearest") {
    FERRY_ASSIGN_OR_RETURN(first, FirstTap(rules, a, shrink));
    t.taps = 2 - 2 * first;
  }
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::vector<int64_t>{t.taps, a.out}));
  FERRY_ASSIGN_OR_RETURN(t.index, Tensor::Zeros(tensor::DType::kI64, shape));
  FERRY_ASSIGN_OR_RETURN(t.weight, Tensor::Zeros(tensor::DType::kF64, shape));
  FERRY_ASSIGN_OR_RETURN(t.is_outside, Tensor::Zeros(tensor::DType::kBool, {a.out}));
  const auto last = static_cast<double>(a.in - 1);
  for (int64_t y = 0; y < a.out; ++y) {
    double x = Coordinate(rules, a, y);
    if (!(x >= 0 && x <= last) && rules.coordinates == "tf_crop_and_resize") {
      t.is_outside.SetInteger(y, 1);
      t.any_outside = true;
    }
    if (!std::isfinite(x)) x = 0;
    if (rules.mode == "nearest") {
      t.index.SetInteger(y,
                         static_cast<int64_t>(std::clamp(Nearest(rules.rounding, x), 0.0, last)));
    } else {
      Weigh(rules, a, x, shrink, first, y, t);
    }
  }
  return t;
}

}  // namespace ferry::ops
