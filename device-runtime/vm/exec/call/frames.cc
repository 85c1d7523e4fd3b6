// Exceptions on their way through the frames, looking for handlers.
#include "device-runtime/vm/exec/call/resume.h"
#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/exec/state.h"

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

}  // namespace ferry::vm
