// BatchNormalization (ONNX), inference only: y = (x - mean) / sqrt(var + epsilon) * scale + bias.
#include <cmath>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferBatchNormalization(InferContext& c) {
  const Shape& x = c.InputShape(0);
  if (x.rank() < 2) return Status::Of(Code::kShapeMismatch, "{} has no channels", x.ToString());
  FERRY_ASSIGN_OR_RETURN(int64_t training, c.Int("training_mode", 0));
  if (training != 0) return Status(Code::kUnsupported, "training mode is not supported");
  for (int i = 0; i < 5; ++i) {
    if (c.Input(i).dtype != DType::kF32) return Status(Code::kUnsupported, "only f32 is supported");
    if (i > 0 && c.InputShape(i) != Shape({x[1]})) {
      return Status::Of(Code::kShapeMismatch, "input {} is {} for {} channels", i,
                        c.InputShape(i).ToString(), x[1]);
    }
  }
  c.SetOutput(0, DType::kF32, x);
  return OkStatus();
}

Status ReferenceBatchNormalization(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(float epsilon, c.Float("epsilon", 1e-5f));
  const Shape& shape = c.InputShape(0);
  const int64_t inner = shape.Product(2, shape.rank());
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    const int64_t channel = i / inner % shape[1];
    const double scale = c.In(1).Number(channel) / std::sqrt(c.In(4).Number(channel) + epsilon);
    c.Out(0).SetNumber(
        i, (c.In(0).Number(i) - c.In(3).Number(channel)) * scale + c.In(2).Number(channel));
  }
  return OkStatus();
}

// One product and one sum with the channels' factors, which must be known.
Status LowerBatchNormalization(LowerContext& c) {
  for (int i = 1; i < 5; ++i) {
    if (!c.Input(i).constant) {
      c.EmitCall();
      return OkStatus();
    }
  }
  FERRY_ASSIGN_OR_RETURN(float epsilon, c.Float("epsilon", 1e-5f));
  const Shape& shape = c.InputShape(0);
  const int64_t channels = shape[1];
  FERRY_ASSIGN_OR_RETURN(Tensor scales, Tensor::Allocate(DType::kF32, {channels}));
  FERRY_ASSIGN_OR_RETURN(Tensor shifts, Tensor::Allocate(DType::kF32, {channels}));
  for (int64_t i = 0; i < channels; ++i) {
    const double scale =
        c.Input(1).constant->Number(i) / std::sqrt(c.Input(4).constant->Number(i) + epsilon);
    scales.SetNumber(i, scale);
    shifts.SetNumber(i, c.Input(2).constant->Number(i) - c.Input(3).constant->Number(i) * scale);
  }
  const bool last = c.IsChannelsLast(0);
  const Layout layout = last ? Layout::kChannelsLast : Layout::kPlain;
  const int64_t inner = shape.Product(2, shape.rank());
  ir::BinaryPrim prim;
  prim.op = "Mul";
  prim.rank = 3;
  prim.size = last ? decltype(prim.size){shape[0], inner, channels}
                   : decltype(prim.size){shape[0], channels, inner};
  prim.a_stride = {prim.size[1] * prim.size[2], prim.size[2], 1};
  prim.b_stride = last ? decltype(prim.size){0, 0, 1} : decltype(prim.size){0, 1, 0};
  const BufferId scaled = c.Temporary(DType::kF32, last ? ChannelsLast(shape) : shape);
  const BufferId x = c.In(0, layout);
  c.Emit(prim, {x, c.Constant(scales)}, scaled);
  prim.op = "Add";
  const BufferId shift = c.Constant(shifts);
  c.Emit(prim, {scaled, shift}, c.Out(0, layout));
  return OkStatus();
}

}  // namespace

extern const Op kBatchNormalizationOp;
const Op kBatchNormalizationOp = {
    "BatchNormalization",   5, 5, 1, 1, InferBatchNormalization, ReferenceBatchNormalization,
    LowerBatchNormalization};

}  // namespace ferry::ops
