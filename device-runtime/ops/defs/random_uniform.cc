// RandomUniform (ONNX): numbers evenly spread over [`low`, `high`), by philox.h.
#include "device-runtime/ops/defs/philox.h"
#include "device-runtime/ops/defs/random_like.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferRandomUniform(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(DType dtype, RandomType(c, DType::kF32));
  FERRY_ASSIGN_OR_RETURN(IntList dims, c.Ints("shape"));
  if (!dims) return Status(Code::kBadModel, "attribute 'shape' is missing");
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(*dims));
  c.SetOutput(0, dtype, shape);
  return OkStatus();
}

Status ReferenceRandomUniform(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Philox random, Philox::Of(c));
  FERRY_ASSIGN_OR_RETURN(const double low, c.Float("low", 0));
  FERRY_ASSIGN_OR_RETURN(const double high, c.Float("high", 1));
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    c.Out(0).SetNumber(i, low + (high - low) * random.Uniform(static_cast<uint64_t>(i)));
  }
  return OkStatus();
}

Status LowerRandomUniform(LowerContext& c) {
  c.ComputeInFloat();
  ir::RandomPrim prim;
  FERRY_ASSIGN_OR_RETURN(prim.key, Philox::KeyOf(c));
  FERRY_ASSIGN_OR_RETURN(const double low, c.Float("low", 0));
  FERRY_ASSIGN_OR_RETURN(const double high, c.Float("high", 1));
  prim.shift = low;
  prim.scale = high - low;
  c.Emit(prim, {}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kRandomUniformOp;
const Op kRandomUniformOp = {.name = "RandomUniform",
                             .min_inputs = 0,
                             .max_inputs = 0,
                             .min_outputs = 1,
                             .max_outputs = 1,
                             .infer = InferRandomUniform,
                             .reference = ReferenceRandomUniform,
                             .lower = LowerRandomUniform,
                             .is_pure = false};

}  // namespace ferry::ops
