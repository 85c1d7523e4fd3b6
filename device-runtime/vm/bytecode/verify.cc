#include "device-runtime/vm/bytecode/verify.h"

#include <unordered_map>

#include "device-runtime/vm/bytecode/operands.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {
namespace {

class Structure {
 public:
  Structure(const CodeObject& code, const CodeObject* parent, uint32_t variables)
      : code_(code), parent_(parent), variables_(variables) {}
  Status Run();

 private:
  Status Head() const;
  Status Captures() const;
  Status Ranges() const;
  Status Walk();
  Status One(size_t at) const;
  bool OperandFits(const Instruction& instruction, Operand kind, int i, size_t next) const;
  bool Registers(uint32_t first, uint32_t count) const { return first + count <= code_.registers; }
  bool Name(uint16_t number) const {
    return number < code_.constants.size() && Interned(code_.constants[number]);
  }
  static bool Interned(Value v) { return IsStr(v) && As<String>(v)->Has(StringFlag::kInterned); }
  bool Keywords(const Instruction& instruction) const;
  bool IsStart(size_t at) const {
    return at < code_.instructions.size() && code_.instructions[at].op != Op::kCache;
  }
  Status Wrong(std::string_view what) const {
    return Status::Of(Code::kMalformed, "bytecode of {}: {}", code_.name->view(), what);
  }

  const CodeObject& code_;
  const CodeObject* const parent_;
  const uint32_t variables_;
};

Status Structure::Head() const {
  const size_t named = static_cast<size_t>(code_.positional) + code_.keyword_only;
  if (code_.parameters.size() != named + code_.rest + code_.keyword_rest ||
      code_.positional_only > code_.positional)
    return Wrong("parameters do not add up");
  if (code_.registers > kMaxRegisters || code_.parameters.size() > code_.registers)
    return Wrong("wrong number of registers");
  if (code_.instructions.empty() || code_.instructions.size() > kMaxInstructions ||
      (code_.places.size() != code_.instructions.size() && code_.places.size() != 1))
    return Wrong("wrong number of instructions or lines");
  if (parent_ == nullptr && (!code_.parameters.empty() || code_.generator || code_.class_body))
    return Wrong("a module is no function");
  if (code_.class_cell >= static_cast<int>(code_.captures.size()))
    return Wrong("no such captured cell");
  if (code_.class_body && (code_.positional != 1 || !code_.simple))
    return Wrong("a class body has one parameter");
  for (const String* name : code_.parameters)
    if (!name->Has(StringFlag::kInterned)) return Wrong("parameter without a name");
  return OkStatus();
}

Status Structure::Captures() const {
  if (parent_ == nullptr && !code_.captures.empty()) return Wrong("a module captures nothing");
  for (const Capture& capture : code_.captures) {
    const size_t end = capture.local ? parent_->registers : parent_->captures.size();
    if (capture.index >= end) return Wrong("captures what is not there");
  }
  return OkStatus();
}

Status Structure::Ranges() const {
  const size_t end = code_.instructions.size();
  // Exceptions lead ahead only, as the compiler has it: every loop passes an instruction that
  // counts.
  for (const HandlerEntry& entry : code_.handlers)
    if (entry.start >= entry.end || entry.end > end || entry.handler < entry.end ||
        !IsStart(entry.handler) || entry.reg >= code_.registers)
      return Wrong("handler outside of the code");
  for (const HandledRange& range : code_.handled)
    if (range.start > range.end || range.end > end || range.reg >= code_.registers)
      return Wrong("handled range outside of the code");
  return OkStatus();
}

bool Structure::Keywords(const Instruction& instruction) const {
  if (instruction.c >= code_.constants.size()) return false;
  const Value names = code_.constants[instruction.c];
  if (!Is(names, Type::kTuple) || As<Tuple>(names)->size > instruction.b) return false;
  for (uint32_t i = 0; i < As<Tuple>(names)->size; ++i)
    if (!Interned(As<Tuple>(names)->items[i])) return false;
  return true;
}

// Whether operand `i` names something that is there; `next` is the instruction after this one.
bool Structure::OperandFits(const Instruction& instruction, Operand kind, int i,
                            size_t next) const {
  const uint16_t n = OperandOf(instruction, i);
  switch (kind) {
    case Operand::kNone:
    case Operand::kNumber:
    case Operand::kArguments:
    case Operand::kCount:
    case Operand::kStarCount:
      return true;  // spans of registers count with them
    case Operand::kTo:
    case Operand::kAny:
    case Operand::kFrom:
    case Operand::kMaybe:
    case Operand::kFromOrCell:
    case Operand::kChange:
    case Operand::kCell:
    case Operand::kList:
    case Operand::kSet:
    case Operand::kDict:
    case Operand::kListToTuple:
    case Operand::kException:
    case Operand::kToList:
    case Operand::kToTuple:
    case Operand::kToSet:
    case Operand::kToDict:
    case Operand::kToText:
      return Registers(n, 1);
    case Operand::kCause:
      return instruction.c == 0 || Registers(n, 1);
    case Operand::kMessage:
      return instruction.b == 0 || Registers(n, 1);
    case Operand::kDelegate:
      return n == 0 || Registers(n - 1u, 1);
    case Operand::kHelper:
      return n < static_cast<uint16_t>(Helper::kCount);
    case Operand::kHelperSpan:
      return instruction.b < static_cast<uint16_t>(Helper::kCount) &&
             Registers(n, HelperOf(instruction.b).registers);
    case Operand::kToPair:
    case Operand::kFromTwo:
    case Operand::kFormatted:
    case Operand::kDefaults:
      return Registers(n, 2);
    case Operand::kClassParts:
      return Registers(n, 2u + instruction.b);
    case Operand::kFromThree:
    case Operand::kSpread:
      return Registers(n, 3);
    case Operand::kToSpan:
      return Registers(n, CountOf(instruction));
    case Operand::kFromSpan:
    case Operand::kTextSpan:
      return Registers(n, instruction.c);
    case Operand::kCallee:
      return Registers(n, 1u + instruction.b);
    case Operand::kMethod:
      return Registers(n, 2u + instruction.b);
    case Operand::kConstant:
      return n < code_.constants.size();
    case Operand::kName:
      return Name(n);
    case Operand::kKeywords:
      return Keywords(instruction);
    case Operand::kGlobal:
      return n < variables_;
    case Operand::kFree:
      return n < code_.captures.size();
    case Operand::kCode:
      return n < code_.functions.size();
    case Operand::kForward:
      return IsStart(next + n);
    case Operand::kBack:
      return n <= next && n > 0 && IsStart(next - n);
    case Operand::kFlag:
      return n <= 1;
    case Operand::kBinaryOperator:
      return n <= static_cast<uint16_t>(Operator::kRight);
    case Operand::kUnaryOperator:
      return n >= static_cast<uint16_t>(Operator::kNegative) &&
             n <= static_cast<uint16_t>(Operator::kInvert);
  }
  return false;
}

Status Structure::One(size_t at) const {
  const Instruction& instruction = code_.instructions[at];
  const OperandRow& row = OperandsOf(instruction.op);
  if (!row.known) return Wrong(fmt::format("instruction {} is none of a file", at));
  const size_t next = at + 1 + row.words;
  if (next > code_.instructions.size() ||
      (next == code_.instructions.size() && !EndsFlow(instruction.op)))
    return Wrong("runs past its end");
  for (size_t i = at + 1; i < next; ++i)
    if (code_.instructions[i].op != Op::kCache)
      return Wrong(fmt::format("instruction {} lacks its cache", at));
  for (int i = 0; i < 3; ++i)
    if (!OperandFits(instruction, row.kinds[i], i, next))
      return Wrong(fmt::format("instruction {}: operand {} is out of range", at, "abc"[i]));
  if (instruction.op == Op::kYield && !code_.generator) return Wrong("yields and is no generator");
  // What throw() finds around a yield that delegates: exec/call/generator.cc.
  if (instruction.op == Op::kYield && instruction.c != 0) {
    const Instruction* send = at == 0 ? nullptr : &code_.instructions[at - 1];
    if (send == nullptr || send->op != Op::kSend || send->c != 2 || send->a != instruction.b ||
        send->b + 1 != instruction.c || code_.instructions[at + 1].op != Op::kJumpBack)
      return Wrong(fmt::format("instruction {} delegates to nothing", at));
  }
  return OkStatus();
}

Status Structure::Walk() {
  for (size_t at = 0; at < code_.instructions.size();) {
    FERRY_TRY(One(at));
    at += 1u + OperandsOf(code_.instructions[at].op).words;
  }
  return OkStatus();
}

Status Structure::Run() {
  FERRY_TRY(Head());
  FERRY_TRY(Captures());
  FERRY_TRY(Ranges());
  return Walk();
}

}  // namespace

Status VerifyStructure(const CodeObject& code, const CodeObject* parent, uint32_t variables) {
  return Structure(code, parent, variables).Run();
}

Status VerifyModule(std::span<CodeObject* const> codes, uint32_t variables) {
  std::unordered_map<const CodeObject*, const CodeObject*> parents;
  for (const CodeObject* code : codes)
    for (const CodeObject* inner : code->functions) parents[inner] = code;
  for (const CodeObject* code : codes) {
    const auto parent = parents.find(code);
    FERRY_TRY(
        VerifyStructure(*code, parent == parents.end() ? nullptr : parent->second, variables));
  }
  int64_t work = kMaxVerifyWork;
  for (const CodeObject* code : codes) FERRY_TRY(VerifyTypes(*code, &work));
  return OkStatus();
}

}  // namespace ferry::vm
