// _ferry: what standard modules in Python (py/) need and scripts cannot do.
#include <algorithm>

#include "device-runtime/vm/compile/code.h"
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {
namespace {

constexpr int64_t kCodeBytes = 1024;  // what a made function's code is charged, beside its lists

void Put(CodeObject* code, Op op, int a, int b = 0, int c = 0) {
  code->instructions.push_back(
      {op, static_cast<uint16_t>(a), static_cast<uint16_t>(b), static_cast<uint16_t>(c)});
  code->places.push_back({});
}

// Code that gives all its parameters to `body` and returns what that returns.
bool Forward(Vm& vm, CodeObject* code, Tuple* positional, Tuple* keyword_only, Value body) {
  for (const Tuple* names : {positional, keyword_only}) {
    for (uint32_t i = 0; i < names->size; ++i) {
      String* name = IsStr(names->items[i]) ? vm.Intern(Text(names->items[i])) : nullptr;
      if (name == nullptr) return false;
      code->parameters.push_back(name);
    }
  }
  const auto count = static_cast<int>(code->parameters.size());
  code->positional = static_cast<uint16_t>(positional->size);
  code->keyword_only = static_cast<uint16_t>(keyword_only->size);
  code->simple = keyword_only->size == 0;
  code->registers = static_cast<uint16_t>(2 * count + 3);
  code->constants.push_back(body);
  Put(code, Op::kConst, count + 1, 0);
  for (int i = 0; i < count; ++i) Put(code, Op::kMove, count + 2 + i, i);
  Put(code, Op::kCall, count + 1, count);
  Put(code, Op::kReturn, count + 1);
  return true;
}

// function(name, qualified name, parameters, defaults, keyword-only names, their defaults, body,
// module name): a function with that signature whose calls are calls of body(*values).
Value MakeFunction(Vm& vm, Args& args) {
  if (!Expect(vm, args, "function", 7, 8)) return Value();
  if (!IsStr(args[0]) || !IsStr(args[1]) || !Is(args[2], Type::kTuple) ||
      !Is(args[3], Type::kTuple) || !Is(args[4], Type::kTuple) || !Is(args[5], Type::kDict) ||
      vm.frames.empty())
    return vm.Raise(Error::kTypeError, "function(): bad arguments");
  auto *positional = As<Tuple>(args[2]), *keyword_only = As<Tuple>(args[4]);
  if (positional->size + keyword_only->size > 250)
    return vm.Raise(Error::kTypeError, "more than 250 parameters");
  // Code lives as long as the isolate.
  if (!vm.heap.Charge(kCodeBytes + (positional->size + keyword_only->size) * 64))
    return vm.OutOfMemory();
  CodeObject* code = &vm.codes.emplace_back();
  code->name = vm.Intern(Text(args[0]));
  code->qualified_name = vm.Intern(Text(args[1]));
  code->module = vm.frames.back().code->module;
  if (code->name == nullptr || code->qualified_name == nullptr ||
      !Forward(vm, code, positional, keyword_only, args[6]))
    return vm.failed() ? Value() : vm.Raise(Error::kTypeError, "function(): bad names");
  Frame nothing{};
  const Value defaults = As<Tuple>(args[3])->size == 0 ? Value() : args[3];
  const Value keyword_defaults = As<Dict>(args[5])->count == 0 ? Value() : args[5];
  const Value made = vm.MakeFunction(code, nothing, defaults, keyword_defaults);
  if (!made.empty() && args.count == 8 && IsStr(args[7]))
    As<Function>(made)->module_name = vm.Intern(Text(args[7]));
  return made;
}

// caller(n): the name of the module whose function is n calls outside of the running one.
Value Caller(Vm& vm, Args& args) {
  int64_t depth;
  if (!Expect(vm, args, "caller", 1, 1) || !vm.ToIndex(args[0], &depth, "depth", true))
    return Value();
  const auto frames = static_cast<int64_t>(vm.frames.size());
  if (depth < 0 || depth >= frames) return vm.NewString("__main__");
  return Value::Of(vm.frames[static_cast<size_t>(frames - 1 - depth)].code->module->name);
}

Module* ModuleNamed(Vm& vm, Value name) {
  if (!IsStr(name)) return nullptr;
  const Value found = vm.Imported(Text(name));
  return found.empty() ? nullptr : As<Module>(found);
}

// export(module name, dict): sets the variables.
Value Export(Vm& vm, Args& args) {
  if (!Expect(vm, args, "export", 2, 2) || !Is(args[1], Type::kDict)) return Value();
  Module* module = ModuleNamed(vm, args[0]);
  const auto* dict = As<Dict>(args[1]);
  for (uint32_t i = 0; module != nullptr && i < dict->used; ++i) {
    const Entry& entry = dict->entries[i];
    if (!entry.key.empty() && IsStr(entry.key) &&
        !vm.SetVariable(module, Text(entry.key), entry.value))
      return Value();
  }
  return Value::None();
}

// lookup(module name, name, otherwise): a variable of the module, or the built-in.
Value Lookup(Vm& vm, Args& args) {
  if (!Expect(vm, args, "lookup", 3, 3) || !IsStr(args[1])) return Value();
  String* name = vm.Intern(Text(args[1]));
  if (name == nullptr) return Value();
  Module* module = ModuleNamed(vm, args[0]);
  Value* slot = module == nullptr ? nullptr : vm.DictFindString(module->index, name);
  if (slot != nullptr && !module->slots[slot->AsSmallInt()].value.empty())
    return module->slots[slot->AsSmallInt()].value;
  Value* builtin = vm.DictFindString(vm.builtins, name);
  return builtin == nullptr ? args[2] : *builtin;
}

// load(name): the module of that name, imported.
Value Load(Vm& vm, Args& args) {
  if (!Expect(vm, args, "load", 1, 1)) return Value();
  return IsStr(args[0]) ? vm.Import(Text(args[0]), true)
                        : vm.Raise(Error::kTypeError, "the name of a module must be str");
}

// variables(module): a dict of what it has now.
Value VariablesOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "variables", 1, 1)) return Value();
  if (!Is(args[0], Type::kModule)) return vm.Raise(Error::kTypeError, "not a module");
  const auto* module = As<Module>(args[0]);
  const Value dict = vm.NewDict();
  for (uint32_t i = 0; !dict.empty() && i < module->count; ++i) {
    const Variable& variable = module->slots[i];
    if (!variable.value.empty() &&
        !vm.DictSet(As<Dict>(dict), Value::Of(variable.name), variable.value))
      return Value();
  }
  return dict;
}

// count(mapping, iterable): mapping[item] = mapping.get(item, 0) + 1 for each item.
Value Count(Vm& vm, Args& args) {
  if (!Expect(vm, args, "count", 2, 2)) return Value();
  Roots roots(vm);
  const Value iterator = roots.Add(vm.Iterate(args[1]));
  if (iterator.empty()) return iterator;
  const bool plain =
      Is(args[0], Type::kDict) && vm.FindSpecial(vm.ClassOf(args[0]), vm.names.setitem).empty();
  String* get = vm.Intern("get");
  for (Value item; Pull(vm, iterator, &item);) {
    Roots inner(vm);
    if (!plain || !IsExactString(item)) inner.Add(item);
    bool failed = false;
    Value old = Value::SmallInt(0);
    if (plain) {
      Value* found = vm.DictFind(As<Dict>(args[0]), item, &failed);
      if (failed) return Value();
      if (found != nullptr) old = *found;
      if (found != nullptr && old.IsSmallInt() && old.AsSmallInt() < Value::kMaxInt) {
        *found = Value::SmallInt(old.AsSmallInt() + 1);
        continue;
      }
      inner.Add(item);
    } else {
      const Value method = inner.Add(vm.GetAttribute(args[0], get));
      const Value pair[] = {item, old};
      old = method.empty() ? method : vm.Call(method, pair, 2);
      if (old.empty()) return old;
    }
    const Value more =
        inner.Add(vm.Binary(static_cast<int>(Operator::kAdd), old, Value::SmallInt(1)));
    if (more.empty() ||
        !(plain ? vm.DictSet(As<Dict>(args[0]), item, more) : vm.SetIndex(args[0], item, more)))
      return Value();
  }
  return vm.failed() ? Value() : Value::None();
}

// enter_repr(v): True when a repr of v is being made already; else leave_repr() has to follow.
// nullptr: a script has changed it.
List* Active(Vm& vm) {
  Module* module = ModuleNamed(vm, vm.NewString("_ferry"));
  String* name = vm.Intern("_active");
  Value* slot =
      module == nullptr || name == nullptr ? nullptr : vm.DictFindString(module->index, name);
  const Value v = slot == nullptr ? Value() : module->slots[slot->AsSmallInt()].value;
  return Is(v, Type::kList) ? As<List>(v) : nullptr;
}
Value EnterRepr(Vm& vm, Args& args) {
  if (!Expect(vm, args, "enter_repr", 1, 1)) return Value();
  List* active = Active(vm);
  for (uint32_t i = 0; active != nullptr && i < active->size; ++i)
    if (active->items[i] == args[0]) return Value::Bool(true);
  if (active != nullptr && !vm.Append(active, args[0])) return Value();
  return vm.failed() ? Value() : Value::Bool(false);
}
Value LeaveRepr(Vm& vm, Args&) {
  List* active = Active(vm);
  if (active != nullptr && active->size > 0) --active->size;
  return vm.failed() ? Value() : Value::None();
}

// popfirst(dict): removes the oldest entry and gives (key, value); None when there is none.
Value TakeFirst(Vm& vm, Args& args) {
  if (!Expect(vm, args, "popfirst", 1, 1) || !Is(args[0], Type::kDict)) return Value();
  Value pair[2];
  if (!PopFirst(vm, As<Dict>(args[0]), &pair[0], &pair[1]))
    return vm.failed() ? Value() : Value::None();
  return vm.NewTuple(pair, 2);
}

// plain(v): of an object of a class derived from an immutable built-in one, its plain value.
Value PlainOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "plain", 1, 1)) return Value();
  const Value v = args[0];
  if (!Derived(v)) return Value::None();
  switch (v.object()->type) {
    case Type::kBigInt:
    case Type::kFloat:
      return Plain(v);
    case Type::kString:
      return vm.NewString(Text(v));
    case Type::kBytes:
      return vm.NewBytes(As<BytesObject>(v)->view());
    case Type::kTuple:
      return vm.NewTuple(As<Tuple>(v)->items, As<Tuple>(v)->size);
    case Type::kSet:
    case Type::kFrozenSet: {
      const Value list = vm.NewList(nullptr, 0);
      const auto* set = As<Dict>(v);
      for (uint32_t i = 0; !list.empty() && i < set->used; ++i)
        if (!set->entries[i].key.empty() && !vm.Append(As<List>(list), set->entries[i].key))
          return Value();
      return list;
    }
    default:
      return Value::None();
  }
}

// copyable(v): whether an object like it can be made by __new__ of its class.
Value Copyable(Vm& vm, Args& args) {
  if (!Expect(vm, args, "copyable", 1, 1)) return Value();
  const Value v = args[0];
  if (!v.IsObject()) return Value::Bool(true);
  switch (v.object()->type) {
    case Type::kGenerator:
    case Type::kIterator:
    case Type::kModule:
    case Type::kCell:
    case Type::kNativeObject:
      return Value::Bool(false);
    case Type::kRecord:
      return Value::Bool(Derived(v));
    default:
      return Value::Bool(true);
  }
}

// clone(v): another iterator or record of itertools or operator, which shares what it reads; None
// when v is no such thing.
Value CloneOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "clone", 1, 1)) return Value();
  const Value v = args[0];
  if (IsExact(v, Type::kIterator)) {
    auto* from = As<Iterator>(v);
    const Value made = vm.NewIterator(from->kind(), from->source, from->extra);
    if (made.empty()) return made;
    auto* to = As<Iterator>(made);
    to->index = from->index;
    to->stop = from->stop;
    to->step = from->step;
    return made;
  }
  if (!IsExact(v, Type::kRecord) || As<Record>(v)->cls->module_name == nullptr)
    return Value::None();
  auto* from = As<Record>(v);
  const std::string_view module = from->cls->module_name->view();
  if (!from->cls->builtin || (module != "itertools" && module != "operator")) return Value::None();
  const Value made = vm.NewRecord(from->cls, from->count());
  for (uint32_t i = 0; !made.empty() && i < from->count(); ++i) {
    Value value = from->values[i];
    if (Is(value, Type::kList)) value = vm.NewList(As<List>(value)->items, As<List>(value)->size);
    if (value.empty() && vm.failed()) return Value();
    As<Record>(made)->values[i] = value;
  }
  return made;
}

// traceback(exception), exception_lines(exception): what the interpreter prints of it.
template <bool WithFrames>
Value TextOfException(Vm& vm, Args& args) {
  if (!Expect(vm, args, "traceback", 1, 1)) return Value();
  if (!Is(args[0], Type::kException)) return vm.Raise(Error::kTypeError, "not an exception");
  std::string out;
  if (WithFrames) {
    out = vm.FormatTraceback(As<Exception>(args[0])) + "\n";
  } else {
    AppendHeadline(vm, As<Exception>(args[0]), &out);
  }
  return vm.failed() ? Value() : vm.NewStringChecked(out);
}

// frame_text(traceback): the lines of its first frame.
Value FrameText(Vm& vm, Args& args) {
  std::string out;
  if (!Expect(vm, args, "frame_text", 1, 1) || !TracebackText(vm, args[0], &out)) return Value();
  return vm.NewStringChecked(out);
}

// place(n): file, line and module name of the frame n calls outside of the running one.
Value PlaceAt(Vm& vm, Args& args) {
  int64_t depth;
  if (!Expect(vm, args, "place", 1, 1) || !vm.ToIndex(args[0], &depth, "depth", true))
    return Value();
  const auto frames = static_cast<int64_t>(vm.frames.size());
  if (frames == 0) return Value();
  depth = std::clamp<int64_t>(depth, 0, frames - 1);
  const Frame& frame = vm.frames[static_cast<size_t>(frames - 1 - depth)];
  const Value items[] = {Value::Of(frame.code->module->file), Value::SmallInt(LineOf(frame)),
                         Value::Of(frame.code->module->name)};
  return vm.NewTuple(items, 3);
}

// attributes(object, names): their values, in a tuple.
Value AttributesOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "attributes", 2, 2) || !Is(args[1], Type::kTuple)) return Value();
  const auto* names = As<Tuple>(args[1]);
  Roots roots(vm);
  const Value out = roots.Add(vm.NewTuple(nullptr, names->size));
  for (uint32_t i = 0; !out.empty() && i < names->size; ++i) {
    auto* name = As<String>(names->items[i]);
    if (!IsStr(names->items[i])) return vm.Raise(Error::kTypeError, "names must be strings");
    if (!name->Has(StringFlag::kInterned)) name = vm.Intern(name->view());
    const Value v = name == nullptr ? Value() : vm.GetAttribute(args[0], name);
    if (v.empty()) return v;
    As<Tuple>(out)->items[i] = v;
  }
  return out;
}

// compare(operator, a, b, names): the operator of the tuples of their attributes, if they are of
// one class.
Value CompareAttributes(Vm& vm, Args& args) {
  int64_t op;
  if (!Expect(vm, args, "compare", 4, 4) || !vm.ToIndex(args[0], &op, "operator", true))
    return Value();
  if (vm.ClassOf(args[1]) != vm.ClassOf(args[2])) return vm.not_implemented;
  constexpr auto kFirst = static_cast<int64_t>(Operator::kLess);
  Roots roots(vm);
  Value sides[2];
  for (uint32_t i = 0; i < 2; ++i) {
    Value pair[] = {args[i + 1], args[3]};
    Args one{pair, 2};
    sides[i] = AttributesOf(vm, one);
    if (sides[i].empty()) return Value();
    roots.Add(sides[i]);
  }
  return vm.Compare(static_cast<int>(kFirst + std::clamp<int64_t>(op, 0, 4)), sides[0], sides[1]);
}

// field(property, name, number): the property of a class derived from tuple gives that item.
Value TupleField(Vm& vm, Args& args) {
  int64_t at;
  if (!Expect(vm, args, "field", 3, 3) || !IsExact(args[0], Type::kDescriptor) || !IsStr(args[1]) ||
      !vm.ToIndex(args[2], &at, "number", true))
    return Value();
  auto* member = Cast<Member>(vm.heap.NewObject(Type::kMember, sizeof(Member)));
  if (member == nullptr) return vm.OutOfMemory();
  member->owner = vm.classes[static_cast<int>(Type::kTuple)];
  member->name = As<String>(args[1]);
  member->aux = static_cast<uint32_t>(at);
  As<Descriptor>(args[0])->get = Value::Of(member);
  return args[0];
}

// tuple_of(cls, *items): an object of a class derived from tuple.
Value TupleOf(Vm& vm, Args& args) {
  if (args.count == 0 || !Is(args[0], Type::kClass) || As<Class>(args[0])->builtin ||
      As<Class>(args[0])->layout != Type::kTuple)
    return vm.Raise(Error::kTypeError, "tuple.__new__(X): X is not a subtype of tuple");
  const Value plain = vm.NewTuple(args.args + 1, args.count - 1);
  return plain.empty() ? plain : Derive(vm, As<Class>(args[0]), plain);
}

// builtin_names(): all built-ins.
Value BuiltinsDict(Vm& vm, Args&) {
  const Value dict = vm.NewDict();
  return !dict.empty() && vm.DictMerge(As<Dict>(dict), Value::Of(vm.builtins), false) ? dict
                                                                                      : Value();
}

constexpr BuiltinRow kRows[] = {{"attributes", AttributesOf, true},
                                {"builtin_names", BuiltinsDict},
                                {"caller", Caller},
                                {"clone", CloneOf},
                                {"compare", CompareAttributes, true},
                                {"copyable", Copyable},
                                {"count", Count, true},
                                {"enter_repr", EnterRepr},
                                {"exception_lines", TextOfException<false>},
                                {"export", Export},
                                {"field", TupleField},
                                {"frame_text", FrameText},
                                {"function", MakeFunction},
                                {"leave_repr", LeaveRepr},
                                {"load", Load, true},
                                {"lookup", Lookup},
                                {"place", PlaceAt},
                                {"plain", PlainOf},
                                {"popfirst", TakeFirst},
                                {"traceback", TextOfException<true>},
                                {"tuple_of", TupleOf},
                                {"variables", VariablesOf}};

}  // namespace

Value MakeFerry(Vm& vm) {
  const Value module = MakeModule(vm, "_ferry", kRows);
  const Value active = module.empty() ? module : vm.NewList(nullptr, 0);
  return !active.empty() && vm.SetVariable(As<Module>(module), "_active", active) ? module
                                                                                  : Value();
}

}  // namespace ferry::vm
