#include "device-runtime/vm/compile/compiler.h"

namespace ferry::vm {

int Compiler::GlobalSlot(const std::string& name) {
  String* text = vm_.Intern(name);
  bool failed = text == nullptr;
  const uint32_t slot = failed ? 0 : vm_.VariableSlot(module_, text, &failed);
  if (failed) OutOfMemory();
  if (slot > UINT16_MAX) Fail(at_, "module has too many names");
  return static_cast<int>(slot);
}

// The captured cells of a function are numbered on first use; the functions between it and the
// owner of the variable capture it too.
int Compiler::CaptureIndex(FunctionState* f, LocalVariable* variable) {
  for (size_t i = 0; i < f->captured.size(); ++i)
    if (f->captured[i] == variable) return static_cast<int>(i);
  Capture capture;
  if (f->parent->frame == variable->owner->frame) {
    capture = {true, static_cast<uint16_t>(variable->reg)};
  } else {
    capture = {false, static_cast<uint16_t>(CaptureIndex(f->parent, variable))};
  }
  f->captured.push_back(variable);
  f->code->captures.push_back(capture);
  return static_cast<int>(f->captured.size()) - 1;
}

int Compiler::LoadName(const std::string& name, int dest) {
  LocalVariable* variable = Resolve(f_->scope, name);
  if (variable != nullptr && variable->owner->kind == Scope::kClass) {
    if (dest < 0) dest = Temp();
    Emit(Op::kLoadClassName, dest, NameConstant(name), GlobalSlot(name));
    return dest;
  }
  if (variable == nullptr) {
    if (dest < 0) dest = Temp();
    Emit(Op::kLoadGlobal, dest, GlobalSlot(name));
    return dest;
  }
  if (variable->owner->frame != f_->frame) {
    if (dest < 0) dest = Temp();
    Emit(Op::kLoadFree, dest, CaptureIndex(f_, variable), NameConstant(name));
    return dest;
  }
  if (variable->cell) {
    if (dest < 0) dest = Temp();
    Emit(Op::kLoadCell, dest, variable->reg, NameConstant(name));
    return dest;
  }
  if (!f_->assigned[static_cast<size_t>(variable->reg)]) {
    Emit(Op::kCheckLocal, variable->reg, NameConstant(name));
    f_->assigned[static_cast<size_t>(variable->reg)] = !variable->deleted;
  }
  if (dest < 0) return variable->reg;
  if (dest != variable->reg) Emit(Op::kMove, dest, variable->reg);
  return dest;
}

void Compiler::StoreName(const std::string& name, int value) {
  LocalVariable* variable = Resolve(f_->scope, name);
  if (variable != nullptr && variable->owner->kind == Scope::kClass) {
    Emit(Op::kStoreClassName, value, NameConstant(name));
  } else if (variable == nullptr) {
    Emit(Op::kStoreGlobal, value, GlobalSlot(name));
  } else if (variable->owner->frame != f_->frame) {
    Emit(Op::kStoreFree, value, CaptureIndex(f_, variable));
  } else if (variable->cell) {
    Emit(Op::kStoreCell, value, variable->reg);
  } else {
    if (value != variable->reg) Emit(Op::kMove, variable->reg, value);
    f_->assigned[static_cast<size_t>(variable->reg)] = !variable->deleted;
  }
}

void Compiler::DeleteName(const std::string& name, Position at) {
  LocalVariable* variable = Resolve(f_->scope, name);
  if (variable == nullptr) {
    Emit(Op::kDeleteGlobal, 0, GlobalSlot(name));
  } else if (variable->owner->kind == Scope::kClass || variable->owner->frame != f_->frame) {
    Fail(at, fmt::format("cannot delete '{}' here", name));
  } else if (variable->cell) {
    const int mark = f_->next_register;
    const int empty = Temp();
    LoadName(name, empty);
    Emit(Op::kDeleteLocal, empty);
    Emit(Op::kStoreCell, empty, variable->reg);
    f_->next_register = mark;
  } else {
    LoadName(name, -1);
    Emit(Op::kDeleteLocal, variable->reg);
    Unassign(variable);
  }
}

// Gives registers to the variables of a scope; parameters have theirs already.
void Compiler::DeclareLocals(Scope* scope) {
  for (const std::string& name : scope->order) {
    LocalVariable& variable = scope->variables[name];
    if (variable.global || variable.nonlocal || !variable.bound) continue;
    if (variable.reg < 0) variable.reg = Temp();
    if (f_->assigned.size() <= static_cast<size_t>(variable.reg))
      f_->assigned.resize(static_cast<size_t>(variable.reg) + 1);
    f_->assigned[static_cast<size_t>(variable.reg)] = variable.parameter;
    if (scope->kind == Scope::kInline) Emit(Op::kDeleteLocal, variable.reg);
    if (variable.cell) Emit(Op::kMakeCell, variable.reg);
  }
}

}  // namespace ferry::vm
