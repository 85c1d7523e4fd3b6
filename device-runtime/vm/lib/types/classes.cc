// object and type: making classes and instances, and what every class answers.
#include "device-runtime/vm/exec/classes/bases.h"
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/classes/special.h"
#include "device-runtime/vm/exec/collections/set.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

bool IsWrapper(Value v) {
  return Is(v, Type::kNative) && As<Native>(v)->wrapper;
}

// The arguments after the first.
Args Rest(const Args& args) {
  return {args.args + 1, args.count - 1, args.names};
}

Value NewPlain(Vm& vm, Class* cls, const Args& args) {
  if (cls->builtin && cls != vm.classes[kObjectClass])
    return vm.Throw(Error::kTypeError, "cannot create '{}' instances", cls->name->view());
  if (args.count > 1 || args.keywords() > 0) {
    if (!IsWrapper(vm.FindInClass(cls, vm.names.new_)))
      return vm.Raise(Error::kTypeError,
                      "object.__new__() takes exactly one argument (the type to instantiate)");
    if (IsWrapper(vm.FindInClass(cls, vm.names.init)))
      return vm.Throw(Error::kTypeError, "{}() takes no arguments", cls->name->view());
  }
  return NewInstance(vm, cls);
}

// name, bases, namespace.
Value NewClassOf(Vm& vm, Class* meta, const Args& args) {
  if (args.count != 3) {
    const Native* native = vm.running;
    return native != nullptr && native->owner != nullptr
               ? vm.Throw(Error::kTypeError, "type.__new__() takes exactly 3 arguments ({} given)",
                          args.count)
               : vm.Raise(Error::kTypeError, "type() takes 1 or 3 arguments");
  }
  static constexpr const char* kWhat[] = {"str", "tuple", "dict"};
  static constexpr Type kTypes[] = {Type::kString, Type::kTuple, Type::kDict};
  for (uint32_t i = 0; i < 3; ++i)
    if (!Is(args[i], kTypes[i]))
      return vm.Throw(Error::kTypeError, "type.__new__() argument {} must be {}, not {}", i + 1,
                      kWhat[i], vm.TypeName(args[i]));
  if (Text(args[0]).find('\0') != std::string_view::npos)
    return vm.Raise(Error::kValueError, "type name must not contain null characters");
  Roots roots(vm);
  const Value space = roots.Add(vm.NewDict());
  if (space.empty() || !vm.DictMerge(As<Dict>(space), args[2], false)) return Value();
  const Value keywords = args.keywords() == 0 ? Value() : roots.Add(vm.NewDict());
  for (uint32_t k = 0; k < args.keywords(); ++k)
    if (keywords.empty() ||
        !vm.DictSet(As<Dict>(keywords), args.names->items[k], args.args[args.count + k]))
      return Value();
  return vm.MakeClass(meta, args[0], args[1], As<Dict>(space),
                      keywords.empty() ? nullptr : As<Dict>(keywords));
}

bool FilledByInit(Type layout) {
  return layout == Type::kList || layout == Type::kDict || layout == Type::kSet ||
         layout == Type::kByteArray;
}

// args[0] is a class derived from a built-in one, or such a one.
Value NewDerived(Vm& vm, Class* cls, const Args& args) {
  const Args rest = Rest(args);
  Class* base = cls;
  for (uint32_t i = 0; i < cls->mro_count && !base->builtin; ++i) base = cls->mro[i];
  if (base->maker.empty())
    return vm.Throw(Error::kTypeError, "cannot create '{}' instances", cls->name->view());
  Roots roots(vm);
  // As their __new__ in CPython: keywords are for an __init__ that a class has of its own.
  const bool ignores = (cls->layout == Type::kTuple || cls->layout == Type::kFloat ||
                        cls->layout == Type::kFrozenSet) &&
                       !cls->builtin && !IsWrapper(vm.FindInClass(cls, vm.names.init));
  if (cls->layout == Type::kFrozenSet && rest.count > 1)
    return vm.Throw(Error::kTypeError, "{} expected at most 1 argument, got {}", cls->name->view(),
                    rest.count);
  const bool later =
      FilledByInit(cls->layout) || (cls->layout == Type::kRecord &&
                                    vm.DictFindString(base->attributes, vm.names.init) != nullptr);
  const Value plain = roots.Add(vm.Call(base->maker, rest.args, later ? 0 : rest.count,
                                        later || ignores ? nullptr : rest.names));
  return plain.empty() || cls->builtin ? plain : Derive(vm, cls, plain);
}

// args[0] is a built-in class, the others what its __new__ was given.
Value NewOfBuiltin(Vm& vm, Args& args) {
  auto* base = As<Class>(args[0]);
  if (args.count == 1)
    return vm.Throw(Error::kTypeError, "{}.__new__(): not enough arguments", base->name->view());
  if (!Is(args[1], Type::kClass))
    return vm.Throw(Error::kTypeError, "{}.__new__(X): X is not a type object ({})",
                    base->name->view(), vm.TypeName(args[1]));
  auto* cls = As<Class>(args[1]);
  if (!vm.IsSubclass(cls, base))
    return vm.Throw(Error::kTypeError, "{0}.__new__({1}): {1} is not a subtype of {0}",
                    base->name->view(), cls->name->view());
  if (cls->builtin && cls != base)  // bool of int
    return vm.Throw(Error::kTypeError, "{0}.__new__({1}) is not safe, use {1}.__new__()",
                    base->name->view(), cls->name->view());
  Args rest = Rest(args);
  return NewDerived(vm, cls, rest);
}

Value NewOf(Vm& vm, Args& args) {
  if (args.count == 0) return vm.Raise(Error::kTypeError, "object.__new__(): not enough arguments");
  if (!Is(args[0], Type::kClass))
    return vm.Throw(Error::kTypeError, "object.__new__(X): X is not a type object ({})",
                    vm.TypeName(args[0]));
  auto* cls = As<Class>(args[0]);
  const Args rest = Rest(args);
  if (cls->layout == Type::kInstance) return NewPlain(vm, cls, args);
  if (cls->layout == Type::kException) {
    // Some classes of exceptions look at their arguments: groups, OSError.
    for (uint32_t i = 0; i < cls->mro_count; ++i) {
      if (!cls->mro[i]->maker.empty())
        return vm.Call(cls->mro[i]->maker, args.args, args.count, args.names);
    }
    const Value tuple = vm.NewTuple(rest.args, rest.count);
    return tuple.empty() ? tuple : vm.MakeException(cls, tuple);
  }
  if (cls->layout == Type::kClass) return NewClassOf(vm, cls, rest);
  return vm.Throw(Error::kTypeError, "object.__new__({0}) is not safe, use {0}.__new__()",
                  cls->name->view());
}

Value InitObject(Vm& vm, Args& args) {
  if (args.count == 1 && args.keywords() == 0) return Value::None();
  Class* cls = vm.ClassOf(args[0]);
  if (cls->layout == Type::kRecord || cls->layout == Type::kIterator) return Value::None();
  const Value init = vm.FindInClass(cls, vm.names.init);
  const bool plain = cls->layout == Type::kInstance;
  const Value own = vm.FindInClass(vm.classes[kObjectClass], vm.names.init);
  if (plain ? !IsWrapper(init) : !(init == own))
    return vm.Raise(Error::kTypeError,
                    "object.__init__() takes exactly one argument (the instance to initialize)");
  if (plain && IsWrapper(vm.FindInClass(cls, vm.names.new_)))
    return vm.Throw(Error::kTypeError,
                    "{}.__init__() takes exactly one argument (the instance to initialize)",
                    cls->name->view());
  return Value::None();
}

Value InitException(Vm& vm, Args& args) {
  auto* exception = As<Exception>(args[0]);
  const Value tuple = vm.NewTuple(args.args + 1, args.count - 1);
  if (tuple.empty()) return tuple;
  exception->args = tuple;
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    const std::string_view name = Text(args.names->items[k]);
    const auto is = [&](Error error) {
      return vm.IsSubclass(exception->cls, vm.errors[static_cast<int>(error)]);
    };
    const bool known = (name == "name" && (is(Error::kImportError) || is(Error::kNameError) ||
                                           is(Error::kAttributeError))) ||
                       (name == "path" && is(Error::kImportError)) ||
                       (name == "obj" && is(Error::kAttributeError));
    if (!known && is(Error::kImportError))
      return vm.Throw(Error::kTypeError, "'{}' is an invalid keyword argument for ImportError()",
                      name);
    if (!known)
      return vm.Throw(Error::kTypeError, "{}() takes no keyword arguments",
                      exception->cls->name->view());
    if (!vm.SetPlain(args[0], vm.Intern(name), args.args[args.count + k])) return Value();
  }
  return Value::None();
}

// A list, dict or set takes what its class makes of the arguments.
Value InitCollection(Vm& vm, Args& args) {
  const Type layout = args[0].object()->type;
  Class* const cls = vm.ClassOf(args[0]);
  if (args.count > 2)
    return vm.Throw(Error::kTypeError, "{} expected at most 1 argument, got {}",
                    layout == Type::kSet    ? cls->name->view()
                    : layout == Type::kDict ? "dict"
                                            : "list",
                    args.count - 1);
  Roots roots(vm);
  if (layout == Type::kDict) {
    const Value update = vm.FindInClass(vm.classes[static_cast<int>(layout)], vm.Intern("update"));
    return vm.Call(update, args.args, args.count, args.names).empty() ? Value() : Value::None();
  }
  // A list's keywords are for a __new__ that its class has of its own.
  Class* const base = vm.classes[static_cast<int>(layout)];
  const bool ignores = layout == Type::kList &&
                       vm.FindInClass(cls, vm.names.new_) != vm.FindInClass(base, vm.names.new_);
  const Value plain = roots.Add(
      vm.Call(base->maker, args.args + 1, args.count - 1, ignores ? nullptr : args.names));
  if (plain.empty()) return plain;
  if (layout == Type::kList) {
    As<List>(args[0])->size = 0;
    return vm.Extend(As<List>(args[0]), plain) ? Value::None() : Value();
  }
  vm.DictClear(As<Dict>(args[0]));
  return SetUpdate(vm, As<Dict>(args[0]), plain) ? Value::None() : Value();
}

Value TypeOf(Vm& vm, Args& args) {
  if (args.count == 1 && args.keywords() == 0) return Value::Of(vm.ClassOf(args[0]));
  // The metaclass of a base makes it, if it is another one.
  Class* meta = vm.classes[kTypeClass];
  for (uint32_t i = 0; args.count == 3 && Is(args[1], Type::kTuple) && i < As<Tuple>(args[1])->size;
       ++i) {
    Class* const other = vm.ClassOf(As<Tuple>(args[1])->items[i]);
    if (other != meta && vm.IsSubclass(other, meta)) meta = other;
  }
  if (meta == vm.classes[kTypeClass]) return NewClassOf(vm, meta, args);
  Roots roots(vm);
  const Value list = roots.Add(vm.NewList(args.args, args.count));
  const Value keywords = roots.Add(vm.NewDict());
  for (uint32_t k = 0; !keywords.empty() && k < args.keywords(); ++k)
    if (!vm.DictSet(As<Dict>(keywords), args.names->items[k], args.args[args.count + k]))
      return Value();
  return list.empty() || keywords.empty() ? Value()
                                          : vm.CallSpread(Value::Of(meta), list, keywords);
}
Value InitType(Vm& vm, Args& args) {
  return args.count == 2 || args.count == 4
             ? Value::None()
             : vm.Raise(Error::kTypeError, "type.__init__() takes 1 or 3 arguments");
}

Value Order(Vm& vm, Args& args) {
  return DefaultOrder(vm, As<Class>(args[0]));
}

Value Subclasses(Vm& vm, Args& args) {
  const Value list = vm.NewList(nullptr, 0);
  const auto add = [&](Class* cls) {
    if (list.empty() || cls == nullptr || !IsDirectBase(cls, As<Class>(args[0]))) return;
    vm.Append(As<List>(list), Value::Of(cls));
  };
  for (Class* cls : vm.classes) add(cls);
  for (Class* cls : vm.errors)
    if (cls != vm.classes[kObjectClass]) add(cls);
  for (Class* cls : vm.script_classes) add(cls);
  return list.empty() || !vm.ChargeSteps(As<List>(list)->size) ? Value() : list;
}

Value InstanceCheck(Vm& vm, Args& args) {
  if (!Expect(vm, args, "__instancecheck__", 2, 2)) return Value();
  return Value::Bool(vm.IsInstance(args[1], As<Class>(args[0])));
}
Value SubclassCheck(Vm& vm, Args& args) {
  if (!Expect(vm, args, "__subclasscheck__", 2, 2)) return Value();
  if (!Is(args[1], Type::kClass))
    return vm.Raise(Error::kTypeError, "issubclass() arg 1 must be a class");
  return Value::Bool(vm.IsSubclass(As<Class>(args[1]), As<Class>(args[0])));
}
Value Prepare(Vm& vm, Args&) {
  return vm.NewDict();
}
Value InitSubclass(Vm& vm, Args& args) {
  if (args.keywords() == 0 && args.count == 1) return Value::None();
  return vm.Throw(Error::kTypeError, "{}.__init_subclass__() takes no keyword arguments",
                  Is(args[0], Type::kClass) ? As<Class>(args[0])->name->view() : "object");
}
Value SubclassHook(Vm& vm, Args&) {
  return vm.not_implemented;
}

// Attributes that objects have without an entry in their class.
constexpr struct {
  int cls;
  std::string_view names;
} kUnlisted[] = {
    {static_cast<int>(Type::kFunction),
     "__annotations__ __builtins__ __closure__ __code__ __defaults__ __dict__ __globals__ "
     "__kwdefaults__ __module__ __name__ __qualname__"},
    {static_cast<int>(Type::kNative),
     "__module__ __name__ __qualname__ __self__ "
     "__text_signature__"},
    {static_cast<int>(Type::kBoundMethod), "__func__ __self__"},
    {kMethodDescriptorClass, "__name__ __objclass__ __qualname__ __text_signature__"},
    {static_cast<int>(Type::kDescriptor), "__isabstractmethod__ fdel fget fset"},
    {static_cast<int>(Type::kSlice), "start step stop"},
    {static_cast<int>(Type::kRange), "start step stop"},
    {kTypeClass,
     "__abstractmethods__ __annotations__ __base__ __bases__ __basicsize__ __dict__ "
     "__dictoffset__ __flags__ __itemsize__ __module__ __mro__ __name__ __qualname__ "
     "__text_signature__ __weakrefoffset__"}};

bool AddUnlisted(Vm& vm, const Class* cls, Dict* names) {
  const auto add = [&](std::string_view rest) {
    while (!rest.empty()) {
      const size_t end = rest.find(' ');
      if (!vm.DictSetText(names, rest.substr(0, end), Value::None())) return false;
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return true;
  };
  if (!cls->builtin)
    return add(cls->takes_dict && cls->takes_weak ? "__dict__ __weakref__"
               : cls->takes_dict                  ? "__dict__"
               : cls->takes_weak                  ? "__weakref__"
                                                  : "");
  if (cls == vm.errors[static_cast<int>(Error::kBaseException)])
    return add(
        "__cause__ __context__ __dict__ __setstate__ __suppress_context__ __traceback__ "
        "args");
  for (const auto& row : kUnlisted)
    if (cls == vm.classes[row.cls]) return add(row.names);
  return true;
}

// None, ... and NotImplemented, called as classes.
template <int kClass>
Value TheOnly(Vm& vm, Args& args) {
  if (args.count > 0 || args.keywords() > 0)
    return vm.Throw(Error::kTypeError, "{} takes no arguments",
                    kClass == kNoneClass             ? "NoneType"
                    : kClass == kNotImplementedClass ? "NotImplementedType"
                                                     : "EllipsisType");
  return kClass == kNoneClass             ? Value::None()
         : kClass == kNotImplementedClass ? vm.not_implemented
                                          : vm.ellipsis;
}

// Names in classes, the object's own first, sorted.
Value Dir(Vm& vm, Args& args) {
  Roots roots(vm);
  const Value names = roots.Add(vm.NewDict());
  if (names.empty()) return names;
  const auto add = [&](Dict* from) {
    for (uint32_t i = 0; i < from->used; ++i)
      if (!from->entries[i].key.empty() &&
          !vm.DictSet(As<Dict>(names), from->entries[i].key, Value::None()))
        return false;
    return true;
  };
  const bool of_class = Is(args[0], Type::kClass);
  Class* cls = of_class ? As<Class>(args[0]) : vm.ClassOf(args[0]);
  Value own = of_class ? Value() : vm.GetAttributeOrEmpty(args[0], vm.names.dict);
  if (vm.failed()) return Value();
  if (Is(own, Type::kDict) && !add(As<Dict>(own))) return Value();
  for (uint32_t i = 0; i < cls->mro_count; ++i)
    if (!add(cls->mro[i]->attributes) || !AddUnlisted(vm, cls->mro[i], As<Dict>(names)))
      return Value();
  for (String* name : {vm.names.class_, vm.names.doc})
    if (!vm.DictSet(As<Dict>(names), Value::Of(name), Value::None())) return Value();
  return vm.ToList(names);
}

constexpr BuiltinRow kType[] = {{"__instancecheck__", InstanceCheck},
                                {"__subclasscheck__", SubclassCheck},
                                {"__subclasses__", Subclasses},
                                {"mro", Order}};

}  // namespace

bool AddNew(Vm& vm, Class* cls) {
  if (cls->layout == Type::kException) return true;  // object's calls the maker
  const Value native = vm.NewNative("__new__", NewOfBuiltin, nullptr, true);
  const Value bound = native.empty() ? native : vm.NewBound(Value::Of(cls), native);
  return !bound.empty() && vm.DictSet(cls->attributes, Value::Of(vm.names.new_), bound);
}

bool InstallClasses(Vm& vm) {
  Class* object = vm.classes[kObjectClass];
  Class* type = vm.classes[kTypeClass];
  const Value maker = vm.NewNative("type", TypeOf, nullptr, true);
  if (maker.empty() || !InstallWrappers(vm)) return false;
  type->maker = maker;
  const auto only = [&](int cls, Builtin function) {
    const Value native = vm.NewNative("type", function, nullptr, false);
    return !(vm.classes[cls]->maker = native).empty();
  };
  if (!only(kNoneClass, TheOnly<kNoneClass>) ||
      !only(kNotImplementedClass, TheOnly<kNotImplementedClass>) ||
      !only(static_cast<int>(Type::kEllipsis), TheOnly<static_cast<int>(Type::kEllipsis)>))
    return false;
  const auto class_method = [&](Class* cls, const char* name, Builtin function) {
    const Value native = vm.NewNative(name, function, nullptr, true);
    const Value wrapped =
        native.empty() ? native : vm.NewDescriptor(DescriptorKind::kClassMethod, native);
    if (!native.empty()) As<Native>(native)->owner = vm.classes[kTypeClass];
    return !wrapped.empty() && vm.DictSetText(cls->attributes, name, wrapped);
  };
  Class* base = vm.errors[static_cast<int>(Error::kBaseException)];
  if (!AddWrapper(vm, object, "__new__", NewOf) ||
      !AddWrapper(vm, object, "__init__", InitObject) || !AddWrapper(vm, object, "__dir__", Dir) ||
      !AddWrapper(vm, base, "__init__", InitException) ||
      !AddWrapper(vm, type, "__init__", InitType) || !AddMethods(vm, type, kType) ||
      !class_method(type, "__prepare__", Prepare) ||
      !class_method(object, "__init_subclass__", InitSubclass) ||
      !class_method(object, "__subclasshook__", SubclassHook))
    return false;
  As<Native>(*vm.DictFindString(object->attributes, vm.names.new_))->owner = nullptr;
  for (Type layout : {Type::kList, Type::kDict, Type::kSet})
    if (!AddWrapper(vm, vm.classes[static_cast<int>(layout)], "__init__", InitCollection))
      return false;
  return true;
}

}  // namespace ferry::vm
