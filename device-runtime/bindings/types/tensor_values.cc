#include "device-runtime/bindings/modules.h"
#include "device-runtime/bindings/types/tensor.h"

namespace ferry::bindings {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

bool IsNumber(Value v) {
  return v.IsFloat() || v.IsSmallInt() || v.IsBool();
}

// Extents of nested lists, by their first elements.
Result<std::vector<int64_t>> ExtentsOf(CallContext& c, Value value) {
  std::vector<int64_t> dims;
  while (!IsNumber(value)) {
    if (dims.size() == tensor::kMaxRank)
      return Status::Of(Code::kInvalidArgument, "lists nested deeper than {}", tensor::kMaxRank);
    FERRY_ASSIGN_OR_RETURN(auto items, c.AsSequence(value, "values"));
    dims.push_back(static_cast<int64_t>(items.size()));
    if (items.empty()) break;
    value = items[0];
  }
  return dims;
}

// Fills `out` from `at` on with the numbers of nested lists whose extents are dims[axis..].
Status Fill(CallContext& c, Value value, std::span<const int64_t> dims, size_t axis, Tensor* out,
            int64_t* at) {
  if (axis == dims.size()) {
    FERRY_ASSIGN_OR_RETURN(double number, c.AsNumber(value, "values"));
    out->SetNumber((*at)++, number);
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(auto items, c.AsSequence(value, "values"));
  if (static_cast<int64_t>(items.size()) != dims[axis])
    return Status::Of(Code::kInvalidArgument, "a list of {} values among lists of {}", items.size(),
                      dims[axis]);
  for (const Value item : items) FERRY_TRY(Fill(c, item, dims, axis + 1, out, at));
  return OkStatus();
}

Result<Value> ElementOf(CallContext& c, const Tensor& tensor, int64_t index) {
  if (tensor.dtype() == DType::kBool) return Value::Bool(tensor.Integer(index) != 0);
  if (tensor::IsFloat(tensor.dtype())) return c.Number(tensor.Number(index));
  return c.Int(tensor.Integer(index));
}

Result<Value> ListFrom(CallContext& c, const Tensor& tensor, int axis, int64_t* at) {
  if (axis == tensor.shape().rank()) return ElementOf(c, tensor, (*at)++);
  std::vector<Value> items;
  for (int64_t k = 0; k < tensor.shape()[axis]; ++k) {
    FERRY_ASSIGN_OR_RETURN(Value item, ListFrom(c, tensor, axis + 1, at));
    items.push_back(item);
  }
  return c.List(items);
}

}  // namespace

Result<Shape> AsShape(CallContext& c, Value value) {
  std::vector<int64_t> dims;
  if (value.IsSmallInt()) {
    dims.push_back(value.AsSmallInt());
  } else {
    FERRY_ASSIGN_OR_RETURN(auto items, c.AsSequence(value, "shape"));
    for (const Value item : items) {
      FERRY_ASSIGN_OR_RETURN(int64_t extent, c.AsInt(item, "shape"));
      dims.push_back(extent);
    }
  }
  return Shape::Make(dims);
}

Result<Tensor> TensorFromValue(CallContext& c, Value value, const Shape* shape, DType dtype) {
  FERRY_ASSIGN_OR_RETURN(std::vector<int64_t> dims, ExtentsOf(c, value));
  FERRY_ASSIGN_OR_RETURN(Shape given, Shape::Make(dims));
  if (shape != nullptr && shape->elements() != given.elements())
    return Status::Of(Code::kShapeMismatch, "{} values do not fill the shape {}", given.elements(),
                      shape->ToString());
  FERRY_TRY(c.Charge(given.elements()));
  FERRY_TRY(c.ReserveExternal(static_cast<size_t>(given.elements()) * DTypeSize(dtype)));
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype, given, HostOf(c).Budget()));
  int64_t at = 0;
  FERRY_TRY(Fill(c, value, given.dims(), 0, &out, &at));
  return shape != nullptr ? out.Reshaped(*shape) : out;
}

Result<Value> ToList(CallContext& c, const Tensor& tensor) {
  FERRY_TRY(c.Charge(tensor.elements()));
  int64_t at = 0;
  return ListFrom(c, tensor, 0, &at);
}

}  // namespace ferry::bindings
