// RandomUniform (ONNX): numbers evenly spread over [`low`, `high`).
#include "device-runtime/ops/shared/numbers/random_numbers.h"

namespace ferry::ops {
namespace {

Result<RandomNumbers> RandomUniformOf(const NodeContext& c) {
  FERRY_ASSIGN_OR_RETURN(const double low, c.Float("low", 0));
  FERRY_ASSIGN_OR_RETURN(const double high, c.Float("high", 1));
  return RandomNumbers{low, high - low};
}

Status ReferenceRandomUniform(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const RandomNumbers numbers, RandomUniformOf(c));
  return ReferenceRandomNumbers(c, ir::RandomKind::kUniform, numbers);
}

Status LowerRandomUniform(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const RandomNumbers numbers, RandomUniformOf(c));
  return LowerRandomNumbers(c, ir::RandomKind::kUniform, numbers);
}

}  // namespace

extern const Op kRandomUniformOp;
const Op kRandomUniformOp = {.name = "RandomUniform",
                             .min_inputs = 0,
                             .max_inputs = 0,
                             .min_outputs = 1,
                             .max_outputs = 1,
                             .infer = InferRandomNumbers,
                             .reference = ReferenceRandomUniform,
                             .lower = LowerRandomUniform,
                             .is_pure = false};

}  // namespace ferry::ops
