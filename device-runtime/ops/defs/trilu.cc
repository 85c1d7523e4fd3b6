// Trilu (ONNX): the upper or lower triangle of matrices from diagonal k on, 0 elsewhere.
#include <algorithm>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"
#include "device-runtime/ops/shared/places/grid.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

Status InferTrilu(InferContext& c) {
  if (c.InputShape(0).rank() < 2) {
    return Status::Of(Code::kShapeMismatch, "{} is no matrix", c.InputShape(0).ToString());
  }
  if (c.HasInput(1)) FERRY_TRY(CheckOneInteger(c, 1));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceTrilu(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t upper, c.Int("upper", 1));
  // Far diagonals are all alike; the sums below stay small.
  const int64_t k =
      c.HasInput(1) ? std::clamp(c.In(1).Integer(0), -tensor::kMaxElements, tensor::kMaxElements)
                    : 0;
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Zeros(c.Input(0).dtype, {}));
  for (int64_t i = 0; i < x.elements(); ++i) {
    const int64_t column = i % x[x.rank() - 1];
    const int64_t row = i / x[x.rank() - 1] % x[x.rank() - 2];
    const bool keeps = upper != 0 ? column >= row + k : column <= row + k;
    CopyElement(keeps ? c.In(0) : zero, keeps ? i : 0, c.Out(0), i);
  }
  return OkStatus();
}

Status LowerTrilu(LowerContext& c) {
  const DType dtype = c.Input(0).dtype;
  if (dtype == DType::kString) return c.EmitHost(), OkStatus();
  FERRY_ASSIGN_OR_RETURN(const int64_t upper, c.Int("upper", 1));
  const Shape& x = c.InputShape(0);
  const int64_t rows = x[x.rank() - 2], columns = x[x.rank() - 1];
  FERRY_ASSIGN_OR_RETURN(const Shape shape,
                         Shape::Make(std::array{x.Product(0, x.rank() - 2), rows, columns}));
  FERRY_ASSIGN_OR_RETURN(const BufferId counting, Counting(c, std::max(rows, columns)));
  const BufferId in = c.In(0);
  const BufferId shift = c.HasInput(1) ? c.In(1) : -1;
  MapBuilder map(c, shape, Layout::kPlain);
  const auto wide = ir::MapType::kI64;
  const auto row = map.Buffer(counting, DType::kI64, tensor::Strides{0, 1, 0});
  const auto column = map.Buffer(counting, DType::kI64, tensor::Strides{0, 0, 1});
  auto first = row;
  if (shift >= 0) {  // far diagonals are all alike
    auto k = map.Convert(map.Buffer(shift, c.Input(1).dtype, tensor::Strides{}), wide);
    k = map.Call("Max", k, map.Integer(wide, -tensor::kMaxElements));
    k = map.Call("Min", k, map.Integer(wide, tensor::kMaxElements));
    first = map.Call("Add", row, k);
  }
  const auto keeps =
      upper != 0 ? map.Call("LessOrEqual", first, column) : map.Call("LessOrEqual", column, first);
  const auto value = map.Buffer(in, dtype, shape);
  map.Output(0, map.Call("Select", map.Convert(keeps, value.type), value, map.Number(value, 0)));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kTriluOp;
const Op kTriluOp = {"Trilu", 1, 2, 1, 1, InferTrilu, ReferenceTrilu, LowerTrilu};

}  // namespace ferry::ops
