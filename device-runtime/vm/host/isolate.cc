#include "device-runtime/vm/isolate.h"

#include <algorithm>

#include "common/base/json.h"
#include "common/base/nearest.h"
#include "device-runtime/vm/exec/heap/image.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/host/json_value.h"

namespace ferry::vm {
namespace {

Result<Value> Outcome(Vm& vm, Value v) {
  if (v.empty() || vm.failed()) return vm.TakeFailure();
  return v;
}

// "; did you mean 'main'?" where a variable of the module has nearly that name.
std::string MeantVariable(const Module& module, std::string_view name) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < module.count; ++i) {
    if (!module.slots[i].value.empty()) names.emplace_back(module.slots[i].name->view());
  }
  const auto near = NearName(name, names);
  return near ? fmt::format("; did you mean '{}'?", *near) : "";
}

}  // namespace

Limits Limits::None() {
  return {.steps = INT64_MAX / 2,
          .memory_bytes = INT64_MAX / 4,
          .depth = kMaxDepth,
          .memory_error = true};
}

std::string_view LimitName(const Status& status) {
  switch (status.code()) {
    case Code::kScriptTime:
      return "instructions";
    case Code::kScriptMemory:
      return "memory";
    case Code::kScriptDepth:
      return "recursion";
    case Code::kDeadlineExceeded:
      return "time";
    case Code::kLimitExceeded:
      return "output";
    default:
      return "";
  }
}

Isolate::Isolate(std::unique_ptr<Vm> vm) : vm_(std::move(vm)) {}
Isolate::~Isolate() = default;

Result<std::unique_ptr<Isolate>> Isolate::Create(Options options) {
  if (options.limits.steps <= 0 || options.limits.memory_bytes <= 0 || options.limits.depth <= 0)
    return Status(Code::kInvalidArgument, "limits of a script must be positive");
  const Vm* image = Image();
  if (image == nullptr) return Status(Code::kScriptMemory, "no memory for what scripts share");
  auto vm = std::make_unique<Vm>(std::move(options));
  if (!vm->Start(image)) {
    const Status status = vm->TakeFailure();
    return status.ok() ? Status(Code::kScriptMemory, "no memory to start a script in") : status;
  }
  return std::unique_ptr<Isolate>(new Isolate(std::move(vm)));
}

Result<Value> Isolate::Import(std::string_view module) {
  vm_->Reset();
  return Outcome(*vm_, vm_->Import(module, true));
}

Result<Value> Isolate::RunSource(std::string_view source, std::string_view name) {
  if (!vm_->Imported(name).empty())
    return Status::Of(Code::kAlreadyExists, "module '{}' exists already", name);
  vm_->Reset();
  return Outcome(*vm_, vm_->RunModule(source, name, std::string(name) + ".py"));
}

Result<Value> Isolate::GetGlobal(std::string_view module, std::string_view name) {
  const Value found = vm_->Imported(module);
  if (found.empty()) return Status::Of(Code::kNotFound, "module '{}' is not imported", module);
  auto* object = As<Module>(found);
  String* text = vm_->Intern(name);
  if (text == nullptr) return vm_->TakeFailure();
  Value* slot = vm_->DictFindString(object->index, text);
  if (slot == nullptr || object->slots[slot->AsSmallInt()].value.empty())
    return Status::Of(Code::kNotFound, "module '{}' has no variable '{}'{}", module, name,
                      MeantVariable(*object, name));
  return object->slots[slot->AsSmallInt()].value;
}

Result<Value> Isolate::Call(Value function, std::span<const Value> args) {
  vm_->Reset();
  return Outcome(*vm_, vm_->Call(function, args.data(), args.size()));
}

Result<Json> Isolate::CallJson(std::string_view module, std::string_view name,
                               std::span<const Json> args) {
  FERRY_TRY(Import(module));
  FERRY_ASSIGN_OR_RETURN(Value function, GetGlobal(module, name));
  std::vector<Value> values;
  for (const Json& arg : args) {
    FERRY_ASSIGN_OR_RETURN(Value v, FromJson(arg));
    values.push_back(v);
  }
  FERRY_ASSIGN_OR_RETURN(Value result, Call(function, values));
  Result<Json> json = ToJson(result);
  if (!json.ok()) return json.status().Context("result of {}.{}", module, name);
  return json;
}

Result<Value> Isolate::FromJson(const Json& json) {
  return Outcome(*vm_, ValueFromJson(*vm_, json));
}

Result<Json> Isolate::ToJson(Value value) {
  return JsonFromValue(*vm_, value);
}

Result<std::string> Isolate::Repr(Value value) {
  vm_->Reset();
  std::string out;
  if (!vm_->Repr(value, &out)) return vm_->TakeFailure();
  return out;
}

void Isolate::Pin(Value value) {
  vm_->pinned.push_back(value);
}

void Isolate::Unpin(Value value) {
  auto found = std::find(vm_->pinned.begin(), vm_->pinned.end(), value);
  if (found != vm_->pinned.end()) vm_->pinned.erase(found);
}

Status Isolate::ChargeExternal(int64_t bytes) {
  if (bytes < 0) {
    vm_->heap.Discharge(-bytes);
    return OkStatus();
  }
  if (vm_->heap.Charge(bytes)) return OkStatus();
  if (vm_->collection_blocked == 0) vm_->Collect();
  if (vm_->heap.Charge(bytes)) return OkStatus();
  return Status::Of(Code::kScriptMemory,
                    "{} bytes more do not fit the script's memory: {} of {} in use", bytes,
                    vm_->heap.used(), vm_->heap.limit());
}

void Isolate::SetPacer(Pacer* pacer) {
  vm_->pacer = pacer;
}

void Isolate::Interrupt() {
  vm_->interrupted = true;
}

void Isolate::Collect() {
  vm_->Collect();
}

Usage Isolate::usage() const {
  return {vm_->options.limits.steps - vm_->steps_left - vm_->steps_slice, vm_->heap.used(),
          vm_->heap.peak(), vm_->heap.external()};
}

}  // namespace ferry::vm
