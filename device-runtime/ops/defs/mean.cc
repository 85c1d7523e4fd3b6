// Mean (ONNX) of any number of tensors that broadcast.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {
namespace {

Status ExpandMean(ExpandContext& c) {
  std::vector<ir::ValueId> inputs;
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.HasInput(i)) return Status::Of(Code::kBadModel, "input {} is missing", i);
    FERRY_TRY(CheckKinds(c, i, Kinds::Float));
    inputs.push_back(c.In(i));
  }
  const ir::ValueId sum = c.Add("Sum", inputs);
  const ir::ValueId count = c.Number(c.TypeOf(sum), static_cast<double>(inputs.size()));
  c.SetOutput(0, c.Add("Div", {sum, count}));
  return OkStatus();
}

}  // namespace

extern const Op kMeanOp;
const Op kMeanOp = {.name = "Mean",
                    .min_inputs = 1,
                    .max_inputs = kAnyCount,
                    .min_outputs = 1,
                    .max_outputs = 1,
                    .expand = ExpandMean};

}  // namespace ferry::ops
