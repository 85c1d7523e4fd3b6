// OneHot (ONNX): values[1] at each index along a new axis of `depth`, values[0] elsewhere.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"
#include "device-runtime/ops/shared/places/grid.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

Status InferOneHot(InferContext& c) {
  const Shape& indices = c.InputShape(0);
  FERRY_TRY(CheckKinds(c, 0, Kinds::Number));
  FERRY_TRY(CheckKinds(c, 1, Kinds::Number));
  if (c.InputShape(1).elements() != 1 || c.InputShape(2).elements() != 2) {
    return Status(Code::kShapeMismatch, "needs one depth and two values");
  }
  FERRY_ASSIGN_OR_RETURN(const Tensor* depth, c.KnownInput(1));
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, indices.rank() + 1));
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end());
  const double extent = depth->Number(0);
  if (!(extent >= 0 && extent <= static_cast<double>(tensor::kMaxElements))) {
    return Status::Of(Code::kShapeMismatch, "a depth of {}", extent);
  }
  dims.insert(dims.begin() + axis, static_cast<int64_t>(extent));
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(2).dtype, shape);
  return OkStatus();
}

Status ReferenceOneHot(ReferenceContext& c) {
  Tensor& y = c.Out(0);
  const Tensor& indices = c.In(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, indices.shape().rank() + 1));
  const int64_t depth = y.shape()[axis];
  const bool wraps = c.version() >= 11;  // negative indices count from the end
  const int64_t inner = y.shape().Product(axis + 1, y.shape().rank());
  for (int64_t i = 0; i < y.elements(); ++i) CopyElement(c.In(2), 0, y, i);
  for (int64_t i = 0; i < indices.elements(); ++i) {
    const double number = indices.Number(i);
    if (!(std::abs(number) <= static_cast<double>(depth))) continue;
    auto hot = static_cast<int64_t>(number);
    if (hot >= depth || hot < (wraps ? -depth : 0)) continue;
    if (hot < 0) hot += depth;
    CopyElement(c.In(2), 1, y, (i / inner * depth + hot) * inner + i % inner);
  }
  return OkStatus();
}

// Which of the two values stands at each place: 0 or 1, as i64.
MapBuilder::Value IsHot(LowerContext& c, MapBuilder& map, BufferId in, BufferId counting,
                        int64_t depth, int64_t inner) {
  const auto wide = ir::MapType::kI64;
  auto index = map.Buffer(in, c.Input(0).dtype, tensor::Strides{inner, 0, 1});
  if (tensor::IsFloat(c.Input(0).dtype)) {  // what is far outside, or no number, is nowhere
    const auto limit = map.Number(index, static_cast<double>(depth));
    const auto near = map.Call("LessOrEqual", map.Call("Abs", index), limit);
    index = map.Call("Select", near, index, limit);
  }
  index = map.Convert(index, wide);
  if (c.version() >= 11) {  // negative indices count from the end
    index = map.Call("Select", map.Call("Less", index, map.Integer(wide, 0)),
                     map.Call("Add", index, map.Integer(wide, depth)), index);
  }
  const auto place = map.Buffer(counting, DType::kI64, tensor::Strides{0, 1, 0});
  return map.Call("Equal", index, place);
}

// Each place of the new axis compared with the index; the value is gathered.
Status LowerOneHot(LowerContext& c) {
  const Shape& y = c.OutputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, c.InputShape(0).rank() + 1));
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::array{y.Product(0, axis), y[axis],
                                                                   y.Product(axis + 1, y.rank())}));
  FERRY_ASSIGN_OR_RETURN(const BufferId counting, Counting(c, y[axis]));
  const DType dtype = c.Input(2).dtype;
  const BufferId in = c.In(0), values = c.In(2);
  MapBuilder map(c, shape, Layout::kPlain);
  const auto hot = IsHot(c, map, in, counting, y[axis], shape[2]);
  if (dtype == DType::kString) {
    const BufferId which = map.EmitNew(DType::kI64, hot);
    ir::IndexGrid grid;
    grid.rank = 1;
    grid.depth = 1;
    grid.size = {y.elements()};
    grid.index_stride = {1};
    grid.extent = {2};
    grid.extent_stride = {1};
    c.Emit(ir::GatherPrim{grid}, {values, which}, c.Out(0));
    return OkStatus();
  }
  // Seen as [off, on] and, one element later, as [on].
  ir::Region second;
  second.from = 1;
  const BufferId on = c.Moved(values, dtype, Shape(), second);
  const auto off = map.Buffer(values, dtype, tensor::Strides{});
  map.Output(0, map.Call("Select", map.Convert(hot, off.type),
                         map.Buffer(on, dtype, tensor::Strides{}), off));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kOneHotOp;
const Op kOneHotOp = {"OneHot", 3, 3, 1, 1, InferOneHot, ReferenceOneHot, LowerOneHot};

}  // namespace ferry::ops
