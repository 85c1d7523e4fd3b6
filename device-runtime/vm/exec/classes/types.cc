// Classes: the built-in ones, lookup along the method resolution order, making new ones.
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

Class* Vm::ClassOfOther(Value v) {
  if (v.IsObject()) {
    Object* object = v.object();
    if (object->derived) return ExtensionOf(object)->shape->cls;
    switch (object->type) {
      case Type::kInstance:
        return Cast<Instance>(object)->shape->cls;
      case Type::kException:
        return Cast<Exception>(object)->cls;
      case Type::kNativeObject:
        return Cast<NativeObject>(object)->cls;
      case Type::kRecord:
        return Cast<Record>(object)->cls;
      case Type::kIterator:
        return ClassOfIterator(Cast<Iterator>(object));
      case Type::kBigInt:
        return classes[kIntClass];
      case Type::kGenerator: {
        const GeneratorKind kind = Cast<Generator>(object)->kind();
        return classes[kind == GeneratorKind::kGenerator   ? static_cast<int>(Type::kGenerator)
                       : kind == GeneratorKind::kCoroutine ? kCoroutineClass
                                                           : kAsyncGeneratorClass];
      }
      case Type::kClass: {
        Class* meta = Cast<Class>(object)->meta;
        return meta == nullptr ? classes[kTypeClass] : meta;
      }
      case Type::kNative: {
        auto* native = Cast<Native>(object);
        return native->wrapper            ? classes[kWrapperClass]
               : native->owner != nullptr ? classes[kMethodDescriptorClass]
                                          : classes[static_cast<int>(Type::kNative)];
      }
      case Type::kDescriptor: {
        static constexpr int kClasses[] = {static_cast<int>(Type::kDescriptor), kStaticMethodClass,
                                           kClassMethodClass};
        return classes[kClasses[static_cast<size_t>(Cast<Descriptor>(object)->kind())]];
      }
      case Type::kView:
        return classes[kKeysClass + static_cast<int>(Cast<View>(object)->kind())];
      case Type::kAlias:
        return classes[Cast<Alias>(object)->kind() == AliasKind::kUnion
                           ? kUnionClass
                           : static_cast<int>(Type::kAlias)];
      case Type::kBoundMethod: {
        // A built-in's method is a built-in like any other.
        const bool native = Is(Cast<BoundMethod>(object)->function, Type::kNative);
        return classes[static_cast<int>(native ? Type::kNative : Type::kBoundMethod)];
      }
      case Type::kEllipsis:
        return classes[v == not_implemented ? static_cast<int>(kNotImplementedClass)
                                            : static_cast<int>(Type::kEllipsis)];
      default:
        return classes[static_cast<int>(object->type)];
    }
  }
  if (v.IsSmallInt()) return classes[kIntClass];
  if (v.IsFloat()) return classes[kFloatClass];
  if (v.IsBool()) return classes[kBoolClass];
  return classes[kNoneClass];
}

static std::string_view NameInModule(Vm& vm, const Class* cls) {
  const String* both = vm.Intern(fmt::format("{}.{}", cls->module_name->view(), cls->name->view()));
  return both == nullptr ? cls->name->view() : both->view();
}

// Whether CPython has this class of the library, which is Python here, in C.
static bool IsNative(const Class* cls) {
  const std::string_view module = cls->module_name->view(), name = cls->name->view();
  return module == "datetime" || module == "decimal" || module == "_io" ||
         (module == "collections" && (name == "OrderedDict" || name == "defaultdict")) ||
         (module == "functools" && name == "partial");
}

std::string_view Vm::TypeName(Value v) {
  if (IsExact(v, Type::kArray)) return "array.array";
  const Class* cls = ClassOf(v);
  // As CPython names the classes of its library that are written in C.
  if (cls->builtin && cls->layout == Type::kRecord && cls->module_name != nullptr &&
      cls->module_name->view() != "builtins")
    return NameInModule(*this, cls);
  if (!cls->builtin && cls->module_name != nullptr && IsNative(cls))
    return NameInModule(*this, cls);
  return cls->name->view();
}

Value Vm::SearchClass(Class* cls, String* name) {
  Value found;
  for (uint32_t i = 0; i < cls->mro_count; ++i) {
    Value* value = DictFindString(cls->mro[i]->attributes, name);
    if (value != nullptr) {
      found = *value;
      break;
    }
  }
  MethodLine(cls, name) = {cls, name, found};
  return found;
}

bool Vm::IsSubclass(Class* cls, Class* base) {
  for (uint32_t i = 0; i < cls->mro_count; ++i)
    if (cls->mro[i] == base) return true;
  return false;
}

// One class of isinstance() or issubclass(): `ask` a method of its class, or the order of `cls`.
static bool Matches(Vm& vm, Value asked, Class* cls, Value classes, String* hook, bool* match,
                    int depth) {
  if (depth > 50) {
    vm.Raise(Error::kRecursionError, "maximum recursion depth exceeded in __instancecheck__");
    return false;
  }
  const bool is_union = IsAlias(classes, AliasKind::kUnion);
  if (Is(classes, Type::kTuple) || is_union) {
    const Value tuple = is_union ? As<Alias>(classes)->args : classes;
    for (uint32_t i = 0; i < As<Tuple>(tuple)->size && !*match; ++i)
      if (!Matches(vm, asked, cls, As<Tuple>(tuple)->items[i], hook, match, depth + 1))
        return false;
    return true;
  }
  if (classes.IsNone() && depth > 0) {  // of a union
    *match = cls == vm.classes[kNoneClass];
    return true;
  }
  bool found = false;
  if (HasMethods(classes) && !(Is(classes, Type::kClass) && Value::Of(cls) == classes)) {
    Roots roots(vm);
    roots.Add(asked);
    const Value answer = vm.CallSpecial(classes, hook, &asked, 1, &found);
    if (found) return !answer.empty() && vm.Truth(answer, match);
  }
  if (IsAlias(classes, AliasKind::kGeneric)) {
    vm.Throw(Error::kTypeError, "{}() argument 2 cannot be a parameterized generic",
             hook == vm.names.instancecheck ? "isinstance" : "issubclass");
    return false;
  }
  if (!Is(classes, Type::kClass)) {
    const bool instance = hook == vm.names.instancecheck;
    vm.Throw(Error::kTypeError, "{}() arg 2 must be a {}, a tuple of {}, or a union",
             instance ? "isinstance" : "issubclass", instance ? "type" : "class",
             instance ? "types" : "classes");
    return false;
  }
  *match = vm.IsSubclass(cls, As<Class>(classes));
  return true;
}

bool Vm::IsInstanceOf(Value v, Value classes, bool* match) {
  *match = false;
  Class* cls = ClassOf(v);
  if (!Matches(*this, v, cls, classes, names.instancecheck, match, 0)) return false;
  if (*match || !HasMethods(v) || !Is(classes, Type::kClass)) return true;
  // An object may say that it is of another class (as mocks do).
  const Value property = FindSpecial(cls, names.class_);
  if (property.empty()) return true;
  const Value said = GetAttributeOrEmpty(v, names.class_);
  if (failed()) return false;
  if (Is(said, Type::kClass)) *match = IsSubclass(As<Class>(said), As<Class>(classes));
  return true;
}

bool Vm::IsSubclassOf(Value cls, Value classes, bool* match) {
  *match = false;
  if (!Is(cls, Type::kClass)) {
    Raise(Error::kTypeError, "issubclass() arg 1 must be a class");
    return false;
  }
  return Matches(*this, cls, As<Class>(cls), classes, names.subclasscheck, match, 0);
}

// Of built-in classes: what instances of script classes may be like.
static bool AcceptableBase(Type layout) {
  switch (layout) {
    case Type::kInstance:
    case Type::kException:
    case Type::kString:
    case Type::kBytes:
    case Type::kBigInt:
    case Type::kFloat:
    case Type::kList:
    case Type::kTuple:
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet:
    case Type::kNativeObject:
    case Type::kDescriptor:
    case Type::kClass:
    case Type::kComplex:
    case Type::kByteArray:
    case Type::kArray:
    case Type::kRecord:
      return true;
    default:
      return false;
  }
}

Class* Vm::NewClass(std::string_view name, Class* base, Type layout) {
  auto* cls = Cast<Class>(heap.NewObject(Type::kClass, sizeof(Class)));
  if (cls == nullptr) {
    OutOfMemory();
    return nullptr;
  }
  cls->name = Intern(name);
  Value attributes = NewDict();
  if (cls->name == nullptr || attributes.empty()) return nullptr;
  cls->attributes = As<Dict>(attributes);
  cls->qualified_name = cls->name;
  cls->layout = layout;
  cls->builtin = true;
  cls->acceptable_base = AcceptableBase(layout);
  cls->takes_dict = layout == Type::kException || layout == Type::kFunction;
  cls->id = NewId();
  cls->instance_id = NewId();
  cls->bases = Value();
  cls->maker = base == nullptr || layout != Type::kException ? Value() : base->maker;
  const uint32_t count = base == nullptr ? 1 : base->mro_count + 1;
  cls->mro = static_cast<Class**>(heap.NewBuffer(count * sizeof(Class*)));
  if (cls->mro == nullptr) {
    OutOfMemory();
    return nullptr;
  }
  cls->mro_count = count;
  cls->mro[0] = cls;
  for (uint32_t i = 1; i < count; ++i) cls->mro[i] = base->mro[i - 1];
  return cls;
}

}  // namespace ferry::vm
