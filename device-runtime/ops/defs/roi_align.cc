// RoiAlign (ONNX): bilinear samples of regions [x1, y1, x2, y2] of images, averaged or their
// largest taken for each cell. Source: ONNX operator RoiAlign, Mask R-CNN.
#include <algorithm>
#include <cmath>
#include <optional>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"

namespace ferry::ops {
namespace {

// Samples a cell along one axis: regions are data, and must not ask for endless work.
constexpr double kMaxSamples = 4096;

struct RoiAlignPlan {
  int64_t height, width, samples;  // samples 0: as many as the cell has pixels
  double scale;
  bool largest, half_pixel;
};

Result<RoiAlignPlan> RoiAlignPlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& rois = c.InputShape(1);
  RoiAlignPlan p{};
  if (x.rank() != 4 || rois.rank() != 2 || rois[1] != 4 || c.InputShape(2) != Shape({rois[0]})) {
    return Status::Of(Code::kShapeMismatch, "regions {} and images {} of {}", rois.ToString(),
                      c.InputShape(2).ToString(), x.ToString());
  }
  if (!IsWideFloat(c.Input(0).dtype) || c.Input(1).dtype != c.Input(0).dtype ||
      c.Input(2).dtype != DType::kI64) {
    return Status(Code::kUnsupported, "needs floats of one dtype and i64 images");
  }
  FERRY_ASSIGN_OR_RETURN(p.height, c.Int("output_height", 1));
  FERRY_ASSIGN_OR_RETURN(p.width, c.Int("output_width", 1));
  FERRY_ASSIGN_OR_RETURN(p.samples, c.Int("sampling_ratio", 0));
  FERRY_ASSIGN_OR_RETURN(const float scale, c.Float("spatial_scale", 1));
  FERRY_ASSIGN_OR_RETURN(const std::string mode, c.Text("mode", "avg"));
  FERRY_ASSIGN_OR_RETURN(const std::string coordinates,
                         c.Text("coordinate_transformation_mode",
                                c.version() < 16 ? "output_half_pixel" : "half_pixel"));
  p.scale = scale;
  p.largest = mode == "max";
  p.half_pixel = coordinates == "half_pixel";
  if ((mode != "avg" && mode != "max") ||
      (coordinates != "half_pixel" && coordinates != "output_half_pixel")) {
    return Status::Of(Code::kBadModel, "mode '{}', '{}'", mode, coordinates);
  }
  if (p.height < 1 || p.width < 1 || p.samples < 0 ||
      std::max({p.height, p.width}) > kMaxAttribute ||
      static_cast<double>(p.samples) > kMaxSamples) {
    return Status(Code::kBadModel, "sizes out of range");
  }
  return p;
}

Status InferRoiAlign(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(RoiAlignPlan p, RoiAlignPlanOf(c));
  FERRY_ASSIGN_OR_RETURN(
      Shape shape,
      Shape::Make(std::vector<int64_t>{c.InputShape(1)[0], c.InputShape(0)[1], p.height, p.width}));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

// One axis of one region, in elements of the image: its cells are `cell` long, each is sampled
// `samples` times at even distances.
struct Axis {
  double start = 0, cell = 0;
  int64_t samples = 0;
};

Result<Axis> AxisOf(const RoiAlignPlan& p, double from, double to, int64_t cells) {
  const double offset = p.half_pixel ? 0.5 : 0.0;
  Axis axis;
  axis.start = from * p.scale - offset;
  const double length = to * p.scale - offset - axis.start;
  // Without the offset a region is at least one element long (opset 10).
  axis.cell = (p.half_pixel ? length : std::max(length, 1.0)) / static_cast<double>(cells);
  if (p.samples > 0) {
    axis.samples = p.samples;
  } else if (!(axis.cell <= kMaxSamples)) {
    return Status::Of(Code::kLimitExceeded, "a region from {} to {}", from, to);
  } else if (axis.cell > 0) {
    axis.samples = static_cast<int64_t>(std::ceil(axis.cell));
  }
  if (!std::isfinite(axis.start)) {
    return Status::Of(Code::kLimitExceeded, "a region from {} to {}", from, to);
  }
  return axis;
}

// Where sample `sample` of cell `index` lies.
double PlaceOf(const Axis& axis, int64_t index, int64_t sample) {
  const double samples = static_cast<double>(axis.samples);
  const double within = (static_cast<double>(sample) + 0.5) * axis.cell / samples;
  return axis.start + static_cast<double>(index) * axis.cell + within;
}

// How much of element `i` linear interpolation takes at `place`: a tent of width 2 around i.
double Tent(double place, int64_t i) {
  return std::max(0.0, 1 - std::abs(place - static_cast<double>(i)));
}

struct Sample {
  double sum = 0;      // of the elements times their tents
  double largest = 0;  // of these products
};

// The plane that begins at `plane`, read at (y, x). Up to one element outside it continues as its
// edge, farther out it is zero. Mode `max` compares the products of the four corners; where fewer
// tents reach the place, the others are zero and count too.
Sample SampleAt(const Tensor& image, int64_t plane, double y, double x) {
  const int64_t height = image.shape()[2], width = image.shape()[3];
  const double bottom = static_cast<double>(height), right = static_cast<double>(width);
  if (!(y >= -1 && y <= bottom && x >= -1 && x <= right)) return {};
  y = std::clamp(y, 0.0, bottom - 1);
  x = std::clamp(x, 0.0, right - 1);
  Sample sample;
  int corners = 0;
  for (int64_t row = 0; row < height; ++row) {
    const double of_row = Tent(y, row);
    if (of_row == 0) continue;
    for (int64_t column = 0; column < width; ++column) {
      const double weight = of_row * Tent(x, column);
      if (weight == 0) continue;
      const double product = weight * image.Number(plane + row * width + column);
      sample.sum += product;
      sample.largest = corners++ == 0 ? product : std::max(sample.largest, product);
    }
  }
  if (corners < 4) sample.largest = std::max(sample.largest, 0.0);
  return sample;
}

// Cell (i, k): the mean of its samples, or the largest of theirs; 0 without samples.
double CellValue(const RoiAlignPlan& p, const Tensor& image, int64_t plane, const Axis& down,
                 const Axis& across, int64_t i, int64_t k) {
  double sum = 0;
  std::optional<double> largest;
  for (int64_t row = 0; row < down.samples; ++row) {
    for (int64_t column = 0; column < across.samples; ++column) {
      const Sample sample =
          SampleAt(image, plane, PlaceOf(down, i, row), PlaceOf(across, k, column));
      sum += sample.sum;
      largest = std::max(largest.value_or(sample.largest), sample.largest);
    }
  }
  if (!largest) return 0;
  return p.largest ? *largest : sum / static_cast<double>(down.samples * across.samples);
}

Status ReferenceRoiAlign(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(RoiAlignPlan p, RoiAlignPlanOf(c));
  const Shape& image = c.InputShape(0);
  if (c.Out(0).elements() == 0) return OkStatus();
  if (image.elements() == 0) return Status(Code::kShapeMismatch, "regions of nothing");
  const auto corner = [&](int64_t roi, int64_t k) { return c.In(1).Number(roi * 4 + k); };
  int64_t to = 0;
  for (int64_t roi = 0; roi < c.InputShape(1)[0]; ++roi) {
    const int64_t n = c.In(2).Integer(roi);
    if (n < 0 || n >= image[0]) {
      return Status::Of(Code::kInvalidArgument, "image {} of {}", n, image[0]);
    }
    FERRY_ASSIGN_OR_RETURN(const Axis down, AxisOf(p, corner(roi, 1), corner(roi, 3), p.height));
    FERRY_ASSIGN_OR_RETURN(const Axis across, AxisOf(p, corner(roi, 0), corner(roi, 2), p.width));
    for (int64_t channel = 0; channel < image[1]; ++channel) {
      const int64_t plane = (n * image[1] + channel) * image[2] * image[3];
      for (int64_t i = 0; i < p.height * p.width; ++i) {
        c.Out(0).SetNumber(to++,
                           CellValue(p, c.In(0), plane, down, across, i / p.width, i % p.width));
      }
    }
  }
  return OkStatus();
}

Status LowerRoiAlign(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(RoiAlignPlan p, RoiAlignPlanOf(c));
  c.ComputeInFloat();
  const Shape& x = c.InputShape(0);
  const ir::RegionKind kind = p.largest ? ir::RegionKind::kAlignMax : ir::RegionKind::kAlignAverage;
  const ir::RegionPrim prim{kind,     x[0],    x[1],      x[2],    x[3],        c.InputShape(1)[0],
                            p.height, p.width, p.samples, p.scale, p.half_pixel};
  const BufferId in = c.In(0), rois = c.In(1), images = c.In(2);
  c.Emit(prim, {in, rois, images}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kRoiAlignOp;
const Op kRoiAlignOp = {"RoiAlign", 3, 3, 1, 1, InferRoiAlign, ReferenceRoiAlign, LowerRoiAlign};

}  // namespace ferry::ops
