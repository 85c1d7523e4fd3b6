// Upsample (ONNX, opsets 1 to 9): Resize as opset 10 has it. Scales are an input, or attributes
// `scales` (opset 7) or `height_scale` and `width_scale` (opset 1).
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Result<ValueId> ScalesOf(ExpandContext& c) {
  if (c.HasInput(1)) {
    FERRY_TRY(c.KnownInput(1));  // Resize needs it
    return c.In(1);
  }
  FERRY_ASSIGN_OR_RETURN(std::vector<float> scales, c.Floats("scales"));
  if (scales.empty()) {
    FERRY_ASSIGN_OR_RETURN(const float height, c.Float("height_scale", 1));
    FERRY_ASSIGN_OR_RETURN(const float width, c.Float("width_scale", 1));
    scales = {1, 1, height, width};
  }
  FERRY_ASSIGN_OR_RETURN(Tensor tensor,
                         Tensor::Of<float>({static_cast<int64_t>(scales.size())}, scales));
  return c.Constant(std::move(tensor));
}

Status ExpandUpsample(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(const ValueId scales, ScalesOf(c));
  FERRY_ASSIGN_OR_RETURN(std::string mode, c.Text("mode", "nearest"));
  c.SetOutput(0, c.Add("Resize", {c.In(0), ir::kNoValue, scales},
                       {{"mode", mode},
                        {"coordinate_transformation_mode", std::string("asymmetric")},
                        {"nearest_mode", std::string("floor")}}));
  return OkStatus();
}

}  // namespace

extern const Op kUpsampleOp;
const Op kUpsampleOp = {
    .name = "Upsample",
    .min_inputs = 1,
    .max_inputs = 2,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandUpsample,
};

}  // namespace ferry::ops
