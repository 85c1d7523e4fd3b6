// Dropout (ONNX): the input, and, in training, zeros in place of each element with probability
// `ratio`, the others scaled up. Training is an input (opset 12 on), an attribute (before 7), or
// never. The mask is true where elements stay (before opset 10: of the input's dtype).
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/numbers/philox.h"
#include "device-runtime/ops/shared/places/view.h"

namespace ferry::ops {
namespace {

Status InferDropout(InferContext& c) {
  if (!IsWideFloat(c.Input(0).dtype)) {
    return Status::Of(Code::kUnsupported, "input is {}", tensor::DTypeName(c.Input(0).dtype));
  }
  for (int i = 1; i < 3; ++i) {
    if (!c.HasInput(i) || c.InputShape(i).elements() == 1) continue;
    return Status::Of(Code::kShapeMismatch, "input {} must be one number", i);
  }
  if (c.HasInput(1) && !IsWideFloat(c.Input(1).dtype)) {
    return Status(Code::kShapeMismatch, "the ratio must be a float");
  }
  if (c.HasInput(2) && c.Input(2).dtype != DType::kBool) {
    return Status(Code::kShapeMismatch, "the training mode must be a bool");
  }
  // What decides the run is known when it is planned.
  if (c.HasInput(1)) FERRY_TRY(c.KnownInput(1).status());
  if (c.HasInput(2)) FERRY_TRY(c.KnownInput(2).status());
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  c.SetOutput(1, c.version() < 10 ? c.Input(0).dtype : DType::kBool, c.InputShape(0));
  return OkStatus();
}

// Whether the run drops anything; `training` is the elements of input 2, null when not known.
Result<bool> Trains(const NodeContext& c, const Tensor* training) {
  if (c.HasInput(2)) return training == nullptr || training->Number(0) != 0;
  FERRY_ASSIGN_OR_RETURN(const int64_t is_test, c.Int("is_test", 0));
  return c.version() < 7 && is_test == 0;
}

// Attribute `seed`, an integer here; none: new numbers each run.
Result<std::optional<uint64_t>> KeyOf(const NodeContext& c) {
  if (!c.Has("seed")) return std::optional<uint64_t>();
  FERRY_ASSIGN_OR_RETURN(const int64_t seed, c.Int("seed", 0));
  return std::optional(static_cast<uint64_t>(seed));
}
Result<Philox> GeneratorOf(const NodeContext& c) {
  FERRY_ASSIGN_OR_RETURN(const std::optional<uint64_t> key, KeyOf(c));
  return key ? Philox(*key) : Philox::Of(c);
}

Status ReferenceDropout(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(bool trains, Trains(c, c.HasInput(2) ? &c.In(2) : nullptr));
  FERRY_ASSIGN_OR_RETURN(const float ratio_attribute, c.Float("ratio", 0.5f));
  const double ratio = c.HasInput(1) ? c.In(1).Number(0) : static_cast<double>(ratio_attribute);
  if (trains && !(ratio >= 0 && ratio < 1)) {
    return Status::Of(Code::kInvalidArgument, "a ratio of {}", ratio);
  }
  FERRY_ASSIGN_OR_RETURN(const Philox random, trains ? GeneratorOf(c) : Philox(0));
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    const bool stays = !trains || random.Uniform(static_cast<uint64_t>(i)) >= ratio;
    if (!trains) {
      CopyElement(c.In(0), i, c.Out(0), i);
    } else {
      c.Out(0).SetNumber(i, stays ? c.In(0).Number(i) / (1 - ratio) : 0);
    }
    if (c.HasOutput(1)) c.Out(1).SetNumber(i, stays ? 1 : 0);
  }
  return OkStatus();
}

// Whole numbers' worth of ones: the mask of a run that drops nothing.
void EmitFullMask(LowerContext& c) {
  MapBuilder map(c, c.OutputShape(1), Layout::kPlain);
  map.Output(1, map.Number(ir::MapTypeOf(c.OutputInfo(1).dtype), 1));
  map.Emit();
}

Result<double> RatioOf(const NodeContext& c) {
  FERRY_ASSIGN_OR_RETURN(const float attribute, c.Float("ratio", 0.5f));
  const double ratio =
      c.HasInput(1) ? c.Input(1).constant->Number(0) : static_cast<double>(attribute);
  if (ratio >= 0 && ratio < 1) return ratio;
  return Status::Of(Code::kInvalidArgument, "a ratio of {}", ratio);
}

Status LowerDropout(LowerContext& c) {
  const Tensor* training = c.HasInput(2) ? &*c.Input(2).constant : nullptr;
  FERRY_ASSIGN_OR_RETURN(const bool trains, Trains(c, training));
  if (!trains) {
    if (c.HasOutput(1)) EmitFullMask(c);
    return LowerSame(c);
  }
  FERRY_ASSIGN_OR_RETURN(const double ratio, RatioOf(c));
  FERRY_ASSIGN_OR_RETURN(const std::optional<uint64_t> key, KeyOf(c));
  ir::RandomPrim random;
  random.key = key;
  const Shape& shape = c.InputShape(0);
  const BufferId uniform = c.Temporary(DType::kF64, shape);
  c.Emit(random, {}, uniform);
  const BufferId x = c.In(0);
  MapBuilder map(c, shape, Layout::kPlain);
  const auto u = map.Buffer(uniform, DType::kF64, shape);
  const auto stays = map.Call("LessOrEqual", map.Number(u, ratio), u);
  const auto value = map.Convert(map.Buffer(x, c.Input(0).dtype, shape), ir::MapType::kF64);
  const auto kept = map.Call("Div", value, map.Number(value, 1 - ratio));
  const auto y = map.Call("Select", stays, kept, map.Number(value, 0));
  map.Output(0, map.Convert(y, ir::MapTypeOf(c.OutputInfo(0).dtype)));
  if (c.HasOutput(1)) {
    map.Output(1, map.Convert(stays, ir::MapTypeOf(c.OutputInfo(1).dtype)));
  }
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kDropoutOp;
const Op kDropoutOp = {
    .name = "Dropout",
    .min_inputs = 1,
    .max_inputs = 3,
    .min_outputs = 1,
    .max_outputs = 2,
    .infer = InferDropout,
    .reference = ReferenceDropout,
    .lower = LowerDropout,
    .is_pure = false,
};

}  // namespace ferry::ops
