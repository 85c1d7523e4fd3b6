// ArrayFeatureExtractor (ONNX's ML domain): elements of the last axis by index; a vector counts as
// one row.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandArrayFeatureExtractor(ExpandContext& c) {
  const Shape& x = c.InputShape(0);
  if (x.rank() == 0) return Status(Code::kShapeMismatch, "a scalar has no features");
  const ValueId indices = c.Reshape(c.In(1), std::vector<int64_t>{c.InputShape(1).elements()});
  ValueId data = c.In(0);
  if (x.rank() == 1) data = c.Reshape(data, std::vector<int64_t>{1, x[0]});
  c.SetOutput(0, c.Add("Gather", {data, indices}, {{"axis", int64_t{-1}}}));
  return OkStatus();
}

}  // namespace

extern const Op kArrayFeatureExtractorOp;
const Op kArrayFeatureExtractorOp = {.name = "ai.onnx.ml:ArrayFeatureExtractor",
                                     .min_inputs = 2,
                                     .max_inputs = 2,
                                     .min_outputs = 1,
                                     .max_outputs = 1,
                                     .expand = ExpandArrayFeatureExtractor};

}  // namespace ferry::ops
