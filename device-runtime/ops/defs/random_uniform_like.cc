// RandomUniformLike (ONNX): RandomUniform with the shape of a tensor.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/random_like.h"

namespace ferry::ops {
namespace {

Status ExpandRandomUniformLike(ExpandContext& c) {
  return ExpandRandomLike(c, "RandomUniform", "low", 0, "high", 1);
}

}  // namespace

extern const Op kRandomUniformLikeOp;
const Op kRandomUniformLikeOp = {.name = "RandomUniformLike",
                                 .min_inputs = 1,
                                 .max_inputs = 1,
                                 .min_outputs = 1,
                                 .max_outputs = 1,
                                 .expand = ExpandRandomUniformLike,
                                 .is_pure = false};

}  // namespace ferry::ops
