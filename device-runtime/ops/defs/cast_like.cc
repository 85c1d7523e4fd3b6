// CastLike (ONNX): a Cast to the type of the second input.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status ExpandCastLike(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t saturate, c.Int("saturate", 1));
  FERRY_ASSIGN_OR_RETURN(std::string mode, c.Text("round_mode", "up"));
  c.SetOutput(0, c.Add("Cast", {c.In(0)},
                       {{"to", OnnxOfDType(c.Input(1).dtype)},
                        {"saturate", saturate},
                        {"round_mode", std::move(mode)}}));
  return OkStatus();
}

}  // namespace

extern const Op kCastLikeOp;
const Op kCastLikeOp = {.name = "CastLike",
                        .min_inputs = 2,
                        .max_inputs = 2,
                        .min_outputs = 1,
                        .max_outputs = 1,
                        .expand = ExpandCastLike};

}  // namespace ferry::ops
