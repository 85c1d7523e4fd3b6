// What happens between frames: exceptions looking for handlers, closures, generators, collection.
#include <cstring>

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {
namespace {

int LineOf(const Frame& frame) {
  const auto at = static_cast<size_t>(frame.pc - frame.code->instructions.data());
  return frame.code->lines[at == 0 ? 0 : std::min(at - 1, frame.code->lines.size() - 1)];
}

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

}  // namespace

Exception* Vm::Handled() {
  for (size_t i = frames.size(); i-- > 0;) {
    Value v = HandledIn(frames[i]);
    if (!v.empty()) return As<Exception>(v);
  }
  return nullptr;
}

bool Vm::Unwind(size_t bottom) {
  while (frames.size() > bottom) {
    Frame& frame = frames.back();
    if (fatal.ok()) {
      auto* exception = As<Exception>(pending);
      const uint16_t pc = PcOf(frame);
      Value handled = HandledIn(frame);
      if (!handled.empty() && !(handled == pending) && exception->context.empty()) {
        // No cycles: an exception that is already in the other's chain stays where it is.
        bool cycle = false;
        int length = 0;
        for (Value v = handled; Is(v, Type::kException) && ++length < 1000;
             v = As<Exception>(v)->context)
          cycle = cycle || v == pending;
        if (!cycle) exception->context = handled;
      }
      // A handler re-raising ends with its own frame's entry already there.
      const bool again = frame.code->instructions[pc].op == Op::kThrow ||
                         frame.code->instructions[pc].op == Op::kRaiseAgain;
      if (exception->trace == nullptr) exception->trace = new std::vector<TraceEntry>;
      if (!again && exception->trace->size() < kMaxTraceEntries)
        exception->trace->push_back({frame.code, LineOf(frame)});
      for (const HandlerEntry& entry : frame.code->handlers) {
        if (pc < entry.start || pc >= entry.end) continue;
        frame.base[entry.reg] = pending;
        pending = Value();
        frame.pc = frame.code->instructions.data() + entry.handler;
        return true;
      }
    }
    if (frame.generator != nullptr) frame.generator->state = Generator::kDone;
    frames.pop_back();
  }
  return false;
}

Value Vm::MakeFunction(CodeObject* code, Frame& frame, Value defaults, Value keyword_defaults) {
  auto* function = static_cast<Function*>(heap.NewObject(Type::kFunction, sizeof(Function)));
  if (function == nullptr) return OutOfMemory();
  function->code = code;
  function->module = code->module;
  function->defaults = defaults;
  function->keyword_defaults = keyword_defaults;
  function->owner = Value();
  const size_t count = code->captures.size();
  if (count > 0) {
    function->cells = static_cast<Cell**>(heap.NewBuffer(count * sizeof(Cell*)));
    if (function->cells == nullptr) return OutOfMemory();
    function->cell_count = static_cast<uint32_t>(count);
    for (size_t i = 0; i < count; ++i)
      function->cells[i] = code->captures[i].local ? As<Cell>(frame.base[code->captures[i].index])
                                                   : frame.function->cells[code->captures[i].index];
  }
  return Value::Of(function);
}

// Runs the generator to its next yield. The value yielded; empty when it has ended (its result is
// kept) or failed.
Value Vm::Resume(Generator* generator, Value sent, Value thrown) {
  if (generator->state == Generator::kDone) {
    if (!thrown.empty()) pending = thrown;
    return Value();
  }
  if (generator->state == Generator::kRunning)
    return Raise(Error::kValueError, "generator already executing");
  CodeObject* code = generator->function->code;
  if (!ChargeSteps(4)) return Value();
  if (native_depth >= kMaxNativeDepth || static_cast<int>(frames.size()) >= depth_limit ||
      static_cast<size_t>(top - stack.get()) + code->registers + 4 >= stack_size)
    return Fatal(Code::kScriptDepth,
                 fmt::format("script passed its limit of {} nested calls in {}()", depth_limit,
                             code->name->view()));
  const bool fresh = generator->state == Generator::kFresh;
  Value* const saved = top;
  for (uint32_t i = 0; i < generator->register_count; ++i) top[i] = generator->registers[i];
  const size_t bottom = frames.size();
  const Instruction* start = code->instructions.data() + (fresh ? 0 : generator->pc + 1);
  if (!fresh) top[code->instructions[generator->pc].a] = sent;
  frames.push_back({code, generator->function, start, top, nullptr, Value(), generator});
  top += code->registers;
  generator->state = Generator::kRunning;
  kept.push_back(Value::Of(generator));
  ++native_depth;
  Value result;
  bool run = true;
  if (!thrown.empty()) {
    pending = thrown;
    run = Unwind(bottom);
  }
  if (run) result = Run(bottom);
  --native_depth;
  kept.pop_back();
  top = saved;
  if (result.empty() && generator->state == Generator::kRunning)
    generator->state = Generator::kDone;
  return result;
}

void Vm::Collect() {
  Value* end = top;
  for (const Frame& frame : frames) {
    end = std::max(end, frame.base + frame.code->registers);
    heap.Mark(frame.function);
    heap.Mark(frame.constructed);
    heap.Mark(frame.generator);
  }
  for (Value* v = stack.get(); v < end; ++v) heap.Mark(*v);
  for (Value v : kept) heap.Mark(v);
  for (Value v : pinned) heap.Mark(v);
  heap.Mark(pending);
  for (const CodeObject& code : codes) {
    heap.Mark(code.module);
    heap.Mark(code.name);
    heap.Mark(code.qualified_name);
    for (Value v : code.constants) heap.Mark(v);
  }
  for (const auto& [text, string] : interned) heap.Mark(string);
  for (const auto& [name, module] : modules) heap.Mark(module);
  for (Class* cls : classes) heap.Mark(cls);
  for (Class* cls : errors) heap.Mark(cls);
  for (const auto& [type, cls] : native_classes) heap.Mark(cls);
  for (String* character : characters) heap.Mark(character);
  heap.Mark(builtins);
  heap.Mark(empty_string);
  heap.Mark(empty_tuple);
  heap.Mark(ellipsis);
  heap.Mark(not_implemented);
  heap.Drain();
  heap.Sweep();
  for (MethodCacheLine& line : method_cache) line = {};  // a dead class's address may be used again
}

}  // namespace ferry::vm
