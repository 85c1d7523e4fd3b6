// What happens between frames: exceptions looking for handlers, closures, generators, collection.
#include <bit>
#include <cstring>

#include "device-runtime/vm/exec/flow/generator.h"
#include "device-runtime/vm/exec/flow/traceback.h"
#include "device-runtime/vm/exec/resume.h"
#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {
namespace {

uint16_t PcOf(const Frame& frame) {
  const auto at = frame.pc - frame.code->instructions.data();
  return static_cast<uint16_t>(at == 0 ? 0 : at - 1);
}

// The exception that the frame is handling at its pc.
Value HandledIn(const Frame& frame) {
  const uint16_t pc = PcOf(frame);
  for (const HandledRange& range : frame.code->handled)
    if (pc >= range.start && pc < range.end && Is(frame.base[range.reg], Type::kException))
      return frame.base[range.reg];
  return Value();
}

// A new exception gets what is handled now as its context. No cycles: a chain that leads to the
// exception itself is cut there. Source: CPython's rule, library reference, "Exception context".
void SetContext(Exception* exception, Exception* handled) {
  if (handled == nullptr || handled == exception) return;
  constexpr int kMaxChain = 2000;
  int length = 0;
  for (Exception* e = handled; length < kMaxChain; ++length) {
    if (!Is(e->context, Type::kException)) break;
    if (e->context == Value::Of(exception)) {
      e->context = Value();
      break;
    }
    e = As<Exception>(e->context);
  }
  if (length < kMaxChain) exception->context = Value::Of(handled);
}

bool ReraisesAt(const Frame& frame) {
  const Op op = frame.code->instructions[PcOf(frame)].op;
  return op == Op::kThrow || op == Op::kRaiseAgain;
}

}  // namespace

Exception* Vm::Handled() {
  for (size_t i = frames.size(); i-- > 0;) {
    Value v = HandledIn(frames[i]);
    if (!v.empty()) return As<Exception>(v);
  }
  return nullptr;
}

static Value NoStop(Vm& vm, Generator* generator);

bool Vm::Unwind(size_t bottom) {
  // What an inner loop has given up on passes through: it is not raised anew here.
  if (fatal.ok() && frames.size() > bottom && !(pending == passing) && !ReraisesAt(frames.back()))
    SetContext(As<Exception>(pending), Handled());
  passing = Value();
  while (frames.size() > bottom) {
    Frame& frame = frames.back();
    if (fatal.ok()) {
      auto* exception = As<Exception>(pending);
      const uint16_t pc = PcOf(frame);
      // A handler re-raising ends with its own frame's entry already there.
      const bool again = ReraisesAt(frame);
      const bool hidden = frame.code->places.empty();  // no code of a script
      if (!again && !hidden) AddTrace(heap, exception, {frame.code, pc});
      for (const HandlerEntry& entry : frame.code->handlers) {
        if (pc < entry.start || pc >= entry.end) continue;
        frame.base[entry.reg] = pending;
        pending = Value();
        frame.pc = frame.code->instructions.data() + entry.handler;
        return true;
      }
    }
    const FrameKind kind = frame.kind;
    Generator* const generator = IsGenerator(kind) ? frame.generator() : nullptr;
    if (generator != nullptr) {
      generator->state = Generator::kDone;
      generator->result = Value();
    }
    frames.pop_back();
    if (GivesItems(kind) && fatal.ok()) {
      NoStop(*this, generator);
      passing = Value();
    }
    if (kind == FrameKind::kNext && TakePending(Error::kStopIteration)) {  // the loop is over
      frames.back().pc += frames.back().pc[-1].c;
      return true;
    }
  }
  passing = pending;
  return false;
}

// With room for its cells, which are not set; nullptr: no memory, reported.
static Function* FunctionOf(Vm& vm, CodeObject* code) {
  const size_t count = code->captures.size(), room = count * sizeof(Cell*);
  const bool inlined = sizeof(Function) + room <= kMaxSmall;
  auto* function = static_cast<Function*>(
      vm.heap.NewObject(Type::kFunction, sizeof(Function) + (inlined ? room : 0)));
  if (function != nullptr) {
    function->code = code;
    function->cells = function->inline_cells();
    if (count > 0 && !inlined) function->cells = static_cast<Cell**>(vm.heap.NewBuffer(room));
  }
  if (function != nullptr && function->cells != nullptr) return function;
  vm.OutOfMemory();
  return nullptr;
}

Function* CopyFunction(Vm& vm, const Function* from) {
  Function* const made = FunctionOf(vm, from->code);
  if (made == nullptr) return made;
  made->module = from->module;
  std::copy(from->cells, from->cells + from->cell_count, made->cells);
  made->cell_count = from->cell_count;
  made->defaults = from->defaults;
  made->keyword_defaults = from->keyword_defaults;
  made->attributes = from->attributes;
  made->doc = from->doc;
  made->name = from->name;
  made->qualified_name = from->qualified_name;
  made->module_name = from->module_name;
  return made;
}

Value Vm::MakeFunction(CodeObject* code, Frame& frame, Value defaults, Value keyword_defaults) {
  Function* const function = FunctionOf(*this, code);
  if (function == nullptr) return Value();
  function->module = code->module;
  function->defaults = defaults;
  function->keyword_defaults = keyword_defaults;
  function->doc = Value();
  for (const Capture& capture : code->captures)
    function->cells[function->cell_count++] =
        capture.local ? As<Cell>(frame.base[capture.index]) : frame.function->cells[capture.index];
  return Value::Of(function);
}

// StopIteration must not leave a generator: it would read as its end. Source: PEP 479.
static Value NoStop(Vm& vm, Generator* generator) {
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

// Runs the generator to its next yield. The value yielded; empty when it has ended (its result is
// kept) or failed.
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

void Vm::Collect() {
  Value* end = top;
  for (const Frame& frame : frames) {
    end = std::max(end, frame.top);
    heap.Mark(frame.function);
    if (frame.kind == FrameKind::kConstruct || IsGenerator(frame.kind)) heap.Mark(frame.held);
  }
  if (asked == nullptr) {
    for (Value* v = stack.get(); v < end; ++v) heap.Mark(*v);
  } else {
    for (const Frame& frame : frames)
      for (uint16_t i = 0; i < std::min(frame.code->temporaries, frame.code->registers); ++i)
        heap.Mark(frame.base[i]);
  }
  for (Value v : kept) heap.Mark(v);
  for (Value v : pinned) heap.Mark(v);
  heap.Mark(pending);
  heap.Mark(passing);
  for (const CodeObject& code : codes) {
    heap.Mark(code.module);
    heap.Mark(code.name);
    heap.Mark(code.qualified_name);
    for (Value v : code.constants) heap.Mark(v);
    heap.Mark(code.object);
  }
  for (uint32_t i = 0; i < interned.capacity; ++i) heap.Mark(interned.places[i]);
  heap.Mark(modules);
  for (const auto& [type, cls] : native_classes) heap.Mark(cls);
  for (const auto& [cls, shape] : builtin_shapes) heap.Mark(shape);
  for (const auto& [type, cls] : record_classes) heap.Mark(cls);
  for (Value v : dying) heap.Mark(v);
  heap.Drain();
  if (asked != nullptr) {
    for (const MemoryView* view : views)
      if (view->marked && !view->released && view->base.object() == asked) asked = nullptr;
    for (Value* v = stack.get(); v < end; ++v) heap.Mark(*v);
    heap.Drain();
  }
  FindDying();
  std::erase_if(views, [](const MemoryView* view) { return !view->marked || view->released; });
  std::erase_if(script_classes, [](const Class* cls) { return !cls->marked; });
  DropPositions();
  heap.Sweep();
  for (MethodCacheLine& line : method_cache) line = {};  // a dead class's address may be used again
  for (SlotCacheLine& line : slot_cache) line = {};
}

// Whether this passing of a safe point collects when tests ask for that: the first ones of each
// place, then the eighth, the sixty-fourth and so on. A place is an instruction together with the
// one that the frame below waits at, so that what several natives call back counts for each of
// them. Collecting at every passing finds no more roots that are missing, but takes the time of a
// program times the size of its heap.
static bool IsDue(Vm& vm) {
  constexpr uint32_t kFirst = 3;
  const Frame* const frame = &vm.frames.back();
  uint64_t place = reinterpret_cast<uintptr_t>(frame->pc);
  if (vm.frames.size() > 1)
    place += reinterpret_cast<uintptr_t>(frame[-1].pc) * 0x9E37'79B9'7F4A'7C15;
  const uint32_t count = ++vm.passings[place];
  return count <= kFirst || (std::has_single_bit(count) && std::countr_zero(count) % 3 == 0);
}

bool Vm::CollectAtSafePoint() {
  if (heap.collects_always() && !IsDue(*this)) return true;
  Collect();
  if (!dying.empty()) RunDying();
  return fatal.ok();
}

}  // namespace ferry::vm
