// str(), bool(), list(), tuple(), set() ...: __new__ of built-in classes.
#include <cmath>
#include <cstdlib>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/set.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/codec.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

Value NewStr(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"object", "encoding", "errors"};
  if (args.names == nullptr && args.count == 1) return vm.StrValue(args[0]);
  Value v[3];
  if (!BindBuiltin(vm, args, "str", kNames, 0, 3, v)) return Value();
  if (v[1].empty() && v[2].empty()) return v[0].empty() ? vm.empty_string : vm.StrValue(v[0]);
  for (int i : {1, 2})
    if (!v[i].empty() && !IsStr(v[i]))
      return vm.Throw(Error::kTypeError, "str() argument '{}' must be str, not {}", kNames[i],
                      v[i].IsNone() ? "None" : vm.TypeName(v[i]));
  if (v[0].empty()) return vm.empty_string;
  if (IsStr(v[0])) return vm.Raise(Error::kTypeError, "decoding str is not supported");
  std::string copy;
  std::string_view bytes;
  if (!IsBytesLike(v[0]))
    return vm.Throw(Error::kTypeError, "decoding to str: need a bytes-like object, {} found",
                    vm.TypeName(v[0]));
  if (!BytesOf(vm, v[0], &copy, &bytes)) return Value();
  return DecodeBytes(vm, v[0], bytes, v[1].empty() ? std::string_view() : Text(v[1]),
                     v[2].empty() ? std::string_view() : Text(v[2]));
}

Value NewBool(Vm& vm, Args& args) {
  bool truth = false;
  if (!Expect(vm, args, "bool", 0, 1) || (args.count == 1 && !vm.Truth(args[0], &truth)))
    return Value();
  return Value::Bool(truth);
}

Value NewListOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "list", 0, 1)) return Value();
  return args.count == 0 ? vm.NewList(nullptr, 0) : vm.ToList(args[0]);
}

Value NewTupleOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "tuple", 0, 1)) return Value();
  if (args.count == 0) return vm.empty_tuple;
  if (IsExact(args[0], Type::kTuple)) return args[0];
  Value list = vm.ToList(args[0]);
  return list.empty() ? list : vm.NewTuple(As<List>(list)->items, As<List>(list)->size);
}

Value NewSetOf(Vm& vm, Args& args, Type type) {
  if (!Expect(vm, args, type == Type::kSet ? "set" : "frozenset", 0, 1)) return Value();
  Value set = vm.NewDict(type);
  if (set.empty() || args.count == 0) return set;
  return SetUpdate(vm, As<Dict>(set), args[0]) ? set : Value();
}
Value NewPlainSet(Vm& vm, Args& args) {
  return NewSetOf(vm, args, Type::kSet);
}
Value NewFrozenSet(Vm& vm, Args& args) {
  return NewSetOf(vm, args, Type::kFrozenSet);
}

struct Maker {
  int cls;
  BuiltinRow row;
};
constexpr Maker kMakers[] = {{kBoolClass, {"__new__", NewBool}},
                             {static_cast<int>(Type::kString), {"__new__", NewStr}},
                             {static_cast<int>(Type::kList), {"__new__", NewListOf, true}},
                             {static_cast<int>(Type::kTuple), {"__new__", NewTupleOf, true}},
                             {static_cast<int>(Type::kSet), {"__new__", NewPlainSet, true}},
                             {static_cast<int>(Type::kFrozenSet), {"__new__", NewFrozenSet, true}}};

}  // namespace

bool InstallConversions(Vm& vm) {
  for (const Maker& maker : kMakers)
    if (!AddMethods(vm, vm.classes[maker.cls], {&maker.row, 1})) return false;
  return true;
}

}  // namespace ferry::vm
