// Concat (ONNX) along `axis`.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/box.h"

namespace ferry::ops {
namespace {

Status InferConcat(InferContext& c) {
  const Shape& first = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(int axis, c.Axis(1, first.rank()));
  std::vector<int64_t> dims(first.dims().begin(), first.dims().end());
  for (int i = 1; i < c.input_count(); ++i) {
    if (!c.HasInput(i)) return Status::Of(Code::kBadModel, "input {} is missing", i);
    const Shape& shape = c.InputShape(i);
    bool fits = shape.rank() == first.rank() && c.Input(i).dtype == c.Input(0).dtype;
    for (int a = 0; fits && a < first.rank(); ++a) fits = a == axis || shape[a] == first[a];
    if (!fits) {
      return Status::Of(Code::kShapeMismatch, "input {} is {} {} behind {} {}", i,
                        tensor::DTypeName(c.Input(i).dtype), shape.ToString(),
                        tensor::DTypeName(c.Input(0).dtype), first.ToString());
    }
    dims[static_cast<size_t>(axis)] += shape[axis];
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

Status ReferenceConcat(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(int axis, c.Axis(1, c.InputShape(0).rank()));
  int64_t at = 0;
  for (int i = 0; i < c.input_count(); ++i) {
    Box box(c.InputShape(i));
    box.to_begin[static_cast<size_t>(axis)] = at;
    CopyBox(c.In(i), box, c.Out(0));
    at += c.InputShape(i)[axis];
  }
  return OkStatus();
}

Status LowerConcat(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(int axis, c.Axis(1, c.InputShape(0).rank()));
  bool last = false;
  for (int i = 0; i < c.input_count(); ++i) last = last || c.IsChannelsLast(i);
  const Layout layout = last ? Layout::kChannelsLast : Layout::kPlain;
  ir::RasterPrim raster;
  std::vector<BufferId> inputs;
  int64_t at = 0;
  for (int i = 0; i < c.input_count(); ++i) {
    Box box(c.InputShape(i));
    box.to_begin[static_cast<size_t>(axis)] = at;
    raster.copies.push_back({i, RegionOf(c.InputShape(i), c.OutputShape(0), box, layout)});
    inputs.push_back(c.In(i, layout));
    at += c.InputShape(i)[axis];
  }
  c.Emit(std::move(raster), std::move(inputs), c.Out(0, layout));
  return OkStatus();
}

}  // namespace

extern const Op kConcatOp;
const Op kConcatOp = {"Concat", 1, kAnyCount, 1, 1, InferConcat, ReferenceConcat, LowerConcat};

}  // namespace ferry::ops
