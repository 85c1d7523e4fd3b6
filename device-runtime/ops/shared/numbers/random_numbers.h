// RandomNormal and RandomUniform (ONNX): numbers by philox.h, shift + scale * drawn.
#pragma once

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/philox.h"
#include "device-runtime/ops/shared/numbers/random_like.h"

namespace ferry::ops {

struct RandomNumbers {
  double shift = 0, scale = 1;
};

inline Status InferRandomNumbers(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(DType dtype, RandomType(c, DType::kF32));
  FERRY_ASSIGN_OR_RETURN(IntList dims, c.Ints("shape"));
  if (!dims) return Status(Code::kBadModel, "attribute 'shape' is missing");
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(*dims));
  c.SetOutput(0, dtype, shape);
  return OkStatus();
}

inline Status ReferenceRandomNumbers(ReferenceContext& c, ir::RandomKind kind,
                                     const RandomNumbers& numbers) {
  FERRY_ASSIGN_OR_RETURN(Philox random, Philox::Of(c));
  const bool is_normal = kind == ir::RandomKind::kNormal;
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const auto at = static_cast<uint64_t>(i);
    const double drawn = is_normal ? random.Normal(at) : random.Uniform(at);
    c.Out(0).SetNumber(i, numbers.shift + numbers.scale * drawn);
  }
  return OkStatus();
}

inline Status LowerRandomNumbers(LowerContext& c, ir::RandomKind kind,
                                 const RandomNumbers& numbers) {
  c.ComputeInFloat();
  ir::RandomPrim prim;
  prim.kind = kind;
  FERRY_ASSIGN_OR_RETURN(prim.key, Philox::KeyOf(c));
  prim.shift = numbers.shift;
  prim.scale = numbers.scale;
  c.Emit(prim, {}, c.Out(0));
  return OkStatus();
}

}  // namespace ferry::ops
