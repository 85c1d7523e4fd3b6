// BlackmanWindow (ONNX).
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/cosine_window.h"

namespace ferry::ops {
namespace {

Status ExpandBlackmanWindow(ExpandContext& c) {
  return ExpandCosineWindow(c, 0.42, 0.5, 0.08);
}

}  // namespace

extern const Op kBlackmanWindowOp;
const Op kBlackmanWindowOp = {.name = "BlackmanWindow",
                              .min_inputs = 1,
                              .max_inputs = 1,
                              .min_outputs = 1,
                              .max_outputs = 1,
                              .expand = ExpandBlackmanWindow};

}  // namespace ferry::ops
