// STFT (ONNX): the transforms of overlapping frames of a signal, each weighted by a window.
#include <algorithm>
#include <array>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/fourier.h"

namespace ferry::ops {
namespace {

struct Frames {
  int64_t step = 0, length = 0, count = 0, bins = 0;
};

Result<Frames> FramesOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const bool has_window = c.HasInput(2);
  if (!tensor::IsFloat(c.Input(0).dtype) || x.rank() < 2 || x.rank() > 3 ||
      (x.rank() == 3 && (x[2] < 1 || x[2] > 2)) || (has_window && c.InputShape(2).rank() != 1)) {
    return Status::Of(Code::kShapeMismatch, "{} {} holds no signals",
                      tensor::DTypeName(c.Input(0).dtype), x.ToString());
  }
  Frames frames;
  FERRY_ASSIGN_OR_RETURN(IntList step, c.IntsInput(1, "frame_step"));
  frames.length = has_window ? c.InputShape(2)[0] : x[1];
  if (c.HasInput(3)) {
    FERRY_ASSIGN_OR_RETURN(IntList length, c.IntsInput(3, "frame_length"));
    if (length->size() != 1) return Status(Code::kShapeMismatch, "more than one length");
    frames.length = length->front();
  }
  if (step->size() != 1 || step->front() < 1 || frames.length > x[1]) {
    return Status::Of(Code::kShapeMismatch, "frames of {} in a signal of {}", frames.length, x[1]);
  }
  FERRY_TRY(CheckFourier(frames.length));
  frames.step = step->front();
  FERRY_ASSIGN_OR_RETURN(int64_t half, c.Int("onesided", 1));
  frames.count = 1 + (x[1] - frames.length) / frames.step;
  frames.bins = half != 0 ? frames.length / 2 + 1 : frames.length;
  return frames;
}

Status InferStft(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Frames frames, FramesOf(c));
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(std::vector<int64_t>{
                                          c.InputShape(0)[0], frames.count, frames.bins, 2}));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

Status ReferenceStft(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Frames frames, FramesOf(c));
  const Tensor& x = c.In(0);
  const int64_t parts = x.shape().rank() == 3 ? x.shape()[2] : 1;
  const int64_t weighted =
      c.HasInput(2) ? std::min(c.InputShape(2)[0], frames.length) : frames.length;
  Fourier<double> fourier(frames.length, false);
  std::vector<std::complex<double>> signal;
  int64_t to = 0;
  for (int64_t frame = 0; frame < x.shape()[0] * frames.count; ++frame) {
    const int64_t first = frame / frames.count * x.shape()[1] + frame % frames.count * frames.step;
    signal.assign(static_cast<size_t>(frames.length), 0);
    for (int64_t i = 0; i < weighted; ++i) {
      const int64_t at = (first + i) * parts;
      const double weight = c.HasInput(2) ? c.In(2).Number(i) : 1;
      signal[static_cast<size_t>(i)] = {weight * x.Number(at),
                                        parts == 2 ? weight * x.Number(at + 1) : 0};
    }
    fourier.Run(signal);
    for (int64_t i = 0; i < frames.bins; ++i) {
      c.Out(0).SetNumber(to++, signal[static_cast<size_t>(i)].real());
      c.Out(0).SetNumber(to++, signal[static_cast<size_t>(i)].imag());
    }
  }
  return OkStatus();
}

// The frames side by side, weighted, [signals * frames, length, parts].
Result<BufferId> FramesOf(LowerContext& c, const Frames& f, int64_t parts) {
  const Shape& x = c.InputShape(0);
  const DType dtype = c.InType(0);
  FERRY_ASSIGN_OR_RETURN(const Shape shape,
                         Shape::Make(std::array{x[0], f.count, f.length, parts}));
  ir::Region region;
  region.rank = 3;
  region.size = {x[0], f.count, f.length * parts};
  region.from_stride = {x[1] * parts, f.step * parts, 1};
  region.to_stride = {f.count * f.length * parts, f.length * parts, 1};
  const BufferId frames = c.Moved(c.In(0), dtype, shape, region);
  if (!c.HasInput(2)) return frames;
  // A window that is shorter than a frame leaves zeros behind it.
  const int64_t weights = std::min(c.InputShape(2)[0], f.length);
  ir::RasterPrim raster;
  raster.fill = 0;
  ir::Region all;
  all.rank = 1;
  all.size[0] = weights;
  all.from_stride[0] = all.to_stride[0] = 1;
  raster.copies.push_back({0, all});
  const BufferId given = c.In(2);
  const BufferId window = c.Temporary(c.InType(2), Shape({f.length}));
  c.Emit(std::move(raster), {given}, window);
  MapBuilder map(c, shape, Layout::kPlain);
  const auto value = map.Buffer(frames, dtype, shape);
  const auto weight =
      map.Convert(map.Buffer(window, c.InType(2), tensor::Strides{0, 0, 1, 0}), value.type);
  return map.EmitNew(dtype, map.Call("Mul", value, weight));
}

Status LowerStft(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Frames f, FramesOf(c));
  c.ComputeInFloat();
  const Shape& x = c.InputShape(0);
  const int64_t parts = x.rank() == 3 ? x[2] : 1;
  FERRY_ASSIGN_OR_RETURN(const BufferId frames, FramesOf(c, f, parts));
  ir::FourierPrim prim;
  prim.outer = x[0] * f.count;
  prim.size = prim.length = f.length;
  prim.inner = 1;
  prim.bins = f.bins;
  prim.parts = static_cast<int>(parts);
  prim.exact = true;
  c.Emit(prim, {frames}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kSTFTOp;
const Op kSTFTOp = {.name = "STFT",
                    .min_inputs = 2,
                    .max_inputs = 4,
                    .min_outputs = 1,
                    .max_outputs = 1,
                    .infer = InferStft,
                    .reference = ReferenceStft,
                    .lower = LowerStft};

}  // namespace ferry::ops
