// HammingWindow (ONNX).
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/cosine_window.h"

namespace ferry::ops {
namespace {

Status ExpandHammingWindow(ExpandContext& c) {
  return ExpandCosineWindow(c, 25.0 / 46, 21.0 / 46, 0);
}

}  // namespace

extern const Op kHammingWindowOp;
const Op kHammingWindowOp = {.name = "HammingWindow",
                             .min_inputs = 1,
                             .max_inputs = 1,
                             .min_outputs = 1,
                             .max_outputs = 1,
                             .expand = ExpandHammingWindow};

}  // namespace ferry::ops
