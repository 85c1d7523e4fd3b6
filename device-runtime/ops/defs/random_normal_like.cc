// RandomNormalLike (ONNX): RandomNormal with the shape of a tensor.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/random_like.h"

namespace ferry::ops {
namespace {

Status ExpandRandomNormalLike(ExpandContext& c) {
  return ExpandRandomLike(c, "RandomNormal", "mean", 0, "scale", 1);
}

}  // namespace

extern const Op kRandomNormalLikeOp;
const Op kRandomNormalLikeOp = {.name = "RandomNormalLike",
                                .min_inputs = 1,
                                .max_inputs = 1,
                                .min_outputs = 1,
                                .max_outputs = 1,
                                .expand = ExpandRandomNormalLike,
                                .is_pure = false};

}  // namespace ferry::ops
