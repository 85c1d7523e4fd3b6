#include "device-runtime/vm/exec/classes/special.h"

#include "device-runtime/vm/exec/call/native_level.h"
#include "device-runtime/vm/exec/classes/bases.h"
#include "device-runtime/vm/exec/classes/make_class.h"
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

// The variables of a module are slots: a dict that reads and writes them (py/_globals.py).
Value ModuleDict(Vm& vm, Module* module) {
  Roots roots(vm);
  const Value of = Value::Of(module);
  roots.Add(of);
  const Value dicts = roots.Add(vm.Import("_globals", true));
  String* name = dicts.empty() ? nullptr : vm.Intern("of");
  const Value make = name == nullptr ? Value() : roots.Add(vm.GetAttribute(dicts, name));
  return make.empty() ? make : vm.Call(make, &of, 1);
}

Value BasesOf(Vm& vm, Class* cls) {
  if (!cls->bases.empty()) return cls->bases;
  if (cls->mro_count < 2) return vm.empty_tuple;
  const Value base = Value::Of(cls->builtin ? cls->mro[1] : vm.classes[kObjectClass]);
  return vm.NewTuple(&base, 1);
}

namespace {

// The type variables of an alias; typing finds them where there may be some.
Value ParametersOf(Vm& vm, Tuple* args) {
  bool plain = true;
  for (uint32_t i = 0; i < args->size; ++i)
    plain = plain && (Is(args->items[i], Type::kClass) || args->items[i].IsNone() ||
                      IsStr(args->items[i]) || Is(args->items[i], Type::kEllipsis));
  if (plain) return vm.empty_tuple;
  Roots roots(vm);
  Value of = roots.Add(Value::Of(args));
  const Value typing = roots.Add(vm.Import("typing", true));
  String* name = typing.empty() ? nullptr : vm.Intern("_parameters");
  const Value function = name == nullptr ? Value() : vm.GetAttribute(typing, name);
  return function.empty() ? function : vm.Call(roots.Add(function), &of, 1);
}

Value OrNone(Value v) {
  return v.empty() ? Value::None() : v;
}

Value OrderOf(Vm& vm, Class* cls) {
  const Value tuple = vm.NewTuple(nullptr, cls->mro_count);
  for (uint32_t i = 0; !tuple.empty() && i < cls->mro_count; ++i)
    As<Tuple>(tuple)->items[i] = Value::Of(cls->mro[i]);
  return tuple;
}

Value OfClass(Vm& vm, Class* cls, String* name) {
  const auto& n = vm.names;
  if (name == n.name) return Value::Of(cls->name);
  if (name == n.qualname) return Value::Of(cls->qualified_name);
  if (name == n.mro) return OrderOf(vm, cls);
  if (name == n.bases) return BasesOf(vm, cls);
  if (name == n.dict) return vm.NewView(ViewKind::kProxy, Value::Of(cls->attributes));
  if (name == n.module) {
    Value* found = vm.DictFindString(cls->attributes, name);
    if (found != nullptr) return *found;
    return cls->module_name == nullptr ? vm.NewString("builtins") : Value::Of(cls->module_name);
  }
  if (name == n.doc) {
    Value* found = vm.DictFindString(cls->attributes, name);
    return found == nullptr ? Value::None() : vm.Bind(*found, Value(), cls);
  }
  if (name->view() == "__base__") return BestBase(vm, cls);
  if (name == n.annotations && !cls->builtin) {
    Value* found = vm.DictFindString(cls->attributes, name);
    if (found != nullptr) return *found;
    const Value dict = vm.NewDict();
    return !dict.empty() && vm.DictSet(cls->attributes, Value::Of(name), dict) ? dict : Value();
  }
  return Value();
}

Value OfFunction(Vm& vm, Function* function, String* name) {
  const auto& n = vm.names;
  if (name == n.name)
    return Value::Of(function->name != nullptr ? function->name : function->code->name);
  if (name == n.qualname)
    return Value::Of(function->qualified_name != nullptr ? function->qualified_name
                                                         : function->code->qualified_name);
  if (name == n.module)
    return Value::Of(function->module_name != nullptr ? function->module_name
                                                      : function->module->name);
  if (name == n.doc) return OrNone(function->doc.empty() ? function->code->doc : function->doc);
  if (name == n.defaults) return OrNone(function->defaults);
  if (name == n.kwdefaults) return OrNone(function->keyword_defaults);
  if (name == n.annotations) {
    Dict* attributes = vm.AttributeDict(Value::Of(function));
    const Value dict = attributes == nullptr ? Value() : vm.NewDict();
    return !dict.empty() && vm.DictSet(attributes, Value::Of(name), dict) ? dict : Value();
  }
  if (name == n.dict) {
    Dict* attributes = vm.AttributeDict(Value::Of(function));
    return attributes == nullptr ? Value() : Value::Of(attributes);
  }
  const std::string_view text = name->view();
  if (text == "__code__") return CodeOf(vm, *function->code);
  if (text == "__globals__") return ModuleDict(vm, function->module);
  if (text == "__closure__") {
    if (function->cell_count == 0) return Value::None();
    const Value cells = vm.NewTuple(nullptr, function->cell_count);
    for (uint32_t i = 0; !cells.empty() && i < function->cell_count; ++i)
      As<Tuple>(cells)->items[i] = Value::Of(function->cells[i]);
    return cells;
  }
  return Value();
}

bool IsBuiltin(Vm& vm, Native* native) {
  String* name = vm.Intern(native->name);
  Value* found = name == nullptr ? nullptr : vm.DictFindString(vm.builtins, name);
  return found != nullptr && *found == Value::Of(native);
}

// Functions do not know their module: it is the one that has this under its name.
Value ModuleOf(Vm& vm, Native* native) {
  if (native->owner != nullptr) return Value::None();
  if (IsBuiltin(vm, native)) return vm.NewString("builtins");
  String* name = vm.Intern(native->name);
  if (name == nullptr) return Value();
  for (const LibModule& row : LibModules()) {
    const std::string_view module = row.name;
    const Value found = vm.Imported(module);
    if (found.empty()) continue;
    const Value held = vm.GetAttributeOrEmpty(found, name);
    if (vm.failed()) return Value();
    if (held != Value::Of(native)) continue;
    // As CPython calls them.
    if (module == "_re" || module == "_time" || module == "_sys" || module == "_binascii")
      return vm.NewString(module.substr(1));
    const bool hidden = module == "operator" || module == "struct" || module == "bisect";
    return vm.NewString(hidden ? fmt::format("_{}", module) : std::string(module));
  }
  return Value::None();
}

Value OfNative(Vm& vm, Native* native, String* name) {
  if (name == vm.names.name) return vm.NewString(native->name);
  if (name == vm.names.qualname)
    return vm.NewString(native->owner == nullptr
                            ? std::string(native->name)
                            : fmt::format("{}.{}", native->owner->name->view(), native->name));
  if (name == vm.names.module) return ModuleOf(vm, native);
  if (name->view() == "__self__" && native->owner == nullptr)
    return IsBuiltin(vm, native) ? vm.Import("builtins", true) : Value::None();
  if (name->view() == "__text_signature__") return Value::None();
  if (name->view() == "__objclass__" && native->owner != nullptr) return Value::Of(native->owner);
  return Value();
}

Value OfException(Vm& vm, Exception* exception, String* name) {
  const auto& n = vm.names;
  const auto is = [&](Error error) {
    return vm.IsSubclass(exception->cls, vm.errors[static_cast<int>(error)]);
  };
  auto* args = As<Tuple>(exception->args);
  if (name == n.args) return exception->args;
  if (name == n.cause) return OrNone(exception->cause);
  if (name == n.context) return OrNone(exception->context);
  if (name == n.suppress_context) return Value::Bool(exception->suppress_context);
  if (name == n.value && is(Error::kStopIteration))
    return args->size > 0 ? args->items[0] : Value::None();
  if (name == n.code_ && is(Error::kSystemExit))
    return args->size == 0 ? Value::None() : args->size == 1 ? args->items[0] : exception->args;
  return Value();
}

// Of a property or a wrapped function: when one of the functions is.
bool IsAbstract(Vm& vm, Descriptor* descriptor, String* name) {
  for (Value function : {descriptor->get, descriptor->set, descriptor->remove}) {
    bool abstract = false;
    const Value said =
        function.empty() || function.IsNone() ? Value() : vm.GetAttributeOrEmpty(function, name);
    if (!said.empty() && vm.Truth(said, &abstract) && abstract) return true;
  }
  return false;
}

Value OfDescriptor(Vm& vm, Descriptor* descriptor, String* name) {
  NativeLevel level(vm);
  if (!level.ok()) return Value();
  if (name->view() == "__isabstractmethod__") return Value::Bool(IsAbstract(vm, descriptor, name));
  if (descriptor->kind() == DescriptorKind::kProperty) {
    if (name->view() == "fget") return OrNone(descriptor->get);
    if (name->view() == "fset") return OrNone(descriptor->set);
    if (name->view() == "fdel") return OrNone(descriptor->remove);
    if (name == vm.names.doc) {
      if (!descriptor->doc.empty()) return descriptor->doc;
      return descriptor->get.empty() || descriptor->get.IsNone()
                 ? Value::None()
                 : vm.GetAttributeOrEmpty(descriptor->get, name);
    }
    return Value();
  }
  if (name == vm.names.func || name == vm.names.wrapped) return descriptor->get;
  if (name == vm.names.name || name == vm.names.qualname || name == vm.names.doc ||
      name == vm.names.module || name == vm.names.annotations)
    return vm.GetAttributeOrEmpty(descriptor->get, name);
  return Value();
}

// The class that a class method of a built-in one stands in, as CPython shows it.
Value NameOfClassMethod(Vm& vm, const Class* cls, const Native* native) {
  String* const name = vm.Intern(native->name);
  for (uint32_t i = 0; name != nullptr && i < cls->mro_count; ++i)
    if (vm.DictFindString(cls->mro[i]->attributes, name) != nullptr)
      return vm.NewString(fmt::format("{}.{}", cls->mro[i]->qualified_name->view(), native->name));
  return Value();
}

Value OfBoundMethod(Vm& vm, BoundMethod* method, String* name) {
  if (name == vm.names.qualname && Is(method->function, Type::kNative) &&
      As<Native>(method->function)->owner == vm.classes[kTypeClass] &&
      Is(method->self, Type::kClass))
    return NameOfClassMethod(vm, As<Class>(method->self), As<Native>(method->function));
  NativeLevel level(vm);
  return level.ok() ? vm.GetAttributeOrEmpty(method->function, name) : Value();
}

Value OfSimple(Vm& vm, Value v, String* name) {
  const std::string_view text = name->view();
  switch (v.object()->type) {
    case Type::kSlice:
      if (text == "start") return As<Slice>(v)->start;
      if (text == "stop") return As<Slice>(v)->stop;
      if (text == "step") return As<Slice>(v)->step;
      return Value();
    case Type::kRange:
      if (text == "start" || text == "stop" || text == "step") {
        Value parts[4];
        if (!RangeParts(vm, As<Range>(v), parts)) return Value();
        return parts[text == "start" ? 0 : text == "stop" ? 1 : 2];
      }
      return Value();
    case Type::kModule:
      if (text == "__file__") return Value::Of(As<Module>(v)->file);
      if (name == vm.names.dict) return ModuleDict(vm, As<Module>(v));
      return Value();
    case Type::kSuper:
      if (text == "__thisclass__") return Value::Of(As<Super>(v)->owner);
      if (text == "__self__") return As<Super>(v)->self;
      if (text == "__self_class__") {
        Value self = As<Super>(v)->self;
        return Is(self, Type::kClass) && vm.IsSubclass(As<Class>(self), As<Super>(v)->owner)
                   ? self
                   : Value::Of(vm.ClassOf(self));
      }
      return Value();
    case Type::kCell: {
      if (text != "cell_contents") return Value();
      const Value held = As<Cell>(v)->value;
      return held.empty() ? vm.Raise(Error::kValueError, "Cell is empty") : held;
    }
    case Type::kMember:
      if (name == vm.names.name) return Value::Of(As<Member>(v)->name);
      if (text == "__objclass__") return Value::Of(As<Member>(v)->owner);
      if (name == vm.names.qualname)
        return vm.NewString(fmt::format("{}.{}", As<Member>(v)->owner->qualified_name->view(),
                                        As<Member>(v)->name->view()));
      return Value();
    case Type::kView:
      if (text == "mapping" && As<View>(v)->kind() != ViewKind::kProxy)
        return vm.NewView(ViewKind::kProxy, As<View>(v)->source);
      return Value();
    case Type::kAlias:
      if (name == vm.names.origin && As<Alias>(v)->kind() == AliasKind::kGeneric)
        return As<Alias>(v)->origin;
      if (name == vm.names.type_args) return As<Alias>(v)->args;
      if (text == "__parameters__") return ParametersOf(vm, As<Tuple>(As<Alias>(v)->args));
      if (As<Alias>(v)->kind() == AliasKind::kGeneric && name != vm.names.class_ &&
          text != "__mro_entries__" && text != "__copy__" && text != "__deepcopy__" &&
          text != "__reduce_ex__")
        return vm.GetAttributeOrEmpty(As<Alias>(v)->origin, name);
      return Value();
    default:
      return Value();
  }
}

}  // namespace

Value SpecialAttribute(Vm& vm, Value v, String* name) {
  const auto& n = vm.names;
  if (name == n.class_ && !Is(v, Type::kAlias)) return Value::Of(vm.ClassOf(v));
  if (!v.IsObject()) return name == n.doc ? Value::None() : Value();
  switch (v.object()->type) {
    case Type::kClass:
      return OfClass(vm, As<Class>(v), name);
    case Type::kFunction:
      return OfFunction(vm, As<Function>(v), name);
    case Type::kNative: {
      const Value found = OfNative(vm, As<Native>(v), name);
      return found.empty() && name == n.doc ? Value::None() : found;
    }
    case Type::kBoundMethod:
      if (name == n.self_) return As<BoundMethod>(v)->self;
      if (name == n.func) return As<BoundMethod>(v)->function;
      return OfBoundMethod(vm, As<BoundMethod>(v), name);
    case Type::kDescriptor: {
      const Value found = OfDescriptor(vm, As<Descriptor>(v), name);
      if (!found.empty() || vm.failed()) return found;
      break;
    }
    case Type::kException: {
      const Value found = OfException(vm, As<Exception>(v), name);
      if (!found.empty()) return found;
      break;
    }
    default: {
      const Value found = OfSimple(vm, v, name);
      if (!found.empty() || vm.failed()) return found;
      break;
    }
  }
  if (name == n.dict) {
    Dict* dict = vm.AttributeDict(v);
    return dict == nullptr ? Value() : Value::Of(dict);
  }
  return name == n.doc ? Value::None() : Value();
}

namespace {

// Which gives instances their layout: exceptions all have the same.
const Class* BuiltinBase(const Class* cls) {
  const Class* found = nullptr;
  for (uint32_t i = 0; i < cls->mro_count; ++i) {
    const Class* one = cls->mro[i];
    if (one->builtin && one->layout == cls->layout &&
        (found == nullptr || cls->layout == Type::kException))
      found = one;
  }
  return found;
}

bool SetClassOf(Vm& vm, Value v, Value value) {
  if (value.empty()) {
    vm.Raise(Error::kTypeError, "can't delete __class__ attribute");
    return true;
  }
  if (!Is(value, Type::kClass)) {
    vm.Throw(Error::kTypeError, "__class__ must be set to a class, not '{}' object",
             vm.TypeName(value));
    return true;
  }
  Class *from = vm.ClassOf(v), *to = As<Class>(value);
  if (from->builtin || to->builtin) {
    vm.Raise(Error::kTypeError,
             "__class__ assignment only supported for mutable types or ModuleType subclasses");
  } else if (BuiltinBase(from) != BuiltinBase(to) || from->members != to->members ||
             from->takes_dict != to->takes_dict) {
    vm.Throw(Error::kTypeError, "__class__ assignment: '{}' object layout differs from '{}'",
             to->name->view(), from->name->view());
  } else {
    ChangeClass(vm, v, to);
  }
  return true;
}

bool SetDictOf(Vm& vm, Value v, Value value) {
  Slots s;
  Class* cls = vm.ClassOf(v);
  if (!cls->takes_dict || !SlotsOf(v.object(), &s)) return false;
  Roots roots(vm);
  roots.Add(v);
  if (value.empty()) value = roots.Add(vm.NewDict());
  if (value.empty()) return true;
  if (!Is(value, Type::kDict)) {
    vm.Throw(Error::kTypeError, "__dict__ must be set to a dictionary, not a '{}'",
             vm.TypeName(value));
  } else if (SlotsDict(vm, s, cls) != nullptr) {
    (*s.slots)[(*s.shape)->count - 1] = value;
  }
  return true;
}

bool SetOfException(Vm& vm, Exception* exception, String* name, Value value) {
  const auto& n = vm.names;
  if (name == n.args) {
    const Value list = value.empty() ? Value() : vm.ToList(value);
    if (value.empty()) vm.Raise(Error::kTypeError, "args may not be deleted");
    const Value tuple =
        list.empty() ? list : vm.NewTuple(As<List>(list)->items, As<List>(list)->size);
    if (!tuple.empty()) exception->args = tuple;
    return true;
  }
  if (name == n.cause || name == n.context) {
    const bool cause = name == n.cause;
    if (value.empty()) {
      vm.Throw(Error::kTypeError, "{} may not be deleted", name->view());
    } else if (!value.IsNone() && !Is(value, Type::kException)) {
      vm.Throw(Error::kTypeError, "exception {} must be None or derive from BaseException",
               cause ? "cause" : "context");
    } else {
      (cause ? exception->cause : exception->context) = value.IsNone() ? Value() : value;
      if (cause) exception->suppress_context = true;
    }
    return true;
  }
  if (name == n.suppress_context && value.IsBool()) {
    exception->suppress_context = value.IsTrue();
    return true;
  }
  return false;
}

bool NotText(Vm& vm, String* name, Value value) {
  if (!value.empty() && IsStr(value)) return false;
  vm.Throw(Error::kTypeError, "{} must be set to a string object", name->view());
  return true;
}

}  // namespace

bool SetSpecial(Vm& vm, Value v, String* name, Value value) {
  if (!v.IsObject()) return false;
  if (name == vm.names.class_) return SetClassOf(vm, v, value);
  if (Is(v, Type::kException) && SetOfException(vm, As<Exception>(v), name, value)) return true;
  if (name == vm.names.dict && !Is(v, Type::kFunction)) return SetDictOf(vm, v, value);
  if (name == vm.names.doc && IsDescriptor(v, DescriptorKind::kProperty)) {
    As<Descriptor>(v)->doc = value;
    return true;
  }
  if (Is(v, Type::kCell) && name->view() == "cell_contents") {
    As<Cell>(v)->value = value;
    return true;
  }
  if ((IsExact(v, Type::kRange) || IsExact(v, Type::kSlice)) &&
      (name->view() == "start" || name->view() == "stop" || name->view() == "step")) {
    vm.Raise(Error::kAttributeError, "readonly attribute");
    return true;
  }
  return false;
}

static bool SetCode(Vm& vm, Function* function, Value value) {
  CodeObject* const code = value.empty() ? nullptr : CodeBehind(vm, value);
  CodeObject* const old = function->code;
  if (code == nullptr) {
    vm.Raise(Error::kTypeError, "__code__ must be set to a code object");
  } else if (code->captures.size() != function->cell_count) {
    vm.Throw(Error::kValueError, "{}() requires a code object with {} free vars, not {}",
             (function->name != nullptr ? function->name : old->name)->view(), function->cell_count,
             code->captures.size());
  } else if (code->module != old->module || old->generator) {
    // Generators run on with what their function has, and names are slots of the module.
    vm.Raise(Error::kValueError, "the code is of another module, or of a generator function");
  } else if (code->simple != old->simple || (code->simple && code->positional != old->positional)) {
    // Calls under way and the caches of instructions trust these.
    vm.Raise(Error::kValueError, "the code takes other parameters");
  }
  if (vm.failed()) return false;
  if (function->name == nullptr) function->name = old->name;
  if (function->qualified_name == nullptr) function->qualified_name = old->qualified_name;
  if (function->doc.empty()) function->doc = OrNone(old->doc);
  function->code = code;
  for (Class* cls : vm.script_classes)
    if (cls->quick_init == function) cls->quick_id = 0;
  return true;
}

bool SetOfFunction(Vm& vm, Function* function, String* name, Value value) {
  const auto& n = vm.names;
  if (name == n.name || name == n.qualname) {
    if (!NotText(vm, name, value))
      (name == n.name ? function->name : function->qualified_name) = As<String>(value);
    return !vm.failed();
  }
  if (name == n.module && !value.empty() && IsStr(value)) {
    function->module_name = As<String>(value);
    return true;
  }
  if (name == n.doc) {
    function->doc = value.empty() ? Value::None() : value;
    return true;
  }
  if (name == n.defaults || name == n.kwdefaults) {
    const bool plain = name == n.defaults;
    if (value.IsNone()) value = Value();
    if (!value.empty() && !Is(value, plain ? Type::kTuple : Type::kDict)) {
      vm.Throw(Error::kTypeError, "{} must be set to a {} object", name->view(),
               plain ? "tuple" : "dict");
      return false;
    }
    (plain ? function->defaults : function->keyword_defaults) = value;
    return true;
  }
  if (name == n.dict && !value.empty()) {
    if (!Is(value, Type::kDict)) {
      vm.Throw(Error::kTypeError, "__dict__ must be set to a dictionary, not a '{}'",
               vm.TypeName(value));
      return false;
    }
    function->attributes = As<Dict>(value);
    return true;
  }
  const std::string_view text = name->view();
  if (text == "__code__") return SetCode(vm, function, value);
  if (text == "__globals__" || text == "__closure__" || text == "__builtins__") {
    vm.Raise(Error::kAttributeError, "readonly attribute");
    return false;
  }
  Dict* attributes = vm.AttributeDict(Value::Of(function));
  if (attributes == nullptr) return false;
  if (!value.empty()) return vm.DictSet(attributes, Value::Of(name), value);
  if (!vm.DictRemove(attributes, Value::Of(name)).empty()) return true;
  if (!vm.failed()) vm.NoAttribute(Value::Of(function), name);
  return false;
}

bool SetSpecialOfClass(Vm& vm, Class* cls, String* name, Value value) {
  const auto& n = vm.names;
  if (name == n.class_) {
    // From one script's metaclass to another.
    const bool meta = Is(value, Type::kClass) && !As<Class>(value)->builtin &&
                      vm.IsSubclass(As<Class>(value), vm.classes[kTypeClass]);
    if (!meta || cls->meta == nullptr) {
      if (Is(value, Type::kClass))
        vm.Raise(Error::kTypeError,
                 "__class__ assignment only supported for mutable types or ModuleType subclasses");
      else
        SetClassOf(vm, Value::Of(cls), value);
      return true;
    }
    cls->meta = As<Class>(value);
    ClassChanged(vm, cls);
    return true;
  }
  if (name == n.name || name == n.qualname) {
    if (value.empty()) {
      vm.Throw(Error::kTypeError, "cannot delete '{}' attribute of type '{}'", name->view(),
               cls->name->view());
    } else if (!IsStr(value)) {
      vm.Throw(Error::kTypeError, "can only assign string to {}.{}, not '{}'", cls->name->view(),
               name->view(), vm.TypeName(value));
    } else {
      (name == n.name ? cls->name : cls->qualified_name) = As<String>(value);
    }
    return true;
  }
  if (name == n.module && IsStr(value)) {
    cls->module_name = As<String>(value);
    return false;  // into its attributes, too
  }
  if (name == n.bases) {
    AssignBases(vm, cls, value);
    return true;
  }
  if (name == n.mro || name == n.dict) {
    vm.Throw(Error::kAttributeError, "attribute '{}' of 'type' objects is not writable",
             name->view());
    return true;
  }
  return false;
}

}  // namespace ferry::vm
