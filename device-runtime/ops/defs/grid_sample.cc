// GridSample (ONNX): x [n,c,in...] read at the places that grid [n,out...,axes] names, each from -1
// to 1, last spatial axis first. Source: ONNX operator GridSample, opsets 16 (bilinear, bicubic)
// and 20 (linear, cubic, any number of axes).
#include <algorithm>
#include <cmath>

#include "device-runtime/ops/defs/dtypes.h"
#include "device-runtime/ops/defs/window.h"
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"

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

// Goes to and fro between the ends.
double Reflected(double x, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  if (x >= low && x <= high) return x;
  const double beyond = x < low ? low - x : x - high;
  const double turns = std::floor(beyond / range);
  const double rest = beyond - turns * range;
  const bool even = std::fmod(turns, 2) == 0;
  return (x < low) == even ? low + rest : high - rest;
}

// The place of a grid coordinate along axis `i`; T as the grid has it, so that ties of the nearest
// mode fall as they do elsewhere.
template <typename T>
double Place(const GridSamplePlan& p, size_t i, double coordinate) {
  const T n = static_cast<T>(coordinate);
  const T extent = static_cast<T>(p.in[i]);
  const T one = 1, two = 2;
  double x = p.align ? (n + one) / two * (extent - one) : ((n + one) * extent - one) / two;
  constexpr double kFar = 1e15;  // keeps places inside int64
  x = std::isnan(x) ? -kFar : std::clamp(x, -kFar, kFar);
  if (p.mode == Mode::kNearest) x = std::nearbyint(x);
  const double low = p.align ? 0 : -0.5;
  const double high = static_cast<double>(p.in[i]) - (p.align ? 1 : 0.5);
  if (x >= low && x <= high) return x;
  if (p.padding == Padding::kBorder)
    return std::clamp<double>(x, 0, static_cast<double>(p.in[i] - 1));
  return p.padding == Padding::kReflection ? Reflected(x, low, high) : x;
}

// The element at whole place `at` of axis `i`; -1: there is none, it counts as zero.
int64_t ElementAt(const GridSamplePlan& p, size_t i, double at) {
  const auto last = static_cast<double>(p.in[i] - 1);
  if (p.padding == Padding::kZeros) return at >= 0 && at <= last ? static_cast<int64_t>(at) : -1;
  if (p.padding == Padding::kReflection) {
    at = std::trunc(Reflected(at, p.align ? 0 : -0.5, p.align ? last : last + 0.5));
  }
  return static_cast<int64_t>(std::clamp(at, 0.0, last));
}

double CubicWeight(double d) {
  constexpr double a = -0.75;
  d = std::abs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// The elements and weights along each axis for one point of the grid.
struct Taps {
  int64_t count = 1;
  std::array<std::array<int64_t, 4>, tensor::kMaxRank> element{};
  std::array<std::array<double, 4>, tensor::kMaxRank> weight{};
};

Taps TapsOf(const GridSamplePlan& p, const Tensor& grid, int64_t point) {
  Taps t;
  t.count = p.mode == Mode::kNearest ? 1 : p.mode == Mode::kLinear ? 2 : 4;
  const auto axes = static_cast<int64_t>(p.axes);
  for (size_t i = 0; i < p.axes; ++i) {
    const double n = grid.Number(point * axes + axes - 1 - static_cast<int64_t>(i));
    const double x = grid.dtype() == DType::kF64 ? Place<double>(p, i, n) : Place<float>(p, i, n);
    const double base = std::floor(x) - (t.count == 4 ? 1 : 0);
    for (int64_t k = 0; k < t.count; ++k) {
      const double at = base + static_cast<double>(k);
      const auto tap = static_cast<size_t>(k);
      t.element[i][tap] = ElementAt(p, i, at);
      t.weight[i][tap] = t.count == 1   ? 1
                         : t.count == 2 ? 1 - std::abs(at - x)
                                        : CubicWeight(at - x);
    }
  }
  return t;
}

double Sample(const GridSamplePlan& p, const Taps& t, const Tensor& x, int64_t plane) {
  int64_t all = 1;
  for (size_t i = 0; i < p.axes; ++i) all *= t.count;
  double sum = 0;
  for (int64_t k = 0; k < all; ++k) {
    int64_t rest = k, at = 0, step = 1;
    double weight = 1;
    for (size_t i = p.axes; i-- > 0;) {
      const auto tap = static_cast<size_t>(rest % t.count);
      rest /= t.count;
      if (t.element[i][tap] < 0) weight = 0;
      weight *= t.weight[i][tap];
      at += std::max<int64_t>(t.element[i][tap], 0) * step;
      step *= p.in[i];
    }
    if (weight != 0) sum += weight * x.Number(plane + at);
  }
  return sum;
}

Status ReferenceGridSample(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(GridSamplePlan p, GridSamplePlanOf(c));
  if (c.Out(0).elements() == 0) return OkStatus();
  const int64_t channels = c.InputShape(0)[1];
  const int64_t in = Window::Product(p.in, p.axes);
  const int64_t out = Window::Product(p.out, p.axes);
  for (int64_t point = 0; point < c.InputShape(0)[0] * out; ++point) {
    const Taps taps = TapsOf(p, c.In(1), point);
    for (int64_t channel = 0; channel < channels; ++channel) {
      const int64_t plane = point / out * channels + channel;
      c.Out(0).SetNumber(plane * out + point % out, Sample(p, taps, c.In(0), plane * in));
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
