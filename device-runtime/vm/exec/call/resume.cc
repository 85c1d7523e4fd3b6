#include "device-runtime/vm/exec/call/resume.h"

#include "device-runtime/vm/exec/call/generator.h"

namespace ferry::vm {

Value NewGenerator(Vm& vm, Function* function, const Value* args, uint32_t count) {
  const CodeObject* code = function->code;
  const size_t room = GeneratorRoom(code->registers);
  const bool inlined = sizeof(Generator) + room <= kMaxSmall;
  auto* generator = Cast<Generator>(
      vm.heap.NewUncleared(Type::kGenerator, sizeof(Generator) + (inlined ? room : 0)));
  if (generator == nullptr) return vm.OutOfMemory();
  generator->pc = 0;
  generator->state = Generator::kFresh;
  generator->register_count = 0;
  generator->function = function;
  generator->aux = static_cast<uint32_t>(code->generator_kind);
  generator->result = Value();
  generator->registers =
      inlined ? generator->inline_registers : static_cast<Value*>(vm.heap.NewBuffer(room));
  if (generator->registers == nullptr) return vm.OutOfMemory();
  generator->register_count = code->registers;
  for (uint32_t i = 0; i < count; ++i) generator->registers[i] = args[i];
  for (uint32_t i = count; i < code->registers; ++i) generator->registers[i] = Value();
  return Value::Of(generator);
}

Value NoStop(Vm& vm, Generator* generator) {
  const auto is = [&](Error error) {
    return vm.IsInstance(vm.pending, vm.errors[static_cast<int>(error)]);
  };
  const bool async = generator->kind() == GeneratorKind::kAsyncGenerator;
  const bool stop = is(Error::kStopIteration);
  if (!stop && !(async && is(Error::kStopAsyncIteration))) return Value();
  const Value cause = vm.pending;
  Roots roots(vm);
  roots.Add(cause);
  vm.pending = Value();
  vm.Throw(Error::kRuntimeError, "{} raised {}", KindName(generator),
           stop ? "StopIteration" : "StopAsyncIteration");
  if (!vm.fatal.ok()) return Value();
  auto* error = As<Exception>(vm.pending);
  error->cause = error->context = cause;
  error->suppress_context = true;
  vm.passing = vm.pending;  // its context is set
  return Value();
}

Value Vm::Resume(Generator* generator, Value sent, Value thrown) {
  if (generator->state == Generator::kDone) {
    generator->result = Value();
    if (generator->kind() == GeneratorKind::kCoroutine)
      return Raise(Error::kRuntimeError, "cannot reuse already awaited coroutine");
    if (!thrown.empty()) pending = thrown;
    return Value();
  }
  if (generator->state == Generator::kRunning)
    return Throw(Error::kValueError, "{} already executing", KindName(generator));
  CodeObject* code = generator->function->code;
  if (!ChargeSteps(4)) return Value();
  if (native_depth >= kMaxNativeDepth || !HasGeneratorFrame(*this, code)) return TooDeep();
  const bool fresh = generator->state == Generator::kFresh;
  if (fresh && !thrown.empty()) {  // nothing in it runs any more
    generator->state = Generator::kDone;
    pending = thrown;
    return Value();
  }
  Value* const saved = top;
  const size_t bottom = frames.size();
  const Instruction* start = code->instructions.data() + (fresh ? 0 : generator->pc + 1);
  if (!fresh && code->instructions[generator->pc].op == Op::kYield)
    generator->registers[code->instructions[generator->pc].a] = sent;
  frames.Push() = {code,
                   generator->function,
                   start,
                   generator->registers,
                   top,
                   nullptr,
                   Value::Of(generator),
                   FrameKind::kGenerator};
  generator->state = Generator::kRunning;
  kept.Push(Value::Of(generator));
  ++native_depth;
  Value result;
  bool run = true;
  if (!thrown.empty()) {
    pending = thrown;
    run = Unwind(bottom);
  }
  if (run) result = Run(bottom);
  --native_depth;
  kept.Pop();
  top = saved;
  if (result.empty() && generator->state == Generator::kRunning)
    generator->state = Generator::kDone;
  return result.empty() && fatal.ok() && !pending.empty() ? NoStop(*this, generator) : result;
}

}  // namespace ferry::vm
