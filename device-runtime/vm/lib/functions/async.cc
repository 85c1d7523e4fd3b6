// aiter() and anext().
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

// What the class of `v` says about the name, called with `v`; empty and nothing pending: nothing.
Value Ask(Vm& vm, Value v, const char* name) {
  String* const text = vm.Intern(name);
  const Value method = text == nullptr ? Value() : vm.FindInClass(vm.ClassOf(v), text);
  if (method.empty()) return method;
  Roots roots(vm);
  roots.Add(v);
  const Value bound = roots.Add(vm.Bind(method, v, vm.ClassOf(v)));
  return bound.empty() ? bound : vm.Call(bound, nullptr, 0);
}

Value Iterator(Vm& vm, Args& args) {
  if (!Expect(vm, args, "aiter", 1, 1)) return Value();
  Roots roots(vm);
  roots.Add(args[0]);
  const Value iterator = roots.Add(Ask(vm, args[0], "__aiter__"));
  if (iterator.empty())
    return vm.failed() ? iterator
                       : vm.Throw(Error::kTypeError, "'{}' object is not an async iterable",
                                  vm.TypeName(args[0]));
  String* const next = vm.Intern("__anext__");
  if (next == nullptr) return Value();
  if (!vm.FindInClass(vm.ClassOf(iterator), next).empty()) return iterator;
  return vm.Throw(Error::kTypeError, "aiter() returned not an async iterator of type '{}'",
                  vm.TypeName(iterator));
}

Value Next(Vm& vm, Args& args) {
  if (!Expect(vm, args, "anext", 1, 2)) return Value();
  Roots roots(vm);
  for (uint32_t i = 0; i < args.count; ++i) roots.Add(args[i]);
  const Value item = roots.Add(Ask(vm, args[0], "__anext__"));
  if (item.empty())
    return vm.failed() ? item
                       : vm.Throw(Error::kTypeError, "'{}' object is not an async iterator",
                                  vm.TypeName(args[0]));
  if (args.count == 1) return item;
  const Value module = roots.Add(vm.Import("_globals", true));
  String* const name = module.empty() ? nullptr : vm.Intern("next_or");
  const Value make = name == nullptr ? Value() : roots.Add(vm.GetAttribute(module, name));
  const Value pair[] = {item, args[1]};
  return make.empty() ? make : vm.Call(make, pair, 2);
}

constexpr BuiltinRow kRows[] = {{"aiter", Iterator, true}, {"anext", Next, true}};

}  // namespace

bool InstallAsync(Vm& vm) {
  for (const BuiltinRow& row : kRows) {
    const Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.DictSetText(vm.builtins, row.name, native)) return false;
  }
  return true;
}

}  // namespace ferry::vm
