// super(), property, staticmethod, classmethod.
#include "device-runtime/vm/exec/classes/special.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

// super(): the class that holds the running method, and the method's first argument.
bool Implied(Vm& vm, Value* owner, Value* self) {
  const auto fail = [&](const char* text) {
    vm.Raise(Error::kRuntimeError, text);
    return false;
  };
  if (vm.frames.empty()) return fail("super(): no current frame");
  const Frame& frame = vm.frames.back();
  if (frame.code->positional == 0) return fail("super(): no arguments");
  *self = frame.base[0];
  if (Is(*self, Type::kCell)) *self = As<Cell>(*self)->value;
  if (self->empty()) return fail("super(): arg[0] deleted");
  if (frame.code->class_cell < 0) return fail("super(): __class__ cell not found");
  *owner = frame.function->cells[frame.code->class_cell]->value;
  return !owner->empty() || fail("super(): empty __class__ cell");
}

Value SuperOf(Vm& vm, Args& args) {
  if (args.count > 2 && args.keywords() == 0)
    return vm.Throw(Error::kTypeError, "super() expected at most 2 arguments, got {}", args.count);
  if (!Expect(vm, args, "super", 0, 2)) return Value();
  Value owner, self;
  if (args.count == 0) {
    if (!Implied(vm, &owner, &self)) return Value();
  } else {
    owner = args[0];
    self = args.count == 2 ? args[1] : Value::None();
  }
  if (!Is(owner, Type::kClass))
    return vm.Throw(Error::kTypeError, "super() argument 1 must be a type, not {}",
                    vm.TypeName(owner));
  auto* cls = As<Class>(owner);
  const bool of_class = Is(self, Type::kClass) && vm.IsSubclass(As<Class>(self), cls);
  if (!of_class && args.count != 1 && !vm.IsInstance(self, cls))
    return vm.Raise(Error::kTypeError,
                    "super(type, obj): obj must be an instance or subtype of type");
  auto* super = Cast<Super>(vm.heap.NewObject(Type::kSuper, sizeof(Super)));
  if (super == nullptr) return vm.OutOfMemory();
  super->owner = cls;
  super->self = self;
  return Value::Of(super);
}

Value NewProperty(Vm& vm, Args& args) {
  Value bound[4];
  static constexpr const char* kNames[] = {"fget", "fset", "fdel", "doc"};
  if (!BindBuiltin(vm, args, "property", kNames, 0, 4, bound)) return Value();
  const Value v = vm.NewDescriptor(DescriptorKind::kProperty, bound[0]);
  if (v.empty()) return v;
  auto* descriptor = As<Descriptor>(v);
  const auto given = [](Value one) { return one.IsNone() ? Value() : one; };
  descriptor->get = given(bound[0]);
  descriptor->set = given(bound[1]);
  descriptor->remove = given(bound[2]);
  descriptor->doc = given(bound[3]);
  return v;
}

template <DescriptorKind kind>
Value Wrapped(Vm& vm, Args& args) {
  if (!Expect(vm, args, kind == DescriptorKind::kStaticMethod ? "staticmethod" : "classmethod", 1,
              1))
    return Value();
  return vm.NewDescriptor(kind, args[0]);
}

Value ChangedPart(Vm& vm, Args& args, int which) {
  if (!Expect(vm, args, which == 0 ? "getter" : which == 1 ? "setter" : "deleter", 2, 2))
    return Value();
  auto* old = As<Descriptor>(args[0]);
  Value parts[] = {old->get, old->set, old->remove};
  for (Value& part : parts)
    if (part.empty()) part = Value::None();
  if (!args[1].IsNone()) parts[which] = args[1];
  Roots roots(vm);
  const Value v = Derived(args[0]) ? roots.Add(vm.Call(Value::Of(vm.ClassOf(args[0])), parts, 3))
                                   : vm.NewDescriptor(DescriptorKind::kProperty, Value());
  if (v.empty() || !Is(v, Type::kDescriptor)) return v;
  auto* descriptor = As<Descriptor>(v);
  const auto given = [](Value one) { return one.IsNone() ? Value() : one; };
  descriptor->get = given(parts[0]);
  descriptor->set = given(parts[1]);
  descriptor->remove = given(parts[2]);
  descriptor->doc = old->doc;
  descriptor->name = old->name;
  return v;
}
template <int kWhich>
Value Changed(Vm& vm, Args& args) {
  return ChangedPart(vm, args, kWhich);
}
Value SetName(Vm& vm, Args& args) {
  if (!Expect(vm, args, "__set_name__", 3, 3)) return Value();
  As<Descriptor>(args[0])->name = args[2];
  return Value::None();
}

constexpr BuiltinRow kSuper[] = {{"__new__", SuperOf}};
constexpr BuiltinRow kProperty[] = {{"__new__", NewProperty},
                                    {"__set_name__", SetName},
                                    {"deleter", Changed<2>, true},
                                    {"getter", Changed<0>, true},
                                    {"setter", Changed<1>, true}};
constexpr BuiltinRow kStatic[] = {{"__new__", Wrapped<DescriptorKind::kStaticMethod>}};
constexpr BuiltinRow kClass[] = {{"__new__", Wrapped<DescriptorKind::kClassMethod>}};

}  // namespace

bool InstallDescriptors(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kSuper)], kSuper) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kDescriptor)], kProperty) &&
         AddMethods(vm, vm.classes[kStaticMethodClass], kStatic) &&
         AddMethods(vm, vm.classes[kClassMethodClass], kClass);
}

}  // namespace ferry::vm
