#include "device-runtime/vm/exec/call/generator.h"

#include "device-runtime/vm/exec/loop/helper.h"

namespace ferry::vm {
namespace {

const Instruction& At(Generator* generator) {
  return generator->function->code->instructions[generator->pc];
}

bool IsStep(Value v) {
  return Is(v, Type::kIterator) && As<Iterator>(v)->kind() == IteratorKind::kAsyncStep;
}
bool IsAwait(Value v) {
  return Is(v, Type::kIterator) && As<Iterator>(v)->kind() == IteratorKind::kAwait;
}

// The value of the pending StopIteration, which is taken; false: something else is pending.
bool TakeStop(Vm& vm, Value* result) {
  if (!vm.failed() || !vm.fatal.ok()) return false;
  const Value exception = vm.pending;
  if (!vm.TakePending(Error::kStopIteration)) return false;
  auto* args = As<Tuple>(As<Exception>(exception)->args);
  *result = args->size > 0 ? args->items[0] : Value::None();
  return true;
}

// A generator's own way on after what it delegates to has ended with `result`. ORDER:
// Compiler::Delegate.
Value GoOn(Vm& vm, Generator* generator, Value result) {
  generator->registers[At(generator).b] = result;
  ++generator->pc;  // the JumpBack: Resume goes on behind it
  return vm.Resume(generator, Value::None(), Value());
}

Value ThrowGenerator(Vm& vm, Generator* generator, Value exception) {
  const Value inner = DelegatedTo(generator);
  if (inner.empty()) return vm.Resume(generator, Value::None(), exception);
  Roots roots(vm);
  for (Value v : {Value::Of(generator), inner, exception}) roots.Add(v);
  generator->state = Generator::kRunning;
  Value yielded, result;
  bool over;
  if (vm.IsInstance(exception, vm.errors[static_cast<int>(Error::kGeneratorExit)])) {
    const bool closed = CloseIterator(vm, inner);
    generator->state = Generator::kSuspended;
    if (!vm.fatal.ok()) return Value();
    if (!closed) exception = roots.Add(std::exchange(vm.pending, Value()));
    return vm.Resume(generator, Value::None(), exception);
  }
  yielded = ThrowInto(vm, inner, exception, &result);
  generator->state = Generator::kSuspended;
  if (!yielded.empty()) return yielded;
  over = !vm.failed();
  if (over) return GoOn(vm, generator, result);
  if (!vm.fatal.ok()) return Value();
  exception = roots.Add(std::exchange(vm.pending, Value()));
  return vm.Resume(generator, Value::None(), exception);
}

}  // namespace

std::string_view KindName(Generator* generator) {
  return generator->kind() == GeneratorKind::kGenerator   ? "generator"
         : generator->kind() == GeneratorKind::kCoroutine ? "coroutine"
                                                          : "async generator";
}

Value DelegatedTo(Generator* generator) {
  if (generator->state != Generator::kSuspended) return Value();
  const Instruction& at = At(generator);
  return at.op == Op::kYield && at.c != 0 ? generator->registers[at.c - 1] : Value();
}

bool AtOwnYield(Generator* generator) {
  return generator->state == Generator::kSuspended && At(generator).op == Op::kYield &&
         At(generator).c == 0;
}

Value RaiseStop(Vm& vm, Value result) {
  const Value args = result.empty() || result.IsNone() ? vm.empty_tuple : vm.NewTuple(&result, 1);
  const Value stop =
      args.empty() ? args
                   : vm.MakeException(vm.errors[static_cast<int>(Error::kStopIteration)], args);
  if (!stop.empty()) vm.pending = stop;
  return Value();
}

Value SendInto(Vm& vm, Value iterator, Value sent, Value* result) {
  *result = Value::None();
  if (IsAwait(iterator)) iterator = As<Iterator>(iterator)->source;
  if (Is(iterator, Type::kGenerator)) {
    auto* generator = As<Generator>(iterator);
    const Value v = vm.Resume(generator, sent, Value());
    if (v.empty() && !vm.failed() && !generator->result.empty()) *result = generator->result;
    return v;
  }
  if (IsStep(iterator)) return SendStep(vm, As<Iterator>(iterator), sent, result);
  if (Is(iterator, Type::kIterator) && sent.IsNone()) return vm.Next(iterator);
  Value v;
  if (sent.IsNone()) {
    bool found;
    v = vm.CallSpecial(iterator, vm.names.next, nullptr, 0, &found);
    if (!found)
      return vm.Throw(Error::kTypeError, "'{}' object is not an iterator", vm.TypeName(iterator));
  } else {
    Roots roots(vm);
    String* const name = vm.Intern("send");
    const Value send = name == nullptr ? Value() : roots.Add(vm.GetAttribute(iterator, name));
    if (send.empty()) return send;
    v = vm.Call(send, &sent, 1);
  }
  if (v.empty()) TakeStop(vm, result);
  return v;
}

Value ThrowInto(Vm& vm, Value iterator, Value exception, Value* result) {
  *result = Value::None();
  if (IsAwait(iterator)) iterator = As<Iterator>(iterator)->source;
  if (Is(iterator, Type::kGenerator)) {
    auto* generator = As<Generator>(iterator);
    const Value v = ThrowGenerator(vm, generator, exception);
    if (v.empty() && !vm.failed() && !generator->result.empty()) *result = generator->result;
    return v;
  }
  if (IsStep(iterator)) return ThrowStep(vm, As<Iterator>(iterator), exception, result);
  Roots roots(vm);
  roots.Add(exception);
  String* const name = vm.Intern("throw");
  const Value method = name == nullptr ? Value() : vm.GetAttributeOrEmpty(iterator, name);
  if (method.empty()) {
    if (!vm.failed()) vm.pending = exception;
    return Value();
  }
  roots.Add(method);
  const Value v = vm.Call(method, &exception, 1);
  if (v.empty()) TakeStop(vm, result);
  return v;
}

bool CloseIterator(Vm& vm, Value iterator) {
  if (IsAwait(iterator)) iterator = As<Iterator>(iterator)->source;
  if (Is(iterator, Type::kGenerator)) return CloseGenerator(vm, As<Generator>(iterator));
  if (IsStep(iterator)) {
    As<Iterator>(iterator)->step = 2;
    return true;
  }
  String* const name = vm.Intern("close");
  const Value method = name == nullptr ? Value() : vm.GetAttributeOrEmpty(iterator, name);
  if (method.empty()) return !vm.failed();
  Roots roots(vm);
  roots.Add(method);
  return !vm.Call(method, nullptr, 0).empty();
}

bool CloseGenerator(Vm& vm, Generator* generator) {
  if (generator->state == Generator::kRunning) {
    vm.Throw(Error::kValueError, "{} already executing", KindName(generator));
    return false;
  }
  if (generator->state != Generator::kSuspended) {
    generator->state = Generator::kDone;
    return true;
  }
  Roots roots(vm);
  roots.Add(Value::Of(generator));
  const Value exit = vm.NewError(Error::kGeneratorExit);
  if (exit.empty()) return false;
  roots.Add(exit);
  if (!ThrowGenerator(vm, generator, exit).empty()) {
    vm.Throw(Error::kRuntimeError, "{} ignored GeneratorExit", KindName(generator));
    return false;
  }
  return !vm.failed() || vm.TakePending(Error::kGeneratorExit) ||
         vm.TakePending(Error::kStopIteration);
}

Value YieldFromIteratorHelper(Vm& vm, Value* args) {
  if (Is(args[0], Type::kGenerator) && As<Generator>(args[0])->kind() == GeneratorKind::kCoroutine)
    return vm.Raise(Error::kTypeError,
                    "cannot 'yield from' a coroutine object in a non-coroutine generator");
  return vm.Iterate(args[0]);
}

Value SendOn(Vm& vm, Value iterator, Value sent, bool* over) {
  Value result;
  const Value v = SendInto(vm, iterator, sent, &result);
  *over = v.empty() && !vm.failed();
  return *over ? result : v;
}

}  // namespace ferry::vm
