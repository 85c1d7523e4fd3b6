// dict.keys(), values(), items(), mappingproxy: they show a dict as it is at each moment.
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

Value Source(const Args& args) {
  return As<View>(args[0])->source;
}

Value IsDisjoint(Vm& vm, Args& args) {
  if (!Expect(vm, args, "isdisjoint", 2, 2)) return Value();
  Roots roots(vm);
  const Value iterator = roots.Add(vm.Iterate(args[1]));
  if (iterator.empty()) return iterator;
  for (Value item; !(item = vm.Next(iterator)).empty();) {
    bool contains;
    Roots inner(vm);
    inner.Add(item);
    if (!vm.Contains(args[0], item, &contains)) return Value();
    if (contains) return Value::Bool(false);
  }
  return vm.failed() ? Value() : Value::Bool(true);
}

Value Reversed(Vm& vm, Args& args) {
  if (!Expect(vm, args, "__reversed__", 1, 1)) return Value();
  Roots roots(vm);
  const Value list = roots.Add(vm.ToList(args[0]));
  const Value it = list.empty() ? list : vm.NewIterator(IteratorKind::kReversed, list);
  if (!it.empty()) As<Iterator>(it)->index = int64_t{As<List>(list)->size} - 1;
  return it;
}

// The same method of what the proxy stands for.
template <const char* const& name>
Value Forward(Vm& vm, Args& args) {
  String* text = vm.Intern(name);
  if (text == nullptr) return Value();
  Roots roots(vm);
  const Value method = roots.Add(vm.GetAttribute(Source(args), text));
  return method.empty() ? method : vm.Call(method, args.args + 1, args.count - 1, args.names);
}
constexpr const char* kGet = "get";
constexpr const char* kKeys = "keys";
constexpr const char* kValues = "values";
constexpr const char* kItems = "items";
constexpr const char* kCopy = "copy";

Value NewProxy(Vm& vm, Args& args) {
  if (!Expect(vm, args, "mappingproxy", 1, 1)) return Value();
  const bool sequence = Is(args[0], Type::kList) || Is(args[0], Type::kTuple);
  if (sequence ||
      (!Is(args[0], Type::kDict) && vm.FindInClass(vm.ClassOf(args[0]), vm.names.getitem).empty()))
    return vm.Throw(Error::kTypeError, "mappingproxy() argument must be a mapping, not {}",
                    vm.TypeName(args[0]));
  return vm.NewView(ViewKind::kProxy,
                    IsExact(args[0], Type::kView) && As<View>(args[0])->kind() == ViewKind::kProxy
                        ? Source(args)
                        : args[0]);
}

constexpr BuiltinRow kSetLike[] = {{"__reversed__", Reversed, true},
                                   {"isdisjoint", IsDisjoint, true}};
constexpr BuiltinRow kPlain[] = {{"__reversed__", Reversed, true}};
constexpr BuiltinRow kProxy[] = {{"__new__", NewProxy},
                                 {"__reversed__", Reversed, true},
                                 {"copy", Forward<kCopy>, true},
                                 {"get", Forward<kGet>, true},
                                 {"items", Forward<kItems>, true},
                                 {"keys", Forward<kKeys>, true},
                                 {"values", Forward<kValues>, true}};

}  // namespace

bool InstallViews(Vm& vm) {
  return AddMethods(vm, vm.classes[kKeysClass], kSetLike) &&
         AddMethods(vm, vm.classes[kItemsClass], kSetLike) &&
         AddMethods(vm, vm.classes[kValuesClass], kPlain) &&
         AddMethods(vm, vm.classes[kProxyClass], kProxy);
}

}  // namespace ferry::vm
