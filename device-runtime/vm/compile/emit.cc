#include <algorithm>

#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

Place Compiler::PlaceHere() const {
  const auto column = [](int c) {
    return c - 1 < kNoColumn ? static_cast<uint16_t>(std::max(c - 1, 0)) : kNoColumn;
  };
  const int lines = std::clamp(at_.end.line - at_.at.line, 0, UINT16_MAX);
  return {static_cast<uint32_t>(at_.at.line), static_cast<uint16_t>(lines), column(at_.at.column),
          column(at_.end.column)};
}

int Compiler::Emit(Op op, int a, int b, int c) {
  CodeObject* code = f_->code;
  if (code->instructions.size() >= kMaxInstructions) {
    Fail(at_, "function is too large");
    return 0;
  }
  Take(2 * (sizeof(Instruction) + sizeof(Place)));  // the lists may double
  code->instructions.push_back(
      {op, static_cast<uint16_t>(a), static_cast<uint16_t>(b), static_cast<uint16_t>(c)});
  code->places.push_back(PlaceHere());
  return Here() - 1;
}

void Compiler::PatchHere(int jump) {
  Instruction& instruction = f_->code->instructions[static_cast<size_t>(jump)];
  const auto distance = static_cast<uint16_t>(Here() - jump - 1);
  (instruction.op == Op::kForNext || instruction.op == Op::kSend ? instruction.c : instruction.a) =
      distance;
}

void Compiler::PatchHere(const Jumps& jumps) {
  for (int jump : jumps) PatchHere(jump);
}

void Compiler::JumpBack(int target) {
  Emit(Op::kJumpBack, Here() + 1 - target);
}

int Compiler::Temp(int count) {
  const int first = f_->next_register;
  f_->next_register += count;
  if (f_->next_register > static_cast<int>(kMaxRegisters)) {
    Fail(at_, "function needs too many registers");
    f_->next_register = first;
  }
  if (f_->next_register > f_->code->registers)
    f_->code->registers = static_cast<uint16_t>(f_->next_register);
  return first;
}

int Compiler::Constant(Value v) {
  constexpr size_t kConstantBytes = 64;  // with its place in the index
  auto [it, fresh] =
      f_->constant_index.try_emplace(v.bits(), static_cast<uint16_t>(f_->code->constants.size()));
  if (fresh) {
    Take(kConstantBytes);
    if (f_->code->constants.size() >= kMaxConstants) Fail(at_, "function has too many constants");
    f_->code->constants.push_back(v);
  }
  return it->second;
}

int Compiler::NameConstant(const std::string& text) {
  String* name = vm_.Intern(text);
  if (name == nullptr) {
    OutOfMemory();
    return 0;
  }
  return Constant(Value::Of(name));
}

int Compiler::StringConstant(const std::string& text) {
  constexpr size_t kMaxInterned = 64;
  if (text.size() <= kMaxInterned) return NameConstant(text);
  Value v = IsText(text) ? vm_.NewString(text) : vm_.NewStringChecked(text);
  if (v.empty()) {
    OutOfMemory();
    return 0;
  }
  return Constant(v);
}

void Compiler::Fail(const Span& span, std::string message) {
  if (error_.ok()) error_ = source_.Error(span, message);
}

void Compiler::OutOfMemory() {
  vm_.pending = Value();
  if (error_.ok()) error_ = vm_.fatal.ok() ? Status(Code::kScriptMemory, "no memory") : vm_.fatal;
}

void Compiler::Take(size_t bytes) {
  if (!source_.Take(bytes) && error_.ok()) error_ = source_.NoMemory();
}

CodeObject* Compiler::NewCode(const std::string& name) {
  Take(sizeof(CodeObject) + sizeof(FunctionState) + sizeof(Scope));
  vm_.codes.emplace_back();
  CodeObject* code = &vm_.codes.back();
  code->module = module_;
  code->name = vm_.Intern(name);
  if (code->name == nullptr) {
    OutOfMemory();
    code->name = As<String>(vm_.empty_string);  // compiling goes on to the end of the statement
  }
  code->qualified_name = code->name;
  return code;
}

void Compiler::Unassign(LocalVariable* variable) {
  if (variable->reg >= 0 && static_cast<size_t>(variable->reg) < f_->assigned.size())
    f_->assigned[static_cast<size_t>(variable->reg)] = 0;
}

Compiler::Assigned Compiler::Both(const Assigned& a, const Assigned& b) const {
  Assigned both = a;
  for (size_t i = 0; i < both.size(); ++i) both[i] = a[i] && i < b.size() && b[i];
  return both;
}

}  // namespace ferry::vm
