// RandomNormal (ONNX): numbers of a normal distribution with attributes `mean` and `scale`.
#include "device-runtime/ops/shared/numbers/random_numbers.h"

namespace ferry::ops {
namespace {

Result<RandomNumbers> RandomNormalOf(const NodeContext& c) {
  RandomNumbers numbers;
  FERRY_ASSIGN_OR_RETURN(numbers.shift, c.Float("mean", 0));
  FERRY_ASSIGN_OR_RETURN(numbers.scale, c.Float("scale", 1));
  return numbers;
}

Status ReferenceRandomNormal(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const RandomNumbers numbers, RandomNormalOf(c));
  return ReferenceRandomNumbers(c, ir::RandomKind::kNormal, numbers);
}

Status LowerRandomNormal(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const RandomNumbers numbers, RandomNormalOf(c));
  return LowerRandomNumbers(c, ir::RandomKind::kNormal, numbers);
}

}  // namespace

extern const Op kRandomNormalOp;
const Op kRandomNormalOp = {.name = "RandomNormal",
                            .min_inputs = 0,
                            .max_inputs = 0,
                            .min_outputs = 1,
                            .max_outputs = 1,
                            .infer = InferRandomNumbers,
                            .reference = ReferenceRandomNormal,
                            .lower = LowerRandomNormal,
                            .is_pure = false};

}  // namespace ferry::ops
