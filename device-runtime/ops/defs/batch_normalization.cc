// BatchNormalization (ONNX): y = (x - mean) / sqrt(var + epsilon) * scale + bias for each channel.
// In training the mean and variance are those of x itself, and the running ones are outputs too:
// by training_mode (opset 14 on), or because those outputs are there (before).
#include <cmath>

#include "device-runtime/ops/defs/dtypes.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

// x as [outer, channels, inner].
struct Plan {
  int64_t outer, channels, inner;
  Shape factors;  // of each of the four lists
  bool trains;
  double epsilon, momentum;
};

Result<Plan> PlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  if (x.rank() < 1) return Status::Of(Code::kShapeMismatch, "{} has no channels", x.ToString());
  Plan p{};
  FERRY_ASSIGN_OR_RETURN(p.epsilon, c.Float("epsilon", 1e-5f));
  FERRY_ASSIGN_OR_RETURN(p.momentum, c.Float("momentum", 0.9f));
  FERRY_ASSIGN_OR_RETURN(const int64_t training, c.Int("training_mode", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t spatial, c.Int("spatial", 1));
  p.trains = training != 0;
  for (size_t i = 1; i < c.node().outputs.size() && c.version() < 14; ++i) {
    p.trains = p.trains || c.node().outputs[i] != ir::kNoValue;
  }
  p.outer = x[0];
  p.channels = x.rank() > 1 ? x[1] : 1;
  p.inner = x.rank() > 1 ? x.Product(2, x.rank()) : 1;
  p.factors = Shape({p.channels});
  if (spatial == 0 && c.version() < 9 && x.rank() > 1) {  // each element has its own factors
    FERRY_ASSIGN_OR_RETURN(p.factors, Shape::Make(x.dims().subspan(1)));
    p.channels = p.factors.elements();
    p.inner = 1;
  }
  for (int i = 0; i < 5; ++i) {
    if (!IsWideFloat(c.Input(i).dtype)) {
      return Status::Of(Code::kUnsupported, "input {} is {}", i,
                        tensor::DTypeName(c.Input(i).dtype));
    }
    if (i > 0 && c.InputShape(i) != p.factors) {
      return Status::Of(Code::kShapeMismatch, "input {} is {} for {} channels", i,
                        c.InputShape(i).ToString(), p.channels);
    }
  }
  return p;
}

Status InferBatchNormalization(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Plan p, PlanOf(c));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  for (size_t i = 1; i < 5; ++i) c.SetOutput(i, c.Input(i % 2 == 1 ? 3 : 4).dtype, p.factors);
  return OkStatus();
}

struct Moments {
  double mean = 0, variance = 0;
};

Moments MomentsOf(const Plan& p, const Tensor& x, int64_t channel) {
  Moments m;
  const auto count = static_cast<double>(p.outer * p.inner);
  auto each = [&](auto&& f) {
    for (int64_t i = 0; i < p.outer * p.inner; ++i) {
      f(x.Number((i / p.inner * p.channels + channel) * p.inner + i % p.inner));
    }
  };
  each([&](double value) { m.mean += value / count; });
  each([&](double value) { m.variance += (value - m.mean) * (value - m.mean) / count; });
  return m;
}

Status ReferenceBatchNormalization(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Plan p, PlanOf(c));
  for (int64_t channel = 0; channel < p.channels; ++channel) {
    const Moments running{c.In(3).Number(channel), c.In(4).Number(channel)};
    const Moments own = p.trains ? MomentsOf(p, c.In(0), channel) : running;
    const double scale = c.In(1).Number(channel) / std::sqrt(own.variance + p.epsilon);
    for (int64_t i = 0; i < p.outer * p.inner; ++i) {
      const int64_t at = (i / p.inner * p.channels + channel) * p.inner + i % p.inner;
      c.Out(0).SetNumber(at, (c.In(0).Number(at) - own.mean) * scale + c.In(2).Number(channel));
    }
    const double keep = p.trains ? p.momentum : 1;
    const double results[] = {running.mean * keep + own.mean * (1 - keep),
                              running.variance * keep + own.variance * (1 - keep), own.mean,
                              own.variance};
    for (int i = 1; i < 5; ++i) {
      if (c.HasOutput(i)) c.Out(i).SetNumber(channel, results[i - 1]);
    }
  }
  return OkStatus();
}

// One product and one sum with the channels' factors, which must be known.
Status LowerBatchNormalization(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Plan p, PlanOf(c));
  const Shape& shape = c.InputShape(0);
  bool direct = !p.trains && c.output_count() == 1 && shape.rank() > 1;
  direct = direct && p.factors.rank() == 1;
  for (int i = 0; i < 5; ++i) {
    direct = direct && c.Input(i).dtype == DType::kF32 && (i == 0 || c.Input(i).constant);
  }
  if (!direct) {
    c.EmitCall();
    return OkStatus();
  }
  const double epsilon = p.epsilon;
  const int64_t channels = p.channels;
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
  const int64_t inner = p.inner;
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
    "BatchNormalization",   5, 5, 1, 5, InferBatchNormalization, ReferenceBatchNormalization,
    LowerBatchNormalization};

}  // namespace ferry::ops
