// DepthToSpace (ONNX): channels to blocks of pixels; mode DCR takes the block's place from the
// channels' outer part, CRD from the inner one.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

// Far above real ones; products of it and a few extents fit int64.
constexpr int64_t kMaxBlock = 2048;

Status ExpandDepthToSpace(ExpandContext& c) {
  const Shape x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int64_t block, c.Int("blocksize", 0));
  FERRY_ASSIGN_OR_RETURN(const std::string mode, c.Text("mode", "DCR"));
  if (mode != "DCR" && mode != "CRD") return Status::Of(Code::kBadModel, "mode '{}'", mode);
  if (x.rank() != 4 || block < 1 || block > kMaxBlock || x[1] % (block * block) != 0) {
    return Status::Of(Code::kShapeMismatch, "blocks of {} for {}", block, x.ToString());
  }
  const int64_t depth = x[1] / (block * block);
  ir::ValueId y;
  if (mode == "DCR") {
    y = c.Reshape(c.In(0), std::vector<int64_t>{x[0], block, block, depth, x[2], x[3]});
    y = c.Transpose(y, {0, 3, 4, 1, 5, 2});
  } else {
    y = c.Reshape(c.In(0), std::vector<int64_t>{x[0], depth, block, block, x[2], x[3]});
    y = c.Transpose(y, {0, 1, 4, 2, 5, 3});
  }
  c.SetOutput(0, c.Reshape(y, std::vector<int64_t>{x[0], depth, x[2] * block, x[3] * block}));
  return OkStatus();
}

}  // namespace

extern const Op kDepthToSpaceOp;
const Op kDepthToSpaceOp = {.name = "DepthToSpace",
                            .min_inputs = 1,
                            .max_inputs = 1,
                            .min_outputs = 1,
                            .max_outputs = 1,
                            .expand = ExpandDepthToSpace};

}  // namespace ferry::ops
