// ascii, delattr, dir, vars, slice.
#include "device-runtime/vm/compile/code.h"
#include "device-runtime/vm/exec/classes/special.h"
#include "device-runtime/vm/exec/collections/sort.h"
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// The code points of `text` that are not ASCII as escapes.
std::string Escaped(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const uint32_t c = Utf8Next(text, &at);
    if (c < 0x80)
      out.push_back(static_cast<char>(c));
    else
      out += c < 0x100     ? fmt::format("\\x{:02x}", c)
             : c < 0x10000 ? fmt::format("\\u{:04x}", c)
                           : fmt::format("\\U{:08x}", c);
  }
  return out;
}
Value Ascii(Vm& vm, Args& args) {
  std::string out;
  if (!Expect(vm, args, "ascii", 1, 1) || !vm.Repr(args[0], &out)) return Value();
  return vm.Scratch(out.size() * 10) ? vm.NewString(Escaped(out)) : Value();
}

Value DelAttr(Vm& vm, Args& args) {
  if (!Expect(vm, args, "delattr", 2, 2)) return Value();
  if (!IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "attribute name must be string, not '{}'",
                    vm.TypeName(args[1]));
  String* name = vm.Intern(Text(args[1]));
  return name != nullptr && vm.DeleteAttribute(args[0], name) ? Value::None() : Value();
}

// The variables of the calling function, in a new dict; the dict of a class body or module.
Value Locals(Vm& vm) {
  if (vm.frames.empty()) return vm.NewDict();
  const Frame& frame = vm.frames.back();
  if (frame.code->class_body) return frame.base[0];
  if (frame.code->name->view() == "<module>") return ModuleDict(vm, frame.code->module);
  return VariablesOf(vm, *frame.code, frame.base, frame.function);
}

Value LocalsOf(Vm& vm, Args& args) {
  return Expect(vm, args, "locals", 0, 0) ? Locals(vm) : Value();
}

// The variables of the calling module, as a dict that writes through (py/_globals.py).
Value Globals(Vm& vm, Args& args) {
  if (!Expect(vm, args, "globals", 0, 0) || vm.frames.empty()) return Value();
  return ModuleDict(vm, vm.frames.back().code->module);
}

Value Vars(Vm& vm, Args& args) {
  if (!Expect(vm, args, "vars", 0, 1)) return Value();
  if (args.count == 0) return Locals(vm);
  const Value dict = vm.GetAttributeOrEmpty(args[0], vm.names.dict);
  return dict.empty() && !vm.failed()
             ? vm.Raise(Error::kTypeError, "vars() argument must have __dict__ attribute")
             : dict;
}

Value Dir(Vm& vm, Args& args) {
  if (!Expect(vm, args, "dir", 0, 1)) return Value();
  Roots roots(vm);
  Value names;
  if (args.count == 0) {
    names = Locals(vm);
  } else if (Is(args[0], Type::kModule)) {
    names = vm.NewList(nullptr, 0);
    const auto* module = As<Module>(args[0]);
    for (uint32_t i = 0; !names.empty() && i < module->count; ++i)
      if (!module->slots[i].value.empty() &&
          !vm.Append(As<List>(names), Value::Of(module->slots[i].name)))
        return Value();
  } else {
    String* dir = vm.Intern("__dir__");
    const Value method = dir == nullptr ? Value() : vm.FindInClass(vm.ClassOf(args[0]), dir);
    names = method.empty() ? method : vm.Call(method, args.args, 1);
  }
  if (names.empty()) return names;
  roots.Add(names);
  const Value list = vm.ToList(names);
  if (list.empty()) return list;
  roots.Add(list);
  return SortList(vm, As<List>(list), Value(), false) ? list : Value();
}

Value NewSliceOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "slice", 1, 3)) return Value();
  const Value none = Value::None();
  return args.count == 1 ? vm.NewSlice(none, args[0], none)
                         : vm.NewSlice(args[0], args[1], args.count == 3 ? args[2] : none);
}
Value Indices(Vm& vm, Args& args) {
  Value parts[3];
  if (!Expect(vm, args, "indices", 2, 2)) return Value();
  const Value length = ToInteger(vm, args[1]);
  if (length.empty()) return length;
  if (IntSign(length) < 0) return vm.Raise(Error::kValueError, "length should not be negative");
  return SliceParts(vm, As<Slice>(args[0]), length, parts) ? vm.NewTuple(parts, 3) : Value();
}

Value NewMethodOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "method", 2, 2)) return Value();
  if (!IsCallable(vm, args[0]))
    return vm.Raise(Error::kTypeError, "first argument must be callable");
  return args[1].IsNone() ? vm.Raise(Error::kTypeError, "self must not be None")
                          : vm.NewBound(args[1], args[0]);
}

// function(code, globals, name=None, argdefs=None, closure=None)
Value NewFunctionOf(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"code", "globals", "name", "argdefs", "closure"};
  Value bound[5];
  if (!BindBuiltin(vm, args, "function", kNames, 2, 5, bound)) return Value();
  CodeObject* const code = CodeBehind(vm, bound[0]);
  if (code == nullptr)
    return vm.Throw(Error::kTypeError, "function() argument 'code' must be code, not {}",
                    vm.TypeName(bound[0]));
  if (!Is(bound[1], Type::kDict))
    return vm.Throw(Error::kTypeError, "function() argument 'globals' must be dict, not {}",
                    vm.TypeName(bound[1]));
  if (ModuleDict(vm, code->module) != bound[1])
    return vm.failed() ? Value()
                       : vm.Raise(Error::kValueError, "the names of the code are of its module");
  const auto given = [](Value v) { return !v.empty() && !v.IsNone(); };
  if (given(bound[2]) && !IsStr(bound[2]))
    return vm.Raise(Error::kTypeError, "arg 3 (name) must be None or string");
  if (given(bound[3]) && !Is(bound[3], Type::kTuple))
    return vm.Raise(Error::kTypeError, "arg 4 (defaults) must be None or tuple");
  if (given(bound[4]) ? !Is(bound[4], Type::kTuple) : !code->captures.empty())
    return vm.Raise(Error::kTypeError, "arg 5 (closure) must be tuple");
  const uint32_t cells = given(bound[4]) ? As<Tuple>(bound[4])->size : 0;
  if (cells != code->captures.size())
    return vm.Throw(Error::kValueError, "{} requires closure of length {}, not {}",
                    code->name->view(), code->captures.size(), cells);
  // As if it were made where all its cells are those of a function around.
  std::vector<Value> registers;
  std::vector<Cell*> around;
  for (uint32_t i = 0; i < cells; ++i) {
    const Value cell = As<Tuple>(bound[4])->items[i];
    if (!Is(cell, Type::kCell))
      return vm.Throw(Error::kTypeError, "arg 5 (closure) expected cell, found {}",
                      vm.TypeName(cell));
    const size_t at = code->captures[i].index;
    if (registers.size() <= at) registers.resize(at + 1);
    if (around.size() <= at) around.resize(at + 1);
    if (code->captures[i].local)
      registers[at] = cell;
    else
      around[at] = As<Cell>(cell);
  }
  Function outer{};
  outer.cells = around.data();
  Frame frame{};
  frame.base = registers.data();
  frame.function = &outer;
  const Value made = vm.MakeFunction(code, frame, given(bound[3]) ? bound[3] : Value(), Value());
  if (!made.empty() && given(bound[2])) As<Function>(made)->name = As<String>(bound[2]);
  return made;
}

constexpr BuiltinRow kRows[] = {{"ascii", Ascii, true}, {"delattr", DelAttr, true},
                                {"dir", Dir, true},     {"globals", Globals, true},
                                {"locals", LocalsOf},   {"vars", Vars, true}};
constexpr BuiltinRow kMethod[] = {{"__new__", NewMethodOf}};
constexpr BuiltinRow kFunction[] = {{"__new__", NewFunctionOf}};
constexpr BuiltinRow kSlice[] = {{"__new__", NewSliceOf}, {"indices", Indices}};

}  // namespace

Value VariablesOf(Vm& vm, const CodeObject& code, const Value* registers,
                  const Function* function) {
  const Value out = vm.NewDict();
  if (out.empty()) return out;
  for (const auto& [name, reg] : code.variables) {
    Value v = registers[reg];
    if (Is(v, Type::kCell)) v = As<Cell>(v)->value;
    if (!v.empty() && !vm.DictSet(As<Dict>(out), Value::Of(name), v)) return Value();
  }
  for (const Instruction& i : code.instructions) {  // what it reads of functions around
    if (i.op != Op::kLoadFree) continue;
    const Value v = function->cells[i.b]->value;
    if (!v.empty() && !vm.DictSet(As<Dict>(out), code.constants[i.c], v)) return Value();
  }
  return out;
}

bool InstallIntrospection(Vm& vm) {
  for (const BuiltinRow& row : kRows) {
    const Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.DictSetText(vm.builtins, row.name, native)) return false;
  }
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kSlice)], kSlice) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kFunction)], kFunction) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kBoundMethod)], kMethod);
}

}  // namespace ferry::vm
