// ferry.engine: engine.load(name) -> Model, engine.tensor(values, shape=None, dtype="f32") ->
// Tensor.
#include "device-runtime/bindings/modules.h"
#include "device-runtime/bindings/types/model.h"
#include "device-runtime/bindings/types/tensor.h"

namespace ferry::bindings {
namespace {

Result<Value> Load(CallContext& c) {
  FERRY_TRY(c.Expect(1, 1));
  FERRY_ASSIGN_OR_RETURN(std::string_view name, c.AsString(c.arg(0), "the name of a model"));
  FERRY_ASSIGN_OR_RETURN(auto model, HostOf(c).LoadModel(name));
  return NewModel(c, std::move(model));
}

Result<Value> MakeTensor(CallContext& c) {
  static constexpr const char* kNames[] = {"values", "shape", "dtype"};
  Value args[3];
  FERRY_TRY(c.Bind(kNames, 1, args));
  tensor::DType dtype = tensor::DType::kF32;
  if (!args[2].empty()) {
    FERRY_ASSIGN_OR_RETURN(std::string_view name, c.AsString(args[2], "dtype"));
    FERRY_ASSIGN_OR_RETURN(dtype, tensor::ParseDType(name));
  }
  tensor::Shape shape;
  const bool shaped = !args[1].empty() && !args[1].IsNone();
  if (shaped) {
    FERRY_ASSIGN_OR_RETURN(shape, AsShape(c, args[1]));
  }
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor tensor,
                         TensorFromValue(c, args[0], shaped ? &shape : nullptr, dtype));
  return NewTensor(c, std::move(tensor));
}

constexpr vm::NativeFunction kEngineFunctions[] = {{"load", Load}, {"tensor", MakeTensor}};

}  // namespace

const vm::NativeModule& EngineModule() {
  static const vm::NativeType* const kTypes[] = {&ModelType(), &TensorType()};
  static const vm::NativeModule kModule = {"ferry.engine", kEngineFunctions, kTypes};
  return kModule;
}

}  // namespace ferry::bindings
