// Methods and attributes of generators, coroutines, async generators and their steps.
#include "device-runtime/vm/exec/call/generator.h"

#include "device-runtime/vm/exec/call/function.h"
#include "device-runtime/vm/exec/classes/special.h"
#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

Value Outcome(Vm& vm, Value v, Value result) {
  return v.empty() && !vm.failed() ? RaiseStop(vm, result) : v;
}

Value Send(Vm& vm, Args& args) {
  if (args.count != 2 || args.keywords() > 0)
    return vm.Throw(Error::kTypeError, "{}.send() takes exactly one argument ({} given)",
                    vm.TypeName(args[0]), args.count - 1);
  Value result;
  if (Is(args[0], Type::kGenerator)) {
    auto* generator = As<Generator>(args[0]);
    if (generator->state == Generator::kFresh && !args[1].IsNone())
      return vm.Throw(Error::kTypeError, "can't send non-None value to a just-started {}",
                      KindName(generator));
  }
  const Value v = SendInto(vm, args[0], args[1], &result);
  return Outcome(vm, v, result);
}

Value NextOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "__next__", 1, 1)) return Value();
  Value result;
  const Value v = SendInto(vm, args[0], Value::None(), &result);
  return Outcome(vm, v, result);
}

// throw(exception), or throw(type, value=None, traceback=None).
Value ExceptionOf(Vm& vm, Args& args) {
  if (args.count < 2 || args.count > 4 || args.keywords() > 0)
    return vm.Throw(Error::kTypeError, "throw expected at {} {} argument{}, got {}",
                    args.count < 2 ? "least" : "most", args.count < 2 ? 1 : 3,
                    args.count < 2 ? "" : "s", args.count - 1);
  if (args.count == 4 && !args[3].IsNone() && vm.TypeName(args[3]) != "traceback")
    return vm.Raise(Error::kTypeError, "throw() third argument must be a traceback object");
  const Value type = args[1], value = args.count > 2 ? args[2] : Value::None();
  if (Is(type, Type::kException)) {
    if (!value.IsNone())
      return vm.Raise(Error::kTypeError, "instance exception may not have a separate value");
    return type;
  }
  if (!Is(type, Type::kClass) ||
      !vm.IsSubclass(As<Class>(type), vm.errors[static_cast<int>(Error::kBaseException)]))
    return vm.Throw(Error::kTypeError,
                    "exceptions must be classes or instances deriving from BaseException, not {}",
                    vm.TypeName(type));
  if (Is(value, Type::kException) && vm.IsInstance(value, As<Class>(type))) return value;
  if (value.IsNone()) return vm.Call(type, nullptr, 0);
  if (Is(value, Type::kTuple))
    return vm.Call(type, As<Tuple>(value)->items, As<Tuple>(value)->size);
  return vm.Call(type, &value, 1);
}

Value Throw(Vm& vm, Args& args) {
  const Value exception = ExceptionOf(vm, args);
  if (exception.empty()) return exception;
  Value result;
  const Value v = ThrowInto(vm, args[0], exception, &result);
  return Outcome(vm, v, result);
}

Value Close(Vm& vm, Args& args) {
  if (!Expect(vm, args, "close", 1, 1)) return Value();
  return CloseIterator(vm, args[0]) ? Value::None() : Value();
}

Value Itself(Vm&, Args& args) {
  return args[0];
}

Value Await(Vm& vm, Args& args) {
  return vm.NewIterator(IteratorKind::kAwait, args[0]);
}

Value AsyncNext(Vm& vm, Args& args) {
  return NewStep(vm, As<Generator>(args[0]), StepMode::kNext, Value::None());
}
Value AsyncSend(Vm& vm, Args& args) {
  if (!Expect(vm, args, "asend", 2, 2)) return Value();
  return NewStep(vm, As<Generator>(args[0]), StepMode::kSend, args[1]);
}
Value AsyncThrow(Vm& vm, Args& args) {
  const Value exception = ExceptionOf(vm, args);
  if (exception.empty()) return exception;
  return NewStep(vm, As<Generator>(args[0]), StepMode::kThrow, exception);
}
Value AsyncClose(Vm& vm, Args& args) {
  if (!Expect(vm, args, "aclose", 1, 1)) return Value();
  const Value exit = vm.NewError(Error::kGeneratorExit);
  return exit.empty() ? exit : NewStep(vm, As<Generator>(args[0]), StepMode::kClose, exit);
}

// Attributes.
Value Running(Vm&, Args& args) {
  return Value::Bool(As<Generator>(args[0])->state == Generator::kRunning);
}
Value Suspended(Vm&, Args& args) {
  return Value::Bool(As<Generator>(args[0])->state == Generator::kSuspended);
}
Value DelegatesTo(Vm&, Args& args) {
  const Value v = DelegatedTo(As<Generator>(args[0]));
  return v.empty() ? Value::None() : v;
}
// None when it is over: what scripts ask a frame for.
Value FrameOf(Vm& vm, Args& args) {
  return As<Generator>(args[0])->state == Generator::kDone
             ? Value::None()
             : FrameOfGenerator(vm, As<Generator>(args[0]));
}
Value CodeOf(Vm& vm, Args& args) {
  String* const name = vm.Intern("__code__");
  return name == nullptr ? Value()
                         : vm.GetAttribute(Value::Of(As<Generator>(args[0])->function), name);
}
Value NameOf(Vm& vm, Args& args) {
  return vm.GetAttribute(Value::Of(As<Generator>(args[0])->function), vm.names.name);
}
Value QualifiedNameOf(Vm& vm, Args& args) {
  String* const name = vm.Intern("__qualname__");
  return name == nullptr ? Value()
                         : vm.GetAttribute(Value::Of(As<Generator>(args[0])->function), name);
}

// A generator has the names of its function, or those of a function like it of its own.
template <bool Qualified>
Value SetNameOf(Vm& vm, Args& args) {
  if (args.count != 2 || !IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "{} must be set to a string object",
                    Qualified ? "__qualname__" : "__name__");
  auto* generator = As<Generator>(args[0]);
  Function* const own = CopyFunction(vm, generator->function);
  if (own == nullptr) return Value();
  (Qualified ? own->qualified_name : own->name) = As<String>(args[1]);
  generator->function = own;
  return Value::None();
}

constexpr BuiltinRow kGenerator[] = {{"__iter__", Itself},
                                     {"__next__", NextOf, true},
                                     {"close", Close, true},
                                     {"send", Send, true},
                                     {"throw", Throw, true}};
constexpr BuiltinRow kCoroutine[] = {
    {"__await__", Await}, {"close", Close, true}, {"send", Send, true}, {"throw", Throw, true}};
constexpr BuiltinRow kAsyncGenerator[] = {{"__aiter__", Itself},
                                          {"__anext__", AsyncNext},
                                          {"aclose", AsyncClose},
                                          {"asend", AsyncSend},
                                          {"athrow", AsyncThrow, true}};
constexpr BuiltinRow kStep[] = {{"__await__", Itself},      {"__iter__", Itself},
                                {"__next__", NextOf, true}, {"close", Close, true},
                                {"send", Send, true},       {"throw", Throw, true}};
constexpr BuiltinRow kGeneratorFields[] = {
    {"__name__", NameOf},    {"__qualname__", QualifiedNameOf}, {"gi_frame", FrameOf},
    {"gi_running", Running}, {"gi_suspended", Suspended},       {"gi_yieldfrom", DelegatesTo},
    {"gi_code", CodeOf}};
constexpr BuiltinRow kCoroutineFields[] = {
    {"__name__", NameOf},  {"__qualname__", QualifiedNameOf}, {"cr_await", DelegatesTo},
    {"cr_frame", FrameOf}, {"cr_running", Running},           {"cr_suspended", Suspended},
    {"cr_code", CodeOf}};
constexpr BuiltinRow kAsyncFields[] = {{"__name__", NameOf},      {"__qualname__", QualifiedNameOf},
                                       {"ag_await", DelegatesTo}, {"ag_frame", FrameOf},
                                       {"ag_running", Running},   {"ag_code", CodeOf}};

bool AddFields(Vm& vm, Class* cls, std::span<const BuiltinRow> rows) {
  for (const BuiltinRow& row : rows) {
    const Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty()) return false;
    As<Native>(native)->owner = cls;
    const Value property = vm.NewDescriptor(DescriptorKind::kProperty, native);
    const bool qualified = row.function == QualifiedNameOf;
    if (!property.empty() && (qualified || row.function == NameOf)) {
      const Value set =
          vm.NewNative(row.name, qualified ? SetNameOf<true> : SetNameOf<false>, nullptr, false);
      if (set.empty()) return false;
      As<Descriptor>(property)->set = As<Descriptor>(property)->remove = set;
    }
    if (property.empty() || !vm.DictSetText(cls->attributes, row.name, property)) return false;
  }
  return true;
}

}  // namespace

bool InstallGenerator(Vm& vm) {
  Class* generator = vm.classes[static_cast<int>(Type::kGenerator)];
  return AddMethods(vm, generator, kGenerator) && AddFields(vm, generator, kGeneratorFields) &&
         AddMethods(vm, vm.classes[kCoroutineClass], kCoroutine) &&
         AddFields(vm, vm.classes[kCoroutineClass], kCoroutineFields) &&
         AddMethods(vm, vm.classes[kAsyncGeneratorClass], kAsyncGenerator) &&
         AddFields(vm, vm.classes[kAsyncGeneratorClass], kAsyncFields) &&
         AddMethods(vm, vm.classes[kAsyncStepClass], kStep) &&
         AddMethods(vm, vm.classes[kAwaitClass], kStep);
}

}  // namespace ferry::vm
