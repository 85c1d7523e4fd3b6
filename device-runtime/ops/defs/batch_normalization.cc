// BatchNormalization (ONNX): y = (x - mean) / sqrt(var + epsilon) * scale + bias for each channel.
// In training the mean and variance are those of x itself, and the running ones are outputs too:
// by training_mode (opset 14 on), or because those outputs are there (before).
#include <array>
#include <cmath>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"

namespace ferry::ops {
namespace {

// x as [outer, channels, inner].
struct BatchNormalizationPlan {
  int64_t outer, channels, inner;
  Shape factors;  // of each of the four lists
  bool trains;
  double epsilon, momentum;
};

Result<BatchNormalizationPlan> BatchNormalizationPlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  if (x.rank() < 1) return Status::Of(Code::kShapeMismatch, "{} has no channels", x.ToString());
  BatchNormalizationPlan p{};
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
  FERRY_ASSIGN_OR_RETURN(const BatchNormalizationPlan p, BatchNormalizationPlanOf(c));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  for (size_t i = 1; i < 5; ++i) c.SetOutput(i, c.Input(i % 2 == 1 ? 3 : 4).dtype, p.factors);
  return OkStatus();
}

struct Moments {
  double mean = 0, variance = 0;
};

Moments MomentsOf(const BatchNormalizationPlan& p, const Tensor& x, int64_t channel) {
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
  FERRY_ASSIGN_OR_RETURN(const BatchNormalizationPlan p, BatchNormalizationPlanOf(c));
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

ir::MapType TypeOf(const LowerContext& c) {
  return c.Input(0).dtype == DType::kF64 ? ir::MapType::kF64 : ir::MapType::kF32;
}

// Factors as they broadcast over [outer, channels, inner].
constexpr tensor::Strides kByChannel = {0, 1, 0};

struct Shapes {
  Shape all;  // [outer, channels, inner], or [outer, inner, channels]
  tensor::Strides by_channel;
};
Result<Shapes> ShapesOf(const BatchNormalizationPlan& p, bool last) {
  Shapes s;
  const auto dims =
      last ? std::array{p.outer, p.inner, p.channels} : std::array{p.outer, p.channels, p.inner};
  FERRY_ASSIGN_OR_RETURN(s.all, Shape::Make(dims));
  s.by_channel = last ? tensor::Strides{0, 0, 1} : kByChannel;
  return s;
}

// (x - mean) / sqrt(variance + epsilon) * scale + bias by mean and variance in buffers.
Status EmitNormal(LowerContext& c, const BatchNormalizationPlan& p, BufferId mean, DType mean_dtype,
                  BufferId variance, DType variance_dtype) {
  const bool last = c.IsChannelsLast(0) && p.factors.rank() == 1;
  const Layout layout = last ? Layout::kChannelsLast : Layout::kPlain;
  FERRY_ASSIGN_OR_RETURN(const Shapes s, ShapesOf(p, last));
  const BufferId x = c.In(0, layout), scale = c.In(1), bias = c.In(2);
  MapBuilder map(c, s.all, Layout::kPlain);
  const ir::MapType type = TypeOf(c);
  const auto factor = [&](BufferId id, DType dtype) {
    return map.Convert(map.Buffer(id, dtype, s.by_channel), type);
  };
  const auto root = map.Call(
      "Sqrt", map.Call("Add", factor(variance, variance_dtype), map.Number(type, p.epsilon)));
  const auto slope = map.Call("Div", factor(scale, c.Input(1).dtype), root);
  const auto centred = map.Call("Sub", map.Convert(map.Buffer(x, c.Input(0).dtype, s.all), type),
                                factor(mean, mean_dtype));
  map.OutputTo(c.Out(0, layout),
               map.Call("Add", map.Call("Mul", centred, slope), factor(bias, c.Input(2).dtype)));
  map.Emit();
  return OkStatus();
}

// The mean of a buffer [outer, channels, inner] for each channel.
Result<BufferId> ChannelMean(LowerContext& c, const BatchNormalizationPlan& p, BufferId x,
                             DType dtype) {
  FERRY_ASSIGN_OR_RETURN(const Shape rows, Shape::Make(std::array{p.outer, p.channels}));
  const BufferId means = c.Temporary(dtype, rows);
  c.Emit(ir::ReducePrim{ir::ReduceKind::kMean, p.outer * p.channels, p.inner, 1}, {x}, means);
  const BufferId mean = c.Temporary(dtype, p.factors);
  c.Emit(ir::ReducePrim{ir::ReduceKind::kMean, 1, p.outer, p.channels}, {means}, mean);
  return mean;
}

// running * keep + own * (1 - keep).
void EmitRunning(LowerContext& c, const BatchNormalizationPlan& p, int output, int input,
                 BufferId own, DType dtype) {
  if (!c.HasOutput(output)) return;
  const BufferId running = c.In(input);
  MapBuilder map(c, p.factors, Layout::kPlain);
  const ir::MapType type = TypeOf(c);
  const auto part = [&](BufferId id, DType d, double factor) {
    const auto x = map.Convert(map.Buffer(id, d, p.factors), type);
    return factor == 1 ? x : map.Call("Mul", x, map.Number(type, factor));
  };
  auto y = output < 3 ? map.Call("Add", part(running, c.Input(input).dtype, p.momentum),
                                 part(own, dtype, 1 - p.momentum))
                      : part(own, dtype, 1);
  map.Output(output, map.Convert(y, ir::MapTypeOf(c.OutputInfo(output).dtype)));
  map.Emit();
}

Status LowerTraining(LowerContext& c, const BatchNormalizationPlan& p) {
  const DType dtype = c.Input(0).dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  FERRY_ASSIGN_OR_RETURN(const Shapes s, ShapesOf(p, false));
  const BufferId x = c.Cast(c.In(0), dtype, s.all);
  FERRY_ASSIGN_OR_RETURN(const BufferId mean, ChannelMean(c, p, x, dtype));
  MapBuilder map(c, s.all, Layout::kPlain);
  const auto away =
      map.Call("Sub", map.Buffer(x, dtype, s.all), map.Buffer(mean, dtype, s.by_channel));
  const BufferId squares = map.EmitNew(dtype, map.Call("Mul", away, away));
  FERRY_ASSIGN_OR_RETURN(const BufferId variance, ChannelMean(c, p, squares, dtype));
  FERRY_TRY(EmitNormal(c, p, mean, dtype, variance, dtype));
  for (int i = 1; i < 5; ++i) {
    EmitRunning(c, p, i, i % 2 == 1 ? 3 : 4, i % 2 == 1 ? mean : variance, dtype);
  }
  return OkStatus();
}

// Known factors: one product and one sum.
Status LowerKnown(LowerContext& c, const BatchNormalizationPlan& p) {
  const DType dtype = c.Input(0).dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  FERRY_ASSIGN_OR_RETURN(Tensor scales, Tensor::Allocate(dtype, {p.channels}));
  FERRY_ASSIGN_OR_RETURN(Tensor shifts, Tensor::Allocate(dtype, {p.channels}));
  for (int64_t i = 0; i < p.channels; ++i) {
    const double scale =
        c.Input(1).constant->Number(i) / std::sqrt(c.Input(4).constant->Number(i) + p.epsilon);
    scales.SetNumber(i, scale);
    shifts.SetNumber(i, c.Input(2).constant->Number(i) - c.Input(3).constant->Number(i) * scale);
  }
  const bool last = c.IsChannelsLast(0) && p.factors.rank() == 1;
  const Layout layout = last ? Layout::kChannelsLast : Layout::kPlain;
  FERRY_ASSIGN_OR_RETURN(const Shapes s, ShapesOf(p, last));
  const BufferId x = c.In(0, layout);
  const BufferId scale = c.Constant(std::move(scales)), shift = c.Constant(std::move(shifts));
  MapBuilder map(c, s.all, Layout::kPlain);
  map.OutputTo(c.Out(0, layout), map.Call("MulAdd", map.Buffer(x, c.Input(0).dtype, s.all),
                                          map.Buffer(scale, dtype, s.by_channel),
                                          map.Buffer(shift, dtype, s.by_channel)));
  map.Emit();
  return OkStatus();
}

Status LowerBatchNormalization(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const BatchNormalizationPlan p, BatchNormalizationPlanOf(c));
  if (p.trains) return LowerTraining(c, p);
  bool known = true;
  for (int i = 1; i < 5; ++i) known = known && c.Input(i).constant;
  if (known) {
    FERRY_TRY(LowerKnown(c, p));
  } else {
    FERRY_TRY(EmitNormal(c, p, c.In(3), c.Input(3).dtype, c.In(4), c.Input(4).dtype));
  }
  // Outside of training the running ones stay as they are; so do those that old opsets save.
  for (int i = 1; i < 5; ++i) {
    if (c.HasOutput(i)) c.Alias(i, c.In(i % 2 == 1 ? 3 : 4));
  }
  return OkStatus();
}

}  // namespace

extern const Op kBatchNormalizationOp;
const Op kBatchNormalizationOp = {
    "BatchNormalization",   5, 5, 1, 5, InferBatchNormalization, ReferenceBatchNormalization,
    LowerBatchNormalization};

}  // namespace ferry::ops
