// GridSample (ONNX): x [n,c,in...] read at the places that grid [n,out...,axes] names, each from -1
// to 1, last spatial axis first. Source: ONNX operator GridSample, opsets 16 (bilinear, bicubic)
// and 20 (linear, cubic, any number of axes).
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/places/window.h"

namespace ferry::ops {
namespace {

enum class Mode { kNearest, kLinear, kCubic };
enum class Padding { kZeros, kBorder, kReflection };

struct GridSamplePlan {
  Mode mode;
  Padding padding;
  bool align;
  size_t axes;
  Index in{}, out{};
};

Result<GridSamplePlan> GridSamplePlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& grid = c.InputShape(1);
  GridSamplePlan p{};
  FERRY_ASSIGN_OR_RETURN(const std::string mode, c.Text("mode", "linear"));
  FERRY_ASSIGN_OR_RETURN(const std::string padding, c.Text("padding_mode", "zeros"));
  FERRY_ASSIGN_OR_RETURN(const int64_t align, c.Int("align_corners", 0));
  p.align = align != 0;
  p.mode = mode == "nearest"                      ? Mode::kNearest
           : mode == "cubic" || mode == "bicubic" ? Mode::kCubic
                                                  : Mode::kLinear;
  p.padding = padding == "border"       ? Padding::kBorder
              : padding == "reflection" ? Padding::kReflection
                                        : Padding::kZeros;
  if ((p.mode == Mode::kLinear && mode != "linear" && mode != "bilinear") ||
      (p.padding == Padding::kZeros && padding != "zeros")) {
    return Status::Of(Code::kBadModel, "mode '{}' with padding '{}'", mode, padding);
  }
  const DType dtype = c.Input(0).dtype;
  const bool numbers = IsWideFloat(dtype) || tensor::IsInteger(dtype) || dtype == DType::kBool;
  if (!numbers || !IsWideFloat(c.Input(1).dtype)) {
    return Status::Of(Code::kUnsupported, "samples of {} by {}", tensor::DTypeName(dtype),
                      tensor::DTypeName(c.Input(1).dtype));
  }
  const int rank = x.rank();
  if (rank < 3 || grid.rank() != rank || grid[0] != x[0] || grid[rank - 1] != rank - 2) {
    return Status::Of(Code::kShapeMismatch, "a grid of {} for {}", grid.ToString(), x.ToString());
  }
  p.axes = static_cast<size_t>(rank - 2);
  for (int i = 0; i + 2 < rank; ++i) {
    p.in[static_cast<size_t>(i)] = x[i + 2];
    p.out[static_cast<size_t>(i)] = grid[i + 1];
  }
  return p;
}

Status InferGridSample(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(GridSamplePlan p, GridSamplePlanOf(c));
  std::vector<int64_t> dims = {c.InputShape(0)[0], c.InputShape(0)[1]};
  dims.insert(dims.end(), p.out.begin(), p.out.begin() + static_cast<int64_t>(p.axes));
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  if (shape.elements() > 0 && Window::Product(p.in, p.axes) == 0) {
    return Status(Code::kShapeMismatch, "samples of nothing");
  }
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

// What of an axis is in bounds: from the first to the last centre where the grid's corners are
// centres, else from edge to edge.
struct Bounds {
  double low, high;
  bool Hold(double x) const { return x >= low && x <= high; }
};

Bounds BoundsOf(const GridSamplePlan& p, size_t axis) {
  const double extent = static_cast<double>(p.in[axis]);
  return p.align ? Bounds{0, extent - 1} : Bounds{-0.5, extent - 0.5};
}

// Mirrored at both bounds until it lies between them: the distance from the lower one rises to the
// length and falls to zero again, over and over.
double Mirrored(double x, const Bounds& bounds) {
  const double length = bounds.high - bounds.low;
  if (bounds.Hold(x)) return x;
  if (length <= 0) return bounds.low;
  const double distance = std::fmod(std::abs(x - bounds.low), 2 * length);
  return bounds.low + std::min(distance, 2 * length - distance);
}

// The place in elements that grid coordinate `n` names: -1 and 1 are the centres of the corner
// elements with `align`, else their outer edges. In T, the grid's own type: ties of mode `nearest`
// fall by its rounding.
template <typename T>
double Denormalized(const GridSamplePlan& p, size_t axis, T n) {
  const T extent = static_cast<T>(p.in[axis]), half_way = (n + T{1}) / T{2};
  const T place = p.align ? half_way * (extent - T{1}) : ((n + T{1}) * extent - T{1}) / T{2};
  constexpr double kFar = 1e15;  // whole numbers stay exact
  if (std::isnan(place)) return -kFar;
  return std::clamp(static_cast<double>(place), -kFar, kFar);
}

// Where point `point` of the grid reads along `axis`, padding considered; whole for `nearest`. The
// grid names the innermost axis first.
double PlaceOf(const GridSamplePlan& p, const Tensor& grid, int64_t point, size_t axis) {
  const int64_t at = (point + 1) * static_cast<int64_t>(p.axes) - 1 - static_cast<int64_t>(axis);
  const double n = grid.Number(at);
  double place = grid.dtype() == DType::kF64 ? Denormalized<double>(p, axis, n)
                                             : Denormalized(p, axis, static_cast<float>(n));
  if (p.mode == Mode::kNearest) place = std::nearbyint(place);
  const Bounds bounds = BoundsOf(p, axis);
  if (bounds.Hold(place) || p.padding == Padding::kZeros) return place;
  if (p.padding == Padding::kReflection) return Mirrored(place, bounds);
  return place < bounds.low ? 0 : static_cast<double>(p.in[axis] - 1);
}

// The element of `axis` that stands for whole place `place`; none: zero does.
std::optional<int64_t> ElementAt(const GridSamplePlan& p, size_t axis, double place) {
  const double last = static_cast<double>(p.in[axis] - 1);
  const bool is_there = place >= 0 && place <= last;
  if (!is_there && p.padding == Padding::kZeros) return std::nullopt;
  if (!is_there && p.padding == Padding::kReflection) place = Mirrored(place, BoundsOf(p, axis));
  return static_cast<int64_t>(std::clamp(place, 0.0, last));
}

// The kernels of interpolation: the weight of an element at distance d. A tent for `linear`, and
// for `nearest`, whose places are whole; Keys's cubic convolution with a = -3/4.
double Weight(Mode mode, double d) {
  d = std::abs(d);
  if (mode != Mode::kCubic) return std::max(0.0, 1 - d);
  if (d <= 1) return 1.25 * std::pow(d, 3) - 2.25 * std::pow(d, 2) + 1;
  return d < 2 ? -0.75 * std::pow(d, 3) + 3.75 * std::pow(d, 2) - 6 * d + 3 : 0;
}

// Interpolates along `axis` what interpolating along the later ones gives; `first` is the first
// element of x that the indices of the axes before allow. Four elements hold every kernel.
double Interpolated(const GridSamplePlan& p, const Index& strides, const Tensor& x,
                    const double* places, size_t axis, int64_t first) {
  if (axis == p.axes) return x.Number(first);
  double sum = 0;
  for (double near = -1; near <= 2; ++near) {
    const double at = std::floor(places[axis]) + near;
    const double weight = Weight(p.mode, at - places[axis]);
    const std::optional<int64_t> element = ElementAt(p, axis, at);
    if (weight == 0 || !element) continue;
    sum += weight * Interpolated(p, strides, x, places, axis + 1, first + *element * strides[axis]);
  }
  return sum;
}

Status ReferenceGridSample(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(GridSamplePlan p, GridSamplePlanOf(c));
  if (c.Out(0).elements() == 0) return OkStatus();
  Index strides{};
  int64_t plane = 1;
  for (size_t axis = p.axes; axis-- > 0; plane *= p.in[axis]) strides[axis] = plane;
  const int64_t channels = c.InputShape(0)[1], points = Window::Product(p.out, p.axes);
  for (int64_t point = 0; point < c.InputShape(0)[0] * points; ++point) {
    std::array<double, tensor::kMaxRank> places{};
    for (size_t axis = 0; axis < p.axes; ++axis) places[axis] = PlaceOf(p, c.In(1), point, axis);
    for (int64_t channel = 0; channel < channels; ++channel) {
      const int64_t image = point / points * channels + channel;
      c.Out(0).SetNumber(image * points + point % points,
                         Interpolated(p, strides, c.In(0), places.data(), 0, image * plane));
    }
  }
  return OkStatus();
}

// Integers are read as doubles.
Status LowerGridSample(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(GridSamplePlan p, GridSamplePlanOf(c));
  c.ComputeInFloat();
  const Shape& x = c.InputShape(0);
  ir::SamplePrim prim;
  prim.mode = static_cast<ir::SampleMode>(p.mode);           // ORDER: both list the same
  prim.padding = static_cast<ir::SamplePadding>(p.padding);  // ORDER: the same
  prim.align = p.align;
  prim.axes = static_cast<int>(p.axes);
  prim.batch = x[0];
  prim.channels = x[1];
  prim.points = Window::Product(p.out, p.axes);
  prim.in = p.in;
  const DType dtype = c.InType(0);
  const bool is_float = tensor::IsFloat(dtype);
  const BufferId grid = c.In(1);
  const BufferId in = is_float ? c.In(0) : c.Cast(c.In(0), DType::kF64, x);
  if (is_float) {
    c.Emit(prim, {in, grid}, c.Out(0));
    return OkStatus();
  }
  const Shape& shape = c.OutputShape(0);
  const BufferId y = c.Temporary(DType::kF64, shape);
  c.Emit(prim, {in, grid}, y);
  MapBuilder map(c, shape, Layout::kPlain);
  auto value = map.Buffer(y, DType::kF64, shape);
  if (dtype == DType::kBool) value = map.Not(map.Call("Equal", value, map.Number(value, 0)));
  map.Output(0, map.Narrow(value, dtype));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kGridSampleOp;
const Op kGridSampleOp = {"GridSample",   2, 2, 1, 1, InferGridSample, ReferenceGridSample,
                          LowerGridSample};

}  // namespace ferry::ops
