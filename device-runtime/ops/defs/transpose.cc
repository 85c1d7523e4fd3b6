// Transpose (ONNX): output axis i is input axis perm[i]; all axes reversed by default.
#include <algorithm>

#include "device-runtime/ops/shared/places/view.h"

namespace ferry::ops {
namespace {

Result<std::vector<int>> PermOf(const NodeContext& c) {
  const int rank = c.InputShape(0).rank();
  FERRY_ASSIGN_OR_RETURN(auto given, c.Ints("perm"));
  std::vector<int> perm;
  if (!given) {
    for (int axis = rank - 1; axis >= 0; --axis) perm.push_back(axis);
    return perm;
  }
  FERRY_ASSIGN_OR_RETURN(std::vector<int> sorted, NormalizeAxes(*given, rank));
  if (static_cast<int>(sorted.size()) != rank) {
    return Status::Of(Code::kShapeMismatch, "{} axes are permuted, the input has {}", sorted.size(),
                      rank);
  }
  for (int64_t axis : *given) perm.push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
  return perm;
}

Status InferTranspose(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(std::vector<int> perm, PermOf(c));
  std::vector<int64_t> dims;
  for (int axis : perm) dims.push_back(c.InputShape(0)[axis]);
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

Status ReferenceTranspose(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(std::vector<int> perm, PermOf(c));
  const Shape& out = c.Out(0).shape();
  for (int64_t i = 0; i < out.elements(); ++i) {
    const Index to = Unflatten(out, i);
    Index from{};
    for (size_t axis = 0; axis < perm.size(); ++axis)
      from[static_cast<size_t>(perm[axis])] = to[axis];
    CopyElement(c.In(0), Flatten(c.InputShape(0), from), c.Out(0), i);
  }
  return OkStatus();
}

// Whether the axes behind the first are rotated left by `by`.
bool IsRotated(const std::vector<int>& perm, int by) {
  const int count = static_cast<int>(perm.size()) - 1;
  if (perm[0] != 0) return false;
  for (int i = 0; i < count; ++i) {
    if (perm[static_cast<size_t>(i) + 1] != 1 + (i + by) % count) return false;
  }
  return true;
}

Status LowerTranspose(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(std::vector<int> perm, PermOf(c));
  const int rank = c.InputShape(0).rank();
  // Channels moved to the end or from there: the bytes of one layout are those of the other. (Of
  // three axes the last two may as well be rows and columns: those stay plain.)
  if (rank >= 3 && IsRotated(perm, 1) && c.IsChannelsLast(0)) {
    c.Alias(0, c.In(0, Layout::kChannelsLast));
    return OkStatus();
  }
  if (rank >= 4 && IsRotated(perm, rank - 2)) {
    c.Alias(0, c.In(0), Layout::kChannelsLast);
    return OkStatus();
  }
  ir::RasterPrim raster;
  raster.copies.push_back({0, Permuted(c.InputShape(0), perm)});
  const BufferId x = c.In(0);
  c.Emit(std::move(raster), {x}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kTransposeOp;
const Op kTransposeOp = {"Transpose",   1, 1, 1, 1, InferTranspose, ReferenceTranspose,
                         LowerTranspose};

}  // namespace ferry::ops
