#include "device-runtime/bindings/types/tensor.h"

namespace ferry::bindings {
namespace {

using tensor::Shape;
using tensor::Tensor;
using vm::NativeFunction;

const Tensor& Self(CallContext& c) {
  return *static_cast<const Tensor*>(c.Payload(c.arg(0), TensorType()));
}

Result<Value> GetShape(CallContext& c) {
  std::vector<Value> dims;
  for (const int64_t extent : Self(c).shape().dims()) {
    FERRY_ASSIGN_OR_RETURN(Value value, c.Int(extent));
    dims.push_back(value);
  }
  return c.Tuple(dims);
}

Result<Value> GetDType(CallContext& c) {
  return c.String(tensor::DTypeName(Self(c).dtype()));
}

Result<Value> GetSize(CallContext& c) {
  return c.Int(Self(c).elements());
}

Result<Value> ToListMethod(CallContext& c) {
  FERRY_TRY(c.Expect(1, 1));
  return ToList(c, Self(c));
}

Result<Value> Item(CallContext& c) {
  FERRY_TRY(c.Expect(1, 1));
  if (Self(c).elements() != 1)
    return Status::Of(Code::kInvalidArgument, "item() of {} elements", Self(c).elements());
  FERRY_ASSIGN_OR_RETURN(Tensor scalar, Self(c).Reshaped(Shape()));
  return ToList(c, scalar);
}

Result<Value> Reshape(CallContext& c) {
  FERRY_TRY(c.Expect(2, 2));
  FERRY_ASSIGN_OR_RETURN(Shape shape, AsShape(c, c.arg(1)));
  FERRY_ASSIGN_OR_RETURN(Tensor out, Self(c).Reshaped(shape));
  return NewTensor(c, std::move(out), false);
}

// The place of the first largest element, counted over all elements.
Result<Value> ArgMax(CallContext& c) {
  FERRY_TRY(c.Expect(1, 1));
  const Tensor& tensor = Self(c);
  if (tensor.elements() == 0) return Status(Code::kInvalidArgument, "argmax() of no elements");
  FERRY_TRY(c.Charge(tensor.elements()));
  int64_t best = 0;
  for (int64_t k = 1; k < tensor.elements(); ++k)
    if (tensor.Number(k) > tensor.Number(best)) best = k;
  return c.Int(best);
}

Result<Value> Length(CallContext& c) {
  if (Self(c).shape().rank() == 0) return c.Raise("TypeError", "a tensor of rank 0 has no length");
  return c.Int(Self(c).shape()[0]);
}

// t[i]: what lies at place i of the first axis, sharing the elements.
Result<Value> GetItem(CallContext& c) {
  FERRY_TRY(c.Expect(2, 2));
  const Tensor tensor = Self(c);
  if (tensor.shape().rank() == 0) return c.Raise("IndexError", "a tensor of rank 0 has no items");
  FERRY_ASSIGN_OR_RETURN(int64_t index, c.AsInt(c.arg(1), "index"));
  const int64_t extent = tensor.shape()[0];
  if (index < 0) index += extent;
  if (index < 0 || index >= extent) return c.Raise("IndexError", "tensor index out of range");
  FERRY_ASSIGN_OR_RETURN(Shape inner, Shape::Make(tensor.shape().dims().subspan(1)));
  const auto step = static_cast<int64_t>(DTypeSize(tensor.dtype())) * inner.elements();
  const auto owner = std::make_shared<const Tensor>(tensor);
  Tensor part = Tensor::View(tensor.dtype(), inner, tensor.raw() + index * step, owner);
  if (inner.rank() == 0) return ToList(c, part);
  return NewTensor(c, std::move(part), false);
}

Result<Value> Repr(CallContext& c) {
  return c.String("Tensor(" + Self(c).TypeText() + ")");
}

void Finalize(void* payload) {
  delete static_cast<Tensor*>(payload);
}

constexpr NativeFunction kMethods[] = {
    {"tolist", ToListMethod}, {"item", Item},           {"reshape", Reshape}, {"argmax", ArgMax},
    {"__len__", Length},      {"__getitem__", GetItem}, {"__repr__", Repr}};
constexpr NativeFunction kProperties[] = {
    {"shape", GetShape}, {"dtype", GetDType}, {"size", GetSize}};
const vm::NativeType kType = {"Tensor", kMethods, kProperties, Finalize};

}  // namespace

const vm::NativeType& TensorType() {
  return kType;
}

Result<Value> NewTensor(CallContext& c, Tensor tensor, bool counted) {
  const auto bytes = counted ? static_cast<size_t>(tensor.size_bytes()) : 0;
  return c.NewNative(kType, new Tensor(std::move(tensor)), bytes);
}

Result<Tensor> AsTensor(CallContext& c, Value value, std::string_view what) {
  const auto* tensor = static_cast<const Tensor*>(c.Payload(value, kType));
  if (tensor == nullptr)
    return c.Raise("TypeError", fmt::format("{} is no tensor; engine.tensor makes one", what));
  return *tensor;
}

}  // namespace ferry::bindings
