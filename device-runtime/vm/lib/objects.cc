// type(), super(), property and its kin, generator methods, exceptions' base methods.
#include "device-runtime/vm/exec/special.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

Value TypeOf(Vm& vm, Args& args) {
  return Expect(vm, args, "type", 1, 1) ? Value::Of(vm.ClassOf(args[0])) : Value();
}

// super(): the class that holds the running method, and the method's first argument.
Value SuperOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "super", 0, 2)) return Value();
  Value owner, self;
  if (args.count == 2) {
    owner = args[0];
    self = args[1];
  } else if (!vm.frames.empty()) {
    const Frame& frame = vm.frames.back();
    owner = frame.function->owner;
    if (frame.code->positional > 0) self = frame.base[0];
    if (Is(self, Type::kCell)) self = As<Cell>(self)->value;
  }
  if (!Is(owner, Type::kClass) || self.empty())
    return vm.Raise(Error::kRuntimeError, "super(): no arguments");
  auto* super = static_cast<Super*>(vm.heap.NewObject(Type::kSuper, sizeof(Super)));
  if (super == nullptr) return vm.OutOfMemory();
  super->owner = As<Class>(owner);
  super->self = self;
  return Value::Of(super);
}

Value Wrapper(Vm& vm, Args& args, uint32_t kind, const char* name) {
  if (!Expect(vm, args, name, 1, 2)) return Value();
  Value v = vm.NewDescriptor(kind, args[0]);
  if (!v.empty() && args.count > 1) As<Descriptor>(v)->set = args[1];
  return v;
}
Value Property(Vm& vm, Args& args) {
  return Wrapper(vm, args, 0, "property");
}
Value StaticMethod(Vm& vm, Args& args) {
  return Wrapper(vm, args, 1, "staticmethod");
}
Value ClassMethod(Vm& vm, Args& args) {
  return Wrapper(vm, args, 2, "classmethod");
}
Value Setter(Vm& vm, Args& args) {
  if (!Expect(vm, args, "setter", 2, 2)) return Value();
  Value v = vm.NewDescriptor(0, As<Descriptor>(args[0])->get);
  if (!v.empty()) As<Descriptor>(v)->set = args[1];
  return v;
}

Value InitException(Vm& vm, Args& args) {
  if (!Is(args[0], Type::kException))
    return vm.Raise(Error::kTypeError, "an exception is required");
  Value tuple = vm.NewTuple(args.args + 1, args.count - 1);
  if (tuple.empty()) return tuple;
  As<Exception>(args[0])->args = tuple;
  return Value::None();
}

Value StopOf(Vm& vm, Generator* generator) {
  Value result = generator->result;
  Value tuple = result.empty() || result.IsNone() ? vm.empty_tuple : vm.NewTuple(&result, 1);
  if (!tuple.empty())
    vm.pending = vm.MakeException(vm.errors[static_cast<int>(Error::kStopIteration)], tuple);
  return Value();
}

Value Send(Vm& vm, Args& args) {
  if (!Expect(vm, args, "send", 2, 2)) return Value();
  auto* generator = As<Generator>(args[0]);
  if (generator->state == Generator::kFresh && !args[1].IsNone())
    return vm.Raise(Error::kTypeError, "can't send non-None value to a just-started generator");
  Value v = vm.Resume(generator, args[1], Value());
  return v.empty() && !vm.failed() ? StopOf(vm, generator) : v;
}

Value ThrowInto(Vm& vm, Args& args) {
  if (!Expect(vm, args, "throw", 2, 2)) return Value();
  Value exception = Is(args[1], Type::kClass) ? vm.Call(args[1], nullptr, 0) : args[1];
  if (!Is(exception, Type::kException))
    return vm.failed() ? Value()
                       : vm.Raise(Error::kTypeError, "exceptions must derive from BaseException");
  auto* generator = As<Generator>(args[0]);
  Value v = vm.Resume(generator, Value::None(), exception);
  return v.empty() && !vm.failed() ? StopOf(vm, generator) : v;
}

Value Close(Vm& vm, Args& args) {
  auto* generator = As<Generator>(args[0]);
  if (generator->state != Generator::kSuspended) {
    generator->state = Generator::kDone;
    return Value::None();
  }
  Value exit = vm.MakeException(vm.errors[static_cast<int>(Error::kGeneratorExit)], vm.empty_tuple);
  if (exit.empty()) return exit;
  Value v = vm.Resume(generator, Value::None(), exit);
  if (!v.empty()) return vm.Raise(Error::kRuntimeError, "generator ignored GeneratorExit");
  if (vm.failed() && !vm.TakePending(Error::kGeneratorExit) &&
      !vm.TakePending(Error::kStopIteration))
    return Value();
  return Value::None();
}

constexpr BuiltinRow kType[] = {{"__new__", TypeOf}};
constexpr BuiltinRow kSuper[] = {{"__new__", SuperOf}};
constexpr BuiltinRow kProperty[] = {{"__new__", Property}, {"setter", Setter}};
constexpr BuiltinRow kException[] = {{"__init__", InitException}};
constexpr BuiltinRow kGenerator[] = {
    {"close", Close}, {"send", Send, true}, {"throw", ThrowInto, true}};
constexpr BuiltinRow kFunctions[] = {{"classmethod", ClassMethod}, {"staticmethod", StaticMethod}};

}  // namespace

bool InstallObjects(Vm& vm) {
  for (const BuiltinRow& row : kFunctions) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.DictSetText(vm.builtins, row.name, native)) return false;
  }
  return AddMethods(vm, vm.classes[kTypeClass], kType) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kSuper)], kSuper) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kDescriptor)], kProperty) &&
         AddMethods(vm, vm.errors[static_cast<int>(Error::kBaseException)], kException) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kGenerator)], kGenerator);
}

}  // namespace ferry::vm
