// Reshape (ONNX): 0 keeps an extent, -1 is what is left.
#include "device-runtime/ops/shared/places/view.h"

namespace ferry::ops {
namespace {

Status InferReshape(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(auto given, c.IntsInput(1, "shape"));
  if (!given) return Status(Code::kBadModel, "no shape");
  FERRY_ASSIGN_OR_RETURN(int64_t allow_zero, c.Int("allowzero", 0));
  const Shape& x = c.InputShape(0);
  std::vector<int64_t> dims = *given;
  int free_axis = -1;
  int64_t known = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && allow_zero == 0) {
      if (static_cast<int>(i) >= x.rank()) {
        return Status::Of(Code::kShapeMismatch, "axis {} copies an extent that {} lacks", i,
                          x.ToString());
      }
      dims[i] = x[static_cast<int>(i)];
    }
    if (dims[i] == -1) {
      if (free_axis >= 0) return Status(Code::kShapeMismatch, "two extents are -1");
      free_axis = static_cast<int>(i);
    } else if (dims[i] < 0 || dims[i] > tensor::kMaxElements / std::max<int64_t>(known, 1)) {
      return Status::Of(Code::kShapeMismatch, "an extent of {}", dims[i]);
    } else {
      known *= dims[i];
    }
  }
  if (free_axis >= 0) {
    if (known == 0 || x.elements() % known != 0) {
      return Status::Of(Code::kShapeMismatch, "{} does not divide into the given extents",
                        x.ToString());
    }
    dims[static_cast<size_t>(free_axis)] = x.elements() / known;
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  if (shape.elements() != x.elements()) {
    return Status::Of(Code::kShapeMismatch, "{} cannot become {}", x.ToString(), shape.ToString());
  }
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

}  // namespace

extern const Op kReshapeOp;
const Op kReshapeOp = {"Reshape", 1, 2, 1, 1, InferReshape, ReferenceView, LowerView};

}  // namespace ferry::ops
