#include "device-runtime/vm/exec/call/spread.h"

#include <algorithm>
#include <vector>

namespace ferry::vm {

bool SpreadArguments(Vm& vm, Value list, Value dict, Spread* out) {
  const bool tuple = Is(list, Type::kTuple);
  const Value* items = tuple ? As<Tuple>(list)->items : As<List>(list)->items;
  const uint32_t size = tuple ? As<Tuple>(list)->size : As<List>(list)->size;
  const auto* keywords = dict.empty() ? nullptr : As<Dict>(dict);
  const size_t given = size_t{size} + (keywords == nullptr ? 0 : keywords->count);
  // Below the arguments the names of keywords, and three places for what the callee needs there.
  if (vm.top >= vm.stack_end || static_cast<size_t>(vm.stack_end - vm.top) <= given + 5) {
    vm.TooDeep(" while calling a Python object");
    return false;
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(given / 2))) return false;
  *out = {vm.top + 4, size, nullptr};
  std::fill(vm.top, out->args, Value());
  std::copy(items, items + size, out->args);
  if (keywords == nullptr || keywords->count == 0) return true;
  const Value names = vm.top[0] = vm.NewTuple(nullptr, keywords->count);
  if (names.empty()) return false;
  out->names = As<Tuple>(names);
  uint32_t count = 0;
  for (uint32_t i = 0; i < keywords->used; ++i) {
    if (keywords->entries[i].key.empty()) continue;
    As<Tuple>(names)->items[count] = keywords->entries[i].key;
    out->args[size + count++] = keywords->entries[i].value;
  }
  return true;
}

bool ExtendStar(Vm& vm, List* list, Value iterable) {
  if (vm.Extend(list, iterable)) return true;
  if (vm.FindInClass(vm.ClassOf(iterable), vm.names.iter).empty() &&
      vm.FindInClass(vm.ClassOf(iterable), vm.names.getitem).empty() &&
      vm.TakePending(Error::kTypeError))
    vm.Throw(Error::kTypeError, "Value after * must be an iterable, not {}", vm.TypeName(iterable));
  return false;
}

Value Vm::CallSpread(Value callee, Value list, Value dict) {
  Roots roots(*this);
  const size_t given = size_t{As<List>(list)->size} + As<Dict>(dict)->count;
  // Before the copy: more than the stack can hold will not be called.
  if (static_cast<size_t>(top - stack.get()) + given + 4 >= stack_size)
    return TooDeep(" while calling a Python object");
  if (!ChargeSteps(static_cast<int64_t>(given / 2))) return Value();
  std::vector<Value> all(As<List>(list)->items, As<List>(list)->items + As<List>(list)->size);
  const size_t positional = all.size();
  std::vector<Value> keyword_names;
  auto* keywords = As<Dict>(dict);
  for (uint32_t i = 0; i < keywords->used; ++i) {
    if (keywords->entries[i].key.empty()) continue;
    keyword_names.push_back(keywords->entries[i].key);
    all.push_back(keywords->entries[i].value);
  }
  const Tuple* tuple = nullptr;
  if (!keyword_names.empty()) {
    Value v = NewTuple(keyword_names.data(), keyword_names.size());
    if (v.empty()) return v;
    tuple = As<Tuple>(roots.Add(v));
  }
  return Call(callee, all.data(), positional, tuple);
}

}  // namespace ferry::vm
