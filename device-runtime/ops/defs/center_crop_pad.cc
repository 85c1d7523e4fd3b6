// CenterCropPad (ONNX): crops or pads (with 0) each axis to an extent, around its middle.
#include <algorithm>
#include <numeric>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status ExpandCenterCropPad(ExpandContext& c) {
  const Shape x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(auto extents, c.IntsInput(1, "shape"));
  FERRY_ASSIGN_OR_RETURN(auto axes, c.NodeContext::Ints("axes"));
  if (!axes) {
    axes = IntList(std::vector<int64_t>(static_cast<size_t>(x.rank())));
    std::iota(axes->begin(), axes->end(), 0);
  }
  FERRY_TRY(NormalizeAxes(*axes, x.rank()));  // refuses repeats
  if (!extents || extents->size() != axes->size()) {
    return Status(Code::kShapeMismatch, "needs an extent for each axis");
  }
  const auto rank = static_cast<size_t>(x.rank());
  std::vector<int64_t> starts(rank, 0), ends(x.dims().begin(), x.dims().end()), pads(2 * rank, 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(const int axis, tensor::NormalizeAxis((*axes)[i], x.rank()));
    const auto at = static_cast<size_t>(axis);
    const int64_t extent = (*extents)[i];
    if (extent < 0 || extent > tensor::kMaxElements) {
      return Status::Of(Code::kShapeMismatch, "an extent of {}", extent);
    }
    const int64_t kept = std::min(extent, x[axis]);
    starts[at] = (x[axis] - kept) / 2;
    ends[at] = starts[at] + kept;
    pads[at] = (extent - kept) / 2;
    pads[rank + at] = extent - kept - pads[at];
  }
  const ir::ValueId cropped = c.Add("Slice", {c.In(0), c.Ints(starts), c.Ints(ends)});
  c.SetOutput(0, c.Add("Pad", {cropped, c.Ints(pads)}));
  return OkStatus();
}

}  // namespace

extern const Op kCenterCropPadOp;
const Op kCenterCropPadOp = {.name = "CenterCropPad",
                             .min_inputs = 2,
                             .max_inputs = 2,
                             .min_outputs = 1,
                             .max_outputs = 1,
                             .expand = ExpandCenterCropPad};

}  // namespace ferry::ops
