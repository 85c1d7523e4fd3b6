// Where (ONNX): x where the condition holds, else y; all broadcast.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

Status InferWhere(InferContext& c) {
  if (c.Input(0).dtype != DType::kBool || c.Input(1).dtype != c.Input(2).dtype) {
    return Status(Code::kShapeMismatch, "needs a bool condition and two inputs of one dtype");
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, tensor::BroadcastShapes(c.InputShape(0), c.InputShape(1)));
  FERRY_ASSIGN_OR_RETURN(shape, tensor::BroadcastShapes(shape, c.InputShape(2)));
  c.SetOutput(0, c.Input(1).dtype, shape);
  return OkStatus();
}

Status ReferenceWhere(ReferenceContext& c) {
  Tensor& out = c.Out(0);
  BroadcastIndex condition(c.InputShape(0), out.shape());
  BroadcastIndex x(c.InputShape(1), out.shape());
  BroadcastIndex y(c.InputShape(2), out.shape());
  for (int64_t i = 0; i < out.elements(); ++i) {
    const bool holds = c.In(0).Integer(condition(i)) != 0;
    CopyElement(c.In(holds ? 1 : 2), holds ? x(i) : y(i), out, i);
  }
  return OkStatus();
}

Status LowerWhere(LowerContext& c) {
  if (c.Input(1).dtype == DType::kString) {
    c.EmitHost();
    return OkStatus();
  }
  MapBuilder map(c, c.OutputShape(0));
  const MapBuilder::Value x = map.Input(1);
  map.Output(0, map.Call("Select", map.Convert(map.Input(0), x.type), x, map.Input(2)));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kWhereOp;
const Op kWhereOp = {"Where", 3, 3, 1, 1, InferWhere, ReferenceWhere, LowerWhere};

}  // namespace ferry::ops
