// CallContext: what native functions of other rooms see of the machine.
#include "common/base/json.h"
#include "device-runtime/vm/byte_string.h"
#include "device-runtime/vm/host/json_value.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// A failure already pending in the machine: the caller of the native function keeps that.
Status Pending(Vm& vm) {
  return vm.fatal.ok() ? Status(Code::kScriptRaised, "exception") : vm.fatal;
}
Result<Value> Checked(Vm& vm, Value v) {
  if (v.empty()) return Pending(vm);
  return v;
}

}  // namespace

Status CallContext::Expect(size_t min, size_t max) {
  if (kw_count_ > 0) return Raise("TypeError", "takes no keyword arguments");
  if (count_ >= min && count_ <= max) return OkStatus();
  return Raise("TypeError", fmt::format("takes {} to {} arguments, got {}", min, max, count_));
}

Status CallContext::Bind(std::span<const char* const> names, size_t required, Value* out,
                         size_t max_positional) {
  if (count_ > std::min(max_positional, names.size()))
    return Raise("TypeError", fmt::format("takes at most {} positional arguments, got {}",
                                          std::min(max_positional, names.size()), count_));
  for (size_t i = 0; i < names.size(); ++i) out[i] = i < count_ ? args_[i] : Value();
  for (size_t k = 0; k < kw_count_; ++k) {
    size_t at = 0;
    while (at < names.size() && vm::Text(kw_names_[k]) != names[at]) ++at;
    if (at == names.size() || !out[at].empty())
      return Raise("TypeError",
                   fmt::format("unexpected keyword argument '{}'", vm::Text(kw_names_[k])));
    out[at] = kw_values_[k];
  }
  for (size_t i = 0; i < required; ++i)
    if (out[i].empty()) return Raise("TypeError", fmt::format("missing argument '{}'", names[i]));
  return OkStatus();
}

Result<int64_t> CallContext::AsInt(Value v, std::string_view what) {
  int64_t i;
  if (IsInt(v) && IntToInt64(v, &i)) return i;
  return Raise("TypeError", fmt::format("{} must be an integer, not {}", what, vm_.TypeName(v)));
}

Result<double> CallContext::AsNumber(Value v, std::string_view what) {
  if (v.IsFloat()) return v.AsFloat();
  if (IsInt(v)) return IntToDouble(v);
  return Raise("TypeError", fmt::format("{} must be a number, not {}", what, vm_.TypeName(v)));
}

Result<std::string_view> CallContext::AsString(Value v, std::string_view what) {
  if (IsStr(v)) {
    // Scripts may hold lone surrogates: nothing outside has a form for them.
    if (IsUtf8(vm::Text(v))) return vm::Text(v);
    return Raise("ValueError", fmt::format("{} holds surrogates, which are not allowed", what));
  }
  return Raise("TypeError", fmt::format("{} must be a string, not {}", what, vm_.TypeName(v)));
}

std::string_view CallContext::keyword_name(size_t k) const {
  return vm::Text(kw_names_[k]);
}

Result<std::string> CallContext::Text(Value v) {
  std::string out;
  if (!vm_.Str(v, &out)) return Pending(vm_);
  return out;
}

bool CallContext::IsString(Value v) const {
  return IsStr(v);
}

Result<bool> CallContext::AsBool(Value v) {
  bool truth;
  if (!vm_.Truth(v, &truth)) return Pending(vm_);
  return truth;
}

Result<std::span<const Value>> CallContext::AsSequence(Value v, std::string_view what) {
  if (Is(v, Type::kList))
    return std::span<const Value>(As<vm::List>(v)->items, As<vm::List>(v)->size);
  if (Is(v, Type::kTuple))
    return std::span<const Value>(As<vm::Tuple>(v)->items, As<vm::Tuple>(v)->size);
  return Raise("TypeError",
               fmt::format("{} must be a list or tuple, not {}", what, vm_.TypeName(v)));
}

Result<std::vector<std::pair<std::string, Value>>> CallContext::AsItems(Value v,
                                                                        std::string_view what) {
  if (!Is(v, Type::kDict))
    return Raise("TypeError", fmt::format("{} must be a dict, not {}", what, vm_.TypeName(v)));
  std::vector<std::pair<std::string, Value>> out;
  auto* dict = As<vm::Dict>(v);
  for (uint32_t i = 0; i < dict->used; ++i) {
    const Entry& entry = dict->entries[i];
    if (entry.key.empty()) continue;
    if (!IsStr(entry.key))
      return Raise("TypeError", fmt::format("keys of {} must be strings", what));
    out.emplace_back(vm::Text(entry.key), entry.value);
  }
  return out;
}

Result<Json> CallContext::ToJson(Value v) {
  return JsonFromValue(vm_, v);
}

Result<Value> CallContext::Int(int64_t i) {
  return Checked(vm_, vm_.NewInt(i));
}
Result<Value> CallContext::Number(double d) {
  return Value::Float(d);
}
Result<Value> CallContext::String(std::string_view utf8) {
  return Checked(vm_, vm_.NewStringChecked(utf8));
}
Result<Value> CallContext::List(std::span<const Value> items) {
  return Checked(vm_, vm_.NewList(items.data(), items.size()));
}
Result<Value> CallContext::Tuple(std::span<const Value> items) {
  return Checked(vm_, vm_.NewTuple(items.data(), items.size()));
}
Result<Value> CallContext::Dict() {
  return Checked(vm_, vm_.NewDict());
}
Status CallContext::SetItem(Value dict, std::string_view key, Value value) {
  Value text = vm_.NewStringChecked(key);
  if (text.empty() || !vm_.DictSet(As<vm::Dict>(dict), text, value)) return Pending(vm_);
  return OkStatus();
}
Result<Value> CallContext::FromJson(const Json& json) {
  return Checked(vm_, ValueFromJson(vm_, json));
}

Result<Value> CallContext::NewNative(const NativeType& type, void* payload, size_t external_bytes) {
  Class* cls = ClassOfNative(vm_, type);
  const auto bytes = static_cast<int64_t>(external_bytes);
  auto* object =
      cls == nullptr
          ? nullptr
          : Cast<NativeObject>(vm_.heap.NewObject(Type::kNativeObject, sizeof(NativeObject)));
  if (object == nullptr || !vm_.heap.Charge(bytes)) {
    type.finalize(payload);
    vm_.OutOfMemory();
    return Pending(vm_);
  }
  object->cls = cls;
  object->native_type = &type;
  object->payload = payload;
  object->external = bytes;
  return Value::Of(object);
}

void* CallContext::Payload(Value v, const NativeType& type) const {
  if (!Is(v, Type::kNativeObject) || As<NativeObject>(v)->native_type != &type) return nullptr;
  return As<NativeObject>(v)->payload;
}

Status CallContext::ReserveExternal(size_t bytes) {
  const auto fits = [&] {
    return bytes <= INT64_MAX / 2 &&
           static_cast<int64_t>(bytes) <= vm_.heap.limit() - vm_.heap.used();
  };
  // Native functions hold their arguments on the stack and what they Keep; only outer ones forbid
  // it.
  if (!fits() && vm_.collection_blocked <= 1) vm_.Collect();
  if (fits()) return OkStatus();
  vm_.OutOfMemory();
  return Pending(vm_);
}

Status CallContext::Charge(int64_t steps) {
  return vm_.ChargeSteps(steps) ? OkStatus() : Pending(vm_);
}

void CallContext::BeginLong() {
  if (vm_.pacer != nullptr) vm_.pacer->BeginLong();
}
void CallContext::EndLong() {
  if (vm_.pacer != nullptr) vm_.pacer->EndLong();
}

Result<Value> CallContext::Call(Value function, std::span<const Value> args) {
  return Checked(vm_, vm_.Call(function, args.data(), args.size()));
}

Result<Value> NewByteString(CallContext& c, std::string_view bytes) {
  return Checked(c.vm(), c.vm().NewBytes(bytes));
}

void CallContext::Keep(Value v) {
  vm_.kept.Push(v);
}

Status CallContext::Raise(std::string_view exception_class, std::string message) {
  vm::String* name = vm_.Intern(exception_class);
  Value* found = name == nullptr ? nullptr : vm_.DictFindString(vm_.builtins, name);
  if (found != nullptr && Is(*found, Type::kClass) &&
      As<Class>(*found)->layout == Type::kException) {
    Value text = vm_.NewStringChecked(message);
    Value args = text.empty() ? text : vm_.NewTuple(&text, 1);
    if (!args.empty()) vm_.pending = vm_.MakeException(As<Class>(*found), args);
  } else {
    vm_.Raise(Error::kRuntimeError, message);
  }
  return Status(Code::kScriptRaised, std::move(message));
}

void* CallContext::host() const {
  return vm_.options.host;
}

}  // namespace ferry::vm
