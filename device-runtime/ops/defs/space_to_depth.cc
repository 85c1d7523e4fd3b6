// SpaceToDepth (ONNX): blocks of pixels to channels, the block's place outside.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

// Far above real ones; products of it and a few extents fit int64.
constexpr int64_t kMaxBlock = 2048;

Status ExpandSpaceToDepth(ExpandContext& c) {
  const Shape x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int64_t block, c.Int("blocksize", 0));
  FERRY_ASSIGN_OR_RETURN(const std::string mode, c.Text("mode", "DCR"));
  if (mode != "DCR" && mode != "CRD") return Status::Of(Code::kBadModel, "mode '{}'", mode);
  if (x.rank() != 4 || block < 1 || block > kMaxBlock || x[2] % block != 0 || x[3] % block != 0) {
    return Status::Of(Code::kShapeMismatch, "blocks of {} for {}", block, x.ToString());
  }
  const int64_t high = x[2] / block;
  const int64_t wide = x[3] / block;
  ir::ValueId y = c.Reshape(c.In(0), std::vector<int64_t>{x[0], x[1], high, block, wide, block});
  y = c.Transpose(y, mode == "DCR" ? std::vector<int64_t>{0, 3, 5, 1, 2, 4}
                                   : std::vector<int64_t>{0, 1, 3, 5, 2, 4});
  const int64_t depth = x[1] * block * block;
  c.SetOutput(0, c.Reshape(y, std::vector<int64_t>{x[0], depth, high, wide}));
  return OkStatus();
}

}  // namespace

extern const Op kSpaceToDepthOp;
const Op kSpaceToDepthOp = {.name = "SpaceToDepth",
                            .min_inputs = 1,
                            .max_inputs = 1,
                            .min_outputs = 1,
                            .max_outputs = 1,
                            .expand = ExpandSpaceToDepth};

}  // namespace ferry::ops
