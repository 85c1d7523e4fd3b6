// The native part of the module json: py/json.py has the classes and the arguments.
#include "device-runtime/vm/lib/modules/_json/json.h"

namespace ferry::vm {
namespace {

bool Flag(Vm& vm, Value v, bool* out) {
  return v.empty() || vm.Truth(v, out);
}
Value OrEmpty(Value v) {
  return v.IsNone() ? Value() : v;
}

// encode(obj, skipkeys, ensure_ascii, check_circular, allow_nan, indent, item_separator,
//        key_separator, sort_keys, default)
Value Encode(Vm& vm, Args& args) {
  if (!Expect(vm, args, "encode", 1, 10)) return Value();
  Value v[10];
  for (uint32_t i = 0; i < args.count; ++i) v[i] = args[i];
  JsonForm form;
  if (!Flag(vm, v[1], &form.skip_keys) || !Flag(vm, v[2], &form.ascii) ||
      !Flag(vm, v[3], &form.check_circular) || !Flag(vm, v[4], &form.allow_nan) ||
      !Flag(vm, v[8], &form.sort_keys))
    return Value();
  if (IsStr(v[5])) {
    form.pretty = true;
    form.indent = Text(v[5]);
  }
  if (IsStr(v[6])) form.item_separator = Text(v[6]);
  if (IsStr(v[7])) form.key_separator = Text(v[7]);
  if (!v[9].empty()) form.fallback = OrEmpty(v[9]);
  return WriteJson(vm, v[0], form);
}

// scan(text, index, strict, object_hook, object_pairs_hook, parse_float, parse_int,
//      parse_constant) -> (value, end)
Value Scan(Vm& vm, Args& args) {
  if (!Expect(vm, args, "scan", 2, 8)) return Value();
  if (!IsStr(args[0]))
    return vm.Throw(Error::kTypeError, "first argument must be a string, not {}",
                    vm.TypeName(args[0]));
  JsonHooks hooks;
  int64_t index;
  if (!vm.ToIndex(args[1], &index, "idx") ||
      !Flag(vm, args.count > 2 ? args[2] : Value(), &hooks.strict))
    return Value();
  if (index < 0) return vm.Raise(Error::kValueError, "idx cannot be negative");
  Value* const out[] = {&hooks.object, &hooks.pairs, &hooks.real, &hooks.integer, &hooks.constant};
  for (uint32_t i = 3; i < args.count; ++i) *out[i - 3] = OrEmpty(args[i]);
  return ScanJson(vm, args[0], index, hooks);
}

// loads(text): the whole text, without hooks.
Value Loads(Vm& vm, Args& args) {
  if (!Expect(vm, args, "loads", 1, 1)) return Value();
  if (!IsStr(args[0])) return vm.Raise(Error::kTypeError, "a str is required");
  return LoadJson(vm, args[0]);
}

// quote(text, ensure_ascii)
Value Quote(Vm& vm, Args& args) {
  bool ascii = true;
  if (!Expect(vm, args, "quote", 1, 2) || (args.count > 1 && !vm.Truth(args[1], &ascii)))
    return Value();
  if (!IsStr(args[0]))
    return vm.Throw(Error::kTypeError, "first argument must be a string, not {}",
                    vm.TypeName(args[0]));
  return QuoteJson(vm, args[0], ascii);
}

constexpr BuiltinRow kRows[] = {
    {"encode", Encode, true}, {"loads", Loads}, {"quote", Quote}, {"scan", Scan, true}};

}  // namespace

Value MakeJson(Vm& vm) {
  return MakeModule(vm, "_json", kRows);
}

}  // namespace ferry::vm
