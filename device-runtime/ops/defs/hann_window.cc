// HannWindow (ONNX).
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/cosine_window.h"

namespace ferry::ops {
namespace {

Status ExpandHannWindow(ExpandContext& c) {
  return ExpandCosineWindow(c, 0.5, 0.5, 0);
}

}  // namespace

extern const Op kHannWindowOp;
const Op kHannWindowOp = {.name = "HannWindow",
                          .min_inputs = 1,
                          .max_inputs = 1,
                          .min_outputs = 1,
                          .max_outputs = 1,
                          .expand = ExpandHannWindow};

}  // namespace ferry::ops
