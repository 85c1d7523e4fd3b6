#include "device-runtime/bindings/types/model.h"

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "device-runtime/bindings/modules.h"
#include "device-runtime/bindings/types/tensor.h"

namespace ferry::bindings {
namespace {

// What a run counts against the limit of steps, beside one for each element that goes in or out: a
// loop of runs ends like any other.
constexpr int64_t kRunSteps = 1000;

engine::Session& Self(CallContext& c) {
  return *static_cast<engine::Session*>(c.Payload(c.arg(0), ModelType()));
}

Result<Value> DescribeAll(CallContext& c, std::span<const engine::IoInfo> infos) {
  Json out = Json::array();
  for (const engine::IoInfo& info : infos)
    out.push_back({{"name", info.name},
                   {"dtype", tensor::DTypeName(info.dtype)},
                   {"shape", info.has_shape ? Json(info.dims) : Json(nullptr)}});
  return c.FromJson(out);
}

Result<Value> Inputs(CallContext& c) {
  return DescribeAll(c, Self(c).model().inputs());
}
Result<Value> Outputs(CallContext& c) {
  return DescribeAll(c, Self(c).model().outputs());
}

Result<Value> Run(CallContext& c) {
  FERRY_TRY(c.Expect(2, 2));
  FERRY_ASSIGN_OR_RETURN(auto items, c.AsItems(c.arg(1), "the inputs of run"));
  std::vector<engine::NamedTensor> inputs;
  int64_t elements = 0;
  for (auto& [name, value] : items) {
    FERRY_ASSIGN_OR_RETURN(tensor::Tensor tensor, AsTensor(c, value, "input " + name));
    elements += tensor.elements();
    inputs.push_back({std::move(name), std::move(tensor)});
  }
  FERRY_TRY(c.Charge(kRunSteps + elements));
  sys::Clock& clock = sys::SystemClock();
  const int64_t start_ns = clock.MonotonicNs();
  const auto run = [&] {
    const vm::LongWork running(c);
    return Self(c).Run(inputs);
  };
  FERRY_ASSIGN_OR_RETURN(auto outputs, run());
  HostOf(c).CountInference(clock.MonotonicNs() - start_ns);
  FERRY_ASSIGN_OR_RETURN(Value out, c.Dict());
  c.Keep(out);
  for (engine::NamedTensor& output : outputs) {
    FERRY_TRY(c.Charge(output.tensor.elements()));
    FERRY_ASSIGN_OR_RETURN(Value tensor, NewTensor(c, std::move(output.tensor)));
    FERRY_TRY(c.SetItem(out, output.name, tensor));
  }
  return out;
}

Result<Value> Repr(CallContext& c) {
  return c.String("Model(" + Self(c).model().name() + ")");
}

void Finalize(void* payload) {
  delete static_cast<engine::Session*>(payload);
}

constexpr vm::NativeFunction kMethods[] = {{"run", Run}, {"__repr__", Repr}};
constexpr vm::NativeFunction kProperties[] = {{"inputs", Inputs}, {"outputs", Outputs}};
const vm::NativeType kType = {"Model", kMethods, kProperties, Finalize};

}  // namespace

const vm::NativeType& ModelType() {
  return kType;
}

Result<Value> NewModel(CallContext& c, std::shared_ptr<const engine::Model> model) {
  engine::SessionOptions options;
  options.parallel = HostOf(c).Threads();
  options.budget = HostOf(c).Budget();
  FERRY_ASSIGN_OR_RETURN(auto session, engine::Session::Create(std::move(model), options));
  const auto bytes = static_cast<size_t>(session->plan().arena_bytes);
  return c.NewNative(kType, session.release(), bytes);
}

}  // namespace ferry::bindings
