// RandomNormal (ONNX): numbers of a normal distribution with attributes `mean` and `scale`, by
// philox.h.
#include "device-runtime/ops/defs/philox.h"
#include "device-runtime/ops/defs/random_like.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferRandomNormal(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(DType dtype, RandomType(c, DType::kF32));
  FERRY_ASSIGN_OR_RETURN(IntList dims, c.Ints("shape"));
  if (!dims) return Status(Code::kBadModel, "attribute 'shape' is missing");
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(*dims));
  c.SetOutput(0, dtype, shape);
  return OkStatus();
}

Status ReferenceRandomNormal(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Philox random, Philox::Of(c));
  FERRY_ASSIGN_OR_RETURN(const double mean, c.Float("mean", 0));
  FERRY_ASSIGN_OR_RETURN(const double scale, c.Float("scale", 1));
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    c.Out(0).SetNumber(i, mean + scale * random.Normal(static_cast<uint64_t>(i)));
  }
  return OkStatus();
}

Status LowerRandomNormal(LowerContext& c) {
  c.ComputeInFloat();
  ir::RandomPrim prim;
  prim.kind = ir::RandomKind::kNormal;
  FERRY_ASSIGN_OR_RETURN(prim.key, Philox::KeyOf(c));
  FERRY_ASSIGN_OR_RETURN(prim.shift, c.Float("mean", 0));
  FERRY_ASSIGN_OR_RETURN(prim.scale, c.Float("scale", 1));
  c.Emit(prim, {}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kRandomNormalOp;
const Op kRandomNormalOp = {.name = "RandomNormal",
                            .min_inputs = 0,
                            .max_inputs = 0,
                            .min_outputs = 1,
                            .max_outputs = 1,
                            .infer = InferRandomNormal,
                            .reference = ReferenceRandomNormal,
                            .lower = LowerRandomNormal,
                            .is_pure = false};

}  // namespace ferry::ops
