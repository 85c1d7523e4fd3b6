// What each register holds at each instruction, as a set of kinds, by data flow to a fixed point.
#include <algorithm>

#include "device-runtime/vm/bytecode/operands.h"
#include "device-runtime/vm/bytecode/verify.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {
namespace {

// The kinds of what a register can hold; a register's state is a set of them.
using Kinds = uint16_t;
constexpr Kinds kNothing = 1, kOther = 2, kList = 4, kTuple = 8, kSet = 16, kDict = 32, kText = 64,
                kException = 128, kCell = 256, kClassBody = 512;
constexpr Kinds kWild = 1024;  // left behind by a call: a value, a cell, nothing...
constexpr Kinds kValues = kOther | kList | kTuple | kSet | kDict | kText | kException;

constexpr size_t kMaxStates = 8u << 20;  // registers of all places that jumps lead to

using State = std::vector<Kinds>;

// A place that control can come to otherwise than from the instruction before.
struct Entry {
  size_t start;
  State state;  // of all the ways there
  bool reached = false, waiting = false;
};

class Types {
 public:
  Types(const CodeObject& code, int64_t* work) : code_(code), work_(work) {}
  Status Run();

 private:
  Status Prepare();
  void Begin();
  void Enter(size_t at, const State& state);
  void EnterHandler(size_t at);
  void EnterHandler(size_t at, uint32_t reg, Kinds kinds);
  void Wait(size_t entry);
  void Flow(size_t entry);
  bool Step(size_t at);  // false: control does not go on
  bool Read(const Instruction& instruction, Operand kind, uint16_t n);
  bool Captured(const Instruction& instruction);
  void Write(size_t at, const Instruction& instruction, Operand kind, uint16_t n);
  Kinds Made(const Instruction& instruction) const;
  // The registers from `first` on hold nothing but `allowed`.
  bool All(uint32_t first, uint32_t count, Kinds allowed) const {
    for (uint32_t i = first; i < first + count; ++i)
      if ((state_[i] & ~allowed) != 0) return false;
    return true;
  }
  void Set(size_t at, uint32_t first, uint32_t count, Kinds kinds) {
    for (uint32_t i = first; i < first + count; ++i) {
      state_[i] = kinds;
      EnterHandler(at, i, kinds);
    }
  }
  void Spend(size_t amount) {
    *work_ -= static_cast<int64_t>(amount);
    if (*work_ < 0 && error_.ok())
      error_ = Status::Of(Code::kLimitExceeded, "bytecode of {} is too tangled to check",
                          code_.name->view());
  }

  const CodeObject& code_;
  int64_t* const work_;
  std::vector<int32_t> entry_at_;  // by instruction: number of its Entry, or -1
  std::vector<int32_t> handler_;   // by instruction: its HandlerEntry, or -1
  std::vector<Entry> entries_;
  std::vector<size_t> queue_;  // of entries to look at again
  State state_;                // before the instruction looked at
  Status error_;
};

Status Types::Prepare() {
  const size_t count = code_.instructions.size();
  entry_at_.assign(count, -1);
  handler_.assign(count, -1);
  std::vector<size_t> starts;
  const auto mark = [&](size_t at) {
    if (entry_at_[at] >= 0) return;
    entry_at_[at] = static_cast<int32_t>(starts.size());
    starts.push_back(at);
  };
  mark(0);
  for (size_t at = 0; at < count; ++at) {
    const OperandRow& row = OperandsOf(code_.instructions[at].op);
    const size_t next = at + 1 + row.words;
    for (int i = 0; i < 3; ++i) {
      const uint16_t n = OperandOf(code_.instructions[at], i);
      if (row.kinds[i] == Operand::kForward) mark(next + n);
      if (row.kinds[i] == Operand::kBack) mark(next - n);
    }
  }
  for (size_t i = code_.handlers.size(); i-- > 0;) {  // the interpreter takes the first that fits
    const HandlerEntry& handler = code_.handlers[i];
    mark(handler.handler);
    Spend(static_cast<size_t>(handler.end - handler.start));
    FERRY_TRY(error_);
    std::fill(handler_.begin() + handler.start, handler_.begin() + handler.end,
              static_cast<int32_t>(i));
  }
  if (starts.size() * code_.registers > kMaxStates)
    return Status::Of(Code::kLimitExceeded, "bytecode of {} is too large to check",
                      code_.name->view());
  for (size_t start : starts) entries_.push_back({start, State(code_.registers, 0)});
  return OkStatus();
}

// As PushFrame leaves the registers.
void Types::Begin() {
  State state(code_.registers, kNothing);
  std::fill_n(state.begin(), code_.parameters.size(), kOther);
  if (code_.class_body) state[0] = kDict;
  Enter(0, state);
}

void Types::Wait(size_t entry) {
  if (entries_[entry].waiting) return;
  entries_[entry].waiting = true;
  queue_.push_back(entry);
}

void Types::Enter(size_t at, const State& state) {
  const auto number = static_cast<size_t>(entry_at_[at]);
  Entry& entry = entries_[number];
  bool changed = !entry.reached;
  entry.reached = true;
  Spend(state.size() + 1);
  for (size_t i = 0; i < state.size(); ++i) {
    changed = changed || (state[i] & ~entry.state[i]) != 0;
    entry.state[i] |= state[i];
  }
  if (changed) Wait(number);
}

// The instruction `at` may raise: the handler sees what the registers hold now...
void Types::EnterHandler(size_t at) {
  if (handler_[at] < 0) return;
  const HandlerEntry& handler = code_.handlers[static_cast<size_t>(handler_[at])];
  const Kinds kept = state_[handler.reg];
  state_[handler.reg] = kException;
  Enter(handler.handler, state_);
  state_[handler.reg] = kept;
}

// ... and what the instruction, and those after it, write.
void Types::EnterHandler(size_t at, uint32_t reg, Kinds kinds) {
  if (handler_[at] < 0) return;
  const HandlerEntry& handler = code_.handlers[static_cast<size_t>(handler_[at])];
  const auto number = static_cast<size_t>(entry_at_[handler.handler]);
  Spend(1);
  if (reg == handler.reg || (kinds & ~entries_[number].state[reg]) == 0) return;
  entries_[number].state[reg] |= kinds;
  Wait(number);
}

// Every captured cell of the function that a Closure makes is one.
bool Types::Captured(const Instruction& instruction) {
  const CodeObject& inner = *code_.functions[instruction.b];
  Spend(inner.captures.size());
  for (const Capture& capture : inner.captures)
    if (capture.local && state_[capture.index] != kCell) return false;
  return true;
}

bool Types::Read(const Instruction& instruction, Operand kind, uint16_t n) {
  switch (kind) {
    case Operand::kFrom:
    case Operand::kChange:
      return All(n, 1, kValues);
    case Operand::kMaybe:
      return All(n, 1, kValues | kNothing);
    case Operand::kFromOrCell:
      return All(n, 1, kValues | kCell);
    case Operand::kCell:
      return All(n, 1, kCell);
    case Operand::kList:
    case Operand::kListToTuple:
      return All(n, 1, kList);
    case Operand::kSet:
      return All(n, 1, kSet);
    case Operand::kDict:
      return All(n, 1, kDict);
    case Operand::kException:
      return All(n, 1, kException);
    case Operand::kCause:
      return instruction.c == 0 || All(n, 1, kValues);
    case Operand::kMessage:
      return instruction.b == 0 || All(n, 1, kValues);
    case Operand::kFromSpan:
      return All(n, instruction.c, kValues);
    case Operand::kTextSpan:
      return All(n, instruction.c, kText);
    case Operand::kFromTwo:
      return All(n, 2, kValues);
    case Operand::kFromThree:
      return All(n, 3, kValues);
    case Operand::kDelegate:
      return n == 0 || All(n - 1u, 1, kValues);
    case Operand::kHelperSpan:
      return All(n, HelperOf(instruction.b).reads, kValues);
    case Operand::kFormatted:
      return All(n, 1, kValues) && All(n + 1u, 1, kText);
    case Operand::kCallee:
      return All(n, 1u + instruction.b, kValues);
    case Operand::kMethod:
      return All(n, 1, kValues) && All(n + 1u, 1, kValues | kNothing) &&
             All(n + 2u, instruction.b, kValues);
    case Operand::kSpread:
      return All(n, 1, kValues) && All(n + 1u, 1, kList) && All(n + 2u, 1, kDict);
    case Operand::kDefaults:
      return All(n, 1, kTuple | kNothing) && All(n + 1u, 1, kDict | kNothing) &&
             Captured(instruction);
    case Operand::kClassParts:
      return All(n, 1, kTuple) && All(n + 1u, 1, kClassBody) &&
             (instruction.b == 0 || All(n + 2u, 1, kDict));
    default:
      return true;
  }
}

// What an instruction puts into its kTo register.
Kinds Types::Made(const Instruction& instruction) const {
  switch (instruction.op) {
    case Op::kMove:
      return state_[instruction.b];
    case Op::kConst:
      return IsStr(code_.constants[instruction.b])              ? kText
             : Is(code_.constants[instruction.b], Type::kTuple) ? kTuple
                                                                : kOther;
    case Op::kDeleteLocal:
      return kNothing;
    default:
      return kOther;
  }
}

void Types::Write(size_t at, const Instruction& instruction, Operand kind, uint16_t n) {
  switch (kind) {
    case Operand::kTo:
      return Set(at, n, 1, Made(instruction));
    case Operand::kMaybe:
      if (instruction.op == Op::kMakeCell) Set(at, n, 1, kCell);
      if (instruction.op == Op::kCheckLocal) state_[n] &= kValues;
      return;
    case Operand::kChange:
      return Set(at, n, 1, kOther);
    case Operand::kHelperSpan:
      Set(at, n, HelperOf(instruction.b).registers, kOther);
      // These clear what lies above.
      if (instruction.b != static_cast<uint16_t>(Helper::kDropped) &&
          instruction.b != static_cast<uint16_t>(Helper::kLeaveLoop))
        return;
      Spend(code_.registers - n);
      return Set(at, n + 1u, code_.registers - n - 1u, kWild);
    case Operand::kListToTuple:
    case Operand::kToTuple:
      return Set(at, n, 1, kTuple);
    case Operand::kToPair:
      Set(at, n, 1, kOther);
      return Set(at, n + 1u, 1, kOther | kNothing);
    case Operand::kToList:
      return Set(at, n, 1, kList);
    case Operand::kToSet:
      return Set(at, n, 1, kSet);
    case Operand::kToDict:
      return Set(at, n, 1, kDict);
    case Operand::kToText:
      return Set(at, n, 1, kText);
    case Operand::kToSpan:
      return Set(at, n, CountOf(instruction), kOther);
    case Operand::kCallee:
    case Operand::kMethod:
    case Operand::kSpread:
      // The callee's registers lie where the caller's next ones do.
      Set(at, n, 1, kOther);
      Spend(code_.registers - n);
      return Set(at, n + 1u, code_.registers - n - 1u, kWild);
    case Operand::kDefaults: {
      const bool body = code_.functions[instruction.b]->class_body;
      return Set(at, n, 1, body ? kClassBody : kOther);
    }
    case Operand::kClassParts:
      return Set(at, n, 1, kOther);
    default:
      return;
  }
}

bool Types::Step(size_t at) {
  const Instruction& instruction = code_.instructions[at];
  const OperandRow& row = OperandsOf(instruction.op);
  const size_t next = at + 1 + row.words;
  Spend(1);
  // These two find the namespace in register 0 without naming it.
  const bool names = instruction.op == Op::kLoadClassName || instruction.op == Op::kStoreClassName;
  for (int i = 0; i < 3; ++i) {
    if (Read(instruction, row.kinds[i], OperandOf(instruction, i)) && (!names || All(0, 1, kDict)))
      continue;
    error_ = Status::Of(Code::kMalformed,
                        "bytecode of {}: instruction {}: operand {} holds something else",
                        code_.name->view(), at, "abc"[i]);
    return false;
  }
  // An instruction that jumps has written nothing then, but for Send, which has the result.
  if (instruction.op == Op::kSend) Write(at, instruction, Operand::kTo, instruction.a);
  for (int i = 0; i < 3; ++i) {
    const uint16_t n = OperandOf(instruction, i);
    if (row.kinds[i] == Operand::kForward) Enter(next + n, state_);
    if (row.kinds[i] == Operand::kBack) Enter(next - n, state_);
  }
  // For a handler the instruction may be at any of its words.
  for (size_t place = at; place < next; ++place)
    for (int i = 0; i < 3 && (place == at || handler_[place] != handler_[at]); ++i)
      Write(place, instruction, row.kinds[i], OperandOf(instruction, i));
  // What throw() leaves there.
  if (instruction.op == Op::kYield) EnterHandler(at, instruction.a, kNothing);
  return !EndsFlow(instruction.op);
}

void Types::Flow(size_t number) {
  entries_[number].waiting = false;
  state_ = entries_[number].state;
  size_t at = entries_[number].start;
  int32_t handler = -1;  // the one that has the registers as they are
  Spend(state_.size());
  for (;;) {
    const size_t next = at + 1 + OperandsOf(code_.instructions[at].op).words;
    for (size_t place = at; place < next; ++place) {
      if (handler_[place] != handler) EnterHandler(place);
      handler = handler_[place];
    }
    if (!error_.ok() || !Step(at) || !error_.ok()) return;
    at = next;
    if (entry_at_[at] < 0) continue;
    Enter(at, state_);
    return;
  }
}

Status Types::Run() {
  FERRY_TRY(Prepare());
  Begin();
  while (!queue_.empty() && error_.ok()) {
    const size_t entry = queue_.back();
    queue_.pop_back();
    Flow(entry);
  }
  return error_;
}

}  // namespace

Status VerifyTypes(const CodeObject& code, int64_t* work) {
  return Types(code, work).Run();
}

}  // namespace ferry::vm
