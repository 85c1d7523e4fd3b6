// await, async for and async generators.
#include "device-runtime/vm/exec/call/generator.h"
#include "device-runtime/vm/exec/loop/helper.h"

namespace ferry::vm {
namespace {

bool IsKind(Value v, GeneratorKind kind) {
  return Is(v, Type::kGenerator) && As<Generator>(v)->kind() == kind;
}

// Calls a special method by a name that has no place in Vm::Names.
Value CallNamed(Vm& vm, Value v, std::string_view name, bool* found) {
  String* const text = vm.Intern(name);
  *found = false;
  return text == nullptr ? Value() : vm.CallSpecial(v, text, nullptr, 0, found);
}

// Iterator::step of a kAsyncStep.
constexpr int64_t kFresh = 0, kRunning = 1, kOver = 2;

StepMode ModeOf(const Iterator* step) {
  return static_cast<StepMode>(step->index);
}
Generator* GeneratorOf(const Iterator* step) {
  return As<Generator>(step->source);
}

// What running the generator to its next stop means for the step: `v` as Resume gave it.
Value AfterRun(Vm& vm, Iterator* step, Value v, Value* result) {
  Generator* generator = GeneratorOf(step);
  if (!v.empty() && !AtOwnYield(generator)) return v;  // it awaits
  step->step = kOver;
  generator->aux &= ~kAsyncRunning;
  const bool closing = ModeOf(step) == StepMode::kClose;
  if (!v.empty()) {
    if (closing) return vm.Raise(Error::kRuntimeError, "async generator ignored GeneratorExit");
    *result = v;
    return Value();
  }
  if (!vm.failed()) {
    if (closing) {
      *result = Value::None();
      return Value();
    }
    const Value stop = vm.NewError(Error::kStopAsyncIteration);
    if (!stop.empty()) vm.pending = stop;
    return Value();
  }
  if (closing &&
      (vm.TakePending(Error::kStopAsyncIteration) || vm.TakePending(Error::kGeneratorExit)))
    *result = Value::None();
  return Value();
}

// The first run of a step; false: it may not run.
bool StartStep(Vm& vm, Iterator* step) {
  static constexpr std::string_view kNames[] = {"anext", "asend", "athrow", "aclose"};
  const auto mode = static_cast<size_t>(step->index);
  Generator* generator = GeneratorOf(step);
  if ((generator->aux & kAsyncRunning) != 0) {
    step->step = kOver;
    vm.Throw(Error::kRuntimeError, "{}(): asynchronous generator is already running",
             mode == 1 ? kNames[0] : kNames[mode]);
    return false;
  }
  step->step = kRunning;
  generator->aux |= kAsyncRunning;
  return true;
}

bool Reused(Vm& vm, Iterator* step) {
  if (step->step != kOver) return false;
  vm.Throw(Error::kRuntimeError, "cannot reuse already awaited {}",
           ModeOf(step) <= StepMode::kSend ? "__anext__()/asend()" : "aclose()/athrow()");
  return true;
}

}  // namespace

Value NewStep(Vm& vm, Generator* generator, StepMode mode, Value argument) {
  const Value v = vm.NewIterator(IteratorKind::kAsyncStep, Value::Of(generator), argument);
  if (v.empty()) return v;
  As<Iterator>(v)->index = static_cast<int64_t>(mode);
  As<Iterator>(v)->step = kFresh;
  return v;
}

Value SendStep(Vm& vm, Iterator* step, Value sent, Value* result) {
  *result = Value::None();
  if (Reused(vm, step)) return Value();
  Roots roots(vm);
  roots.Add(Value::Of(step));
  Generator* generator = GeneratorOf(step);
  if (step->step == kRunning)
    return AfterRun(vm, step, vm.Resume(generator, sent, Value()), result);
  if (!StartStep(vm, step)) return Value();
  const bool fresh = generator->state == Generator::kFresh;
  if (ModeOf(step) <= StepMode::kSend) {
    if (fresh && !step->extra.IsNone()) {
      step->step = kOver;
      generator->aux &= ~kAsyncRunning;
      return vm.Raise(Error::kTypeError,
                      "can't send non-None value to a just-started async generator");
    }
    if (generator->state == Generator::kDone) return AfterRun(vm, step, Value(), result);
    return AfterRun(vm, step, vm.Resume(generator, step->extra, Value()), result);
  }
  if (ModeOf(step) == StepMode::kClose && generator->state != Generator::kSuspended) {
    generator->state = Generator::kDone;
    return AfterRun(vm, step, Value(), result);
  }
  if (ModeOf(step) == StepMode::kThrow && generator->state == Generator::kDone)
    return AfterRun(vm, step, Value(), result);
  Value ignored;
  return AfterRun(vm, step, ThrowInto(vm, Value::Of(generator), step->extra, &ignored), result);
}

Value ThrowStep(Vm& vm, Iterator* step, Value exception, Value* result) {
  *result = Value::None();
  if (Reused(vm, step)) return Value();
  Roots roots(vm);
  roots.Add(Value::Of(step));
  if (step->step == kFresh && !StartStep(vm, step)) return Value();
  Value ignored;
  return AfterRun(vm, step, ThrowInto(vm, step->source, exception, &ignored), result);
}

Value AwaitableHelper(Vm& vm, Value* args) {
  const Value v = args[0];
  if (IsKind(v, GeneratorKind::kCoroutine)) {
    if (!DelegatedTo(As<Generator>(v)).empty() || As<Generator>(v)->state == Generator::kRunning)
      return vm.Raise(Error::kRuntimeError, "coroutine is being awaited already");
    return v;
  }
  if (Is(v, Type::kIterator) && (As<Iterator>(v)->kind() == IteratorKind::kAsyncStep ||
                                 As<Iterator>(v)->kind() == IteratorKind::kAwait))
    return v;
  bool found;
  const Value iterator = CallNamed(vm, v, "__await__", &found);
  if (!found && !vm.failed())
    return vm.Throw(Error::kTypeError, "object {} can't be used in 'await' expression",
                    vm.TypeName(v));
  if (iterator.empty()) return iterator;
  if (IsKind(iterator, GeneratorKind::kCoroutine))
    return vm.Raise(Error::kTypeError, "__await__() returned a coroutine");
  if (!Is(iterator, Type::kGenerator) && !Is(iterator, Type::kIterator) &&
      vm.FindInClass(vm.ClassOf(iterator), vm.names.next).empty())
    return vm.Throw(Error::kTypeError, "__await__() returned non-iterator of type '{}'",
                    vm.TypeName(iterator));
  return iterator;
}

Value AsyncIterateHelper(Vm& vm, Value* args) {
  if (IsKind(args[0], GeneratorKind::kAsyncGenerator)) return args[0];
  bool found;
  const Value iterator = CallNamed(vm, args[0], "__aiter__", &found);
  if (!found && !vm.failed())
    return vm.Throw(Error::kTypeError,
                    "'async for' requires an object with __aiter__ method, got {}",
                    vm.TypeName(args[0]));
  if (iterator.empty() || IsKind(iterator, GeneratorKind::kAsyncGenerator)) return iterator;
  String* const next = vm.Intern("__anext__");
  if (next == nullptr) return Value();
  if (vm.FindInClass(vm.ClassOf(iterator), next).empty())
    return vm.Throw(Error::kTypeError,
                    "'async for' received an object from __aiter__ that does not implement "
                    "__anext__: {}",
                    vm.TypeName(iterator));
  return iterator;
}

Value AsyncNextHelper(Vm& vm, Value* args) {
  if (IsKind(args[0], GeneratorKind::kAsyncGenerator))
    return NewStep(vm, As<Generator>(args[0]), StepMode::kNext, Value::None());
  bool found;
  const Value v = CallNamed(vm, args[0], "__anext__", &found);
  if (!found && !vm.failed())
    return vm.Throw(Error::kTypeError,
                    "'async for' requires an iterator with __anext__ method, got {}",
                    vm.TypeName(args[0]));
  return v;
}

Value IsStopAsyncHelper(Vm& vm, Value* args) {
  return Value::Bool(
      vm.IsInstance(args[0], vm.errors[static_cast<int>(Error::kStopAsyncIteration)]));
}

}  // namespace ferry::vm
