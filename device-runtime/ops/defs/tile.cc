// Tile (ONNX): repeats along each axis; before opset 6 `tiles` along one.
#include <algorithm>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Result<std::vector<int64_t>> RepeatsOf(const NodeContext& c) {
  const int rank = c.InputShape(0).rank();
  FERRY_ASSIGN_OR_RETURN(auto repeats, c.IntsInput(1, "repeats"));
  if (c.version() < 6 || c.HasInput(2)) {
    FERRY_ASSIGN_OR_RETURN(auto axis, c.IntsInput(2, "axis"));
    if (!repeats || !axis || repeats->size() != 1 || axis->size() != 1) {
      return Status(Code::kShapeMismatch, "needs one count and one axis");
    }
    FERRY_ASSIGN_OR_RETURN(const int at, tensor::NormalizeAxis((*axis)[0], rank));
    std::vector<int64_t> each(static_cast<size_t>(rank), 1);
    each[static_cast<size_t>(at)] = (*repeats)[0];
    return each;
  }
  if (!repeats || static_cast<int>(repeats->size()) != rank) {
    return Status::Of(Code::kShapeMismatch, "{} needs {} repeats", c.InputShape(0).ToString(),
                      rank);
  }
  return *repeats;
}

Status ExpandTile(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<int64_t> repeats, RepeatsOf(c));
  const Shape& x = c.InputShape(0);
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  ir::ValueId y = c.Add("Identity", {c.In(0)});
  // From the innermost axis on: [outer, 1, inner] is repeated along its middle.
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    const auto i = static_cast<size_t>(axis);
    if (repeats[i] == 1) continue;
    if (repeats[i] < 0 || repeats[i] > tensor::kMaxElements / std::max<int64_t>(dims[i], 1)) {
      return Status::Of(Code::kShapeMismatch, "axis {} is repeated {} times", axis, repeats[i]);
    }
    const int64_t outer = x.Product(0, axis);
    const int64_t inner = Shape(c.ShapeOf(y)).Product(axis, x.rank());
    const ir::ValueId column = c.Reshape(y, std::vector<int64_t>{outer, 1, inner});
    const ir::ValueId wide = c.Add("Expand", {column, c.Ints({outer, repeats[i], inner})});
    dims[i] *= repeats[i];
    y = c.Reshape(wide, dims);
  }
  c.SetOutput(0, y);
  return OkStatus();
}

}  // namespace

extern const Op kTileOp;
const Op kTileOp = {.name = "Tile",
                    .min_inputs = 2,
                    .max_inputs = 3,
                    .min_outputs = 1,
                    .max_outputs = 1,
                    .expand = ExpandTile};

}  // namespace ferry::ops
