#include "device-runtime/vm/exec/slow.h"

#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

Value BuildSet(Vm& vm, const Value* items, uint32_t count) {
  Roots roots(vm);
  const Value set = roots.Add(vm.NewDict(Type::kSet));
  if (set.empty()) return set;
  for (uint32_t i = 0; i < count; ++i)
    if (!vm.DictSet(As<Dict>(set), items[i], Value::None())) return Value();
  return set;
}

bool SetUpdate(Vm& vm, Dict* set, Value iterable) {
  Roots roots(vm);
  roots.Add(Value::Of(set));
  const Value iterator = roots.Add(vm.Iterate(iterable));
  if (iterator.empty()) return false;
  for (;;) {
    Value item = vm.Next(iterator);
    if (item.empty()) return !vm.failed();
    Roots inner(vm);
    inner.Add(item);
    if (!vm.DictSet(set, item, Value::None())) return false;
  }
}

Value FormatField(Vm& vm, Value v, Value spec, int conversion) {
  std::string out;
  if (conversion == 'r' || conversion == 'a') {
    if (!vm.Repr(v, &out)) return Value();
    if (conversion == 'a') {
      std::string quoted;
      AppendQuoted(out, true, &quoted);
      if (!IsStr(v)) quoted = quoted.substr(1, quoted.size() - 2);
      out = IsStr(v) ? "" : quoted;
      if (IsStr(v)) AppendQuoted(Text(v), true, &out);
    }
  } else if (Text(spec).empty() && !Is(v, Type::kInstance)) {
    if (IsStr(v)) return v;
    if (!vm.Str(v, &out)) return Value();
  } else if (conversion == 's') {
    if (!vm.Str(v, &out)) return Value();
  } else {
    return vm.Format(v, Text(spec), &out) ? vm.NewString(out) : Value();
  }
  if (Text(spec).empty()) return vm.NewString(out);
  const Value text = vm.NewString(out);
  out.clear();
  return !text.empty() && vm.Format(text, Text(spec), &out) ? vm.NewString(out) : Value();
}

Value JoinStrings(Vm& vm, const Value* strings, uint32_t count) {
  std::string out;
  for (uint32_t i = 0; i < count; ++i) {
    if (static_cast<int64_t>(out.size() + Text(strings[i]).size()) > vm.heap.limit())
      return vm.OutOfMemory();
    out += Text(strings[i]);
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(out.size() / 64))) return Value();
  return vm.NewString(out);
}

Value BuildClass(Vm& vm, String* name, Value bases, Value body) {
  Roots roots(vm);
  const Value attributes = roots.Add(vm.NewDict());
  if (attributes.empty() || vm.Call(body, &attributes, 1).empty()) return Value();
  return vm.MakeClass(name, bases, As<Dict>(attributes), vm.frames.back().code->module);
}

void RaiseStatement(Vm& vm, Value v, Value cause) {
  Roots roots(vm);
  if (Is(v, Type::kClass)) v = vm.Call(v, nullptr, 0);
  if (v.empty()) return;
  if (!Is(v, Type::kException)) {
    vm.Raise(Error::kTypeError, "exceptions must derive from BaseException");
    return;
  }
  roots.Add(v);
  if (!cause.empty()) {
    if (Is(cause, Type::kClass)) cause = vm.Call(cause, nullptr, 0);
    if (cause.empty()) return;
    As<Exception>(v)->cause = cause;
    As<Exception>(v)->suppress_context = true;
  }
  vm.pending = v;
}

}  // namespace ferry::vm
