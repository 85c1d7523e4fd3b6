#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/compile/refusal.h"
#include "device-runtime/vm/exec/loop/helper.h"

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

static bool Declared(const Scope* scope, const std::string& name) {
  auto found = scope->variables.find(name);
  return found != scope->variables.end() && found->second.global;
}

int Compiler::LoadName(const std::string& name, int dest) {
  LocalVariable* variable = Resolve(f_->scope, name);
  if (variable != nullptr && variable->owner->kind == Scope::kClass && !variable->implicit) {
    if (dest < 0) dest = Temp();
    Emit(Op::kLoadClassName, dest, NameConstant(name), GlobalSlot(name));
    return dest;
  }
  if (variable == nullptr) {
    const std::string_view refused = guarded_ > 0 ? "" : RefusedName(name);
    if (!refused.empty() && !scopes_.module()->variables[name].bound)
      Fail(at_, fmt::format("'{}' is not supported: {}", name, refused));
    if (dest < 0) dest = Temp();
    if (f_->scope->kind == Scope::kClass && !Declared(f_->scope, name)) {
      // The namespace may hold names that the body does not bind: __module__, what __prepare__
      // gave.
      Emit(Op::kLoadClassName, dest, NameConstant(name), GlobalSlot(name));
    } else {
      Emit(Op::kLoadGlobal, dest, GlobalSlot(name));
    }
    return dest;
  }
  if (variable->owner->frame != f_->frame) {
    if (dest < 0) dest = Temp();
    Emit(Op::kLoadFree, dest, CaptureIndex(f_, variable), NameConstant(name));
    return dest;
  }
  const bool outer = variable->owner != f_->scope;  // of a scope around this comprehension
  if (variable->cell) {
    if (dest < 0) dest = Temp();
    Emit(outer ? Op::kLoadOuter : Op::kLoadCell, dest, variable->reg, NameConstant(name));
    return dest;
  }
  if (!f_->assigned[static_cast<size_t>(variable->reg)]) {
    Emit(Op::kCheckLocal, variable->reg, NameConstant(name), outer);
    f_->assigned[static_cast<size_t>(variable->reg)] = !variable->deleted;
  }
  if (dest < 0) return variable->reg;
  if (dest != variable->reg) Emit(Op::kMove, dest, variable->reg);
  return dest;
}

void Compiler::StoreName(const std::string& name, int value) {
  LocalVariable* variable = Resolve(f_->scope, name);
  if (variable != nullptr && variable->owner->kind == Scope::kClass && !variable->implicit) {
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

void Compiler::DeleteName(const std::string& name) {
  LocalVariable* variable = Resolve(f_->scope, name);
  const int mark = f_->next_register;
  if (variable == nullptr) {
    Emit(Op::kDeleteGlobal, 0, GlobalSlot(name));
  } else if (variable->owner->kind == Scope::kClass) {
    const int key = Temp(2);
    Emit(Op::kConst, key + 1, NameConstant(name));
    Emit(Op::kMove, key, 0);
    EmitHelper(Helper::kDeleteClassName, key, key);
  } else {
    LoadName(name, Temp());
    ForgetName(name);
  }
  f_->next_register = mark;
}

void Compiler::ForgetName(const std::string& name) {
  LocalVariable* variable = Resolve(f_->scope, name);
  const int mark = f_->next_register;
  if (variable != nullptr && variable->owner->kind == Scope::kClass) {
    const int key = Temp(3);
    Emit(Op::kConst, key + 1, NameConstant(name));
    Emit(Op::kMove, key, 0);
    EmitHelper(Helper::kForgetClassName, key, key);
  } else if (variable != nullptr && variable->owner->frame == f_->frame && !variable->cell) {
    Emit(Op::kDeleteLocal, variable->reg);
    Unassign(variable);
  } else {
    const int empty = Temp();
    Emit(Op::kDeleteLocal, empty);
    if (variable == nullptr) {
      Emit(Op::kStoreGlobal, empty, GlobalSlot(name));
    } else if (variable->owner->frame != f_->frame) {
      Emit(Op::kStoreFree, empty, CaptureIndex(f_, variable));
    } else {
      Emit(Op::kStoreCell, empty, variable->reg);
    }
  }
  f_->next_register = mark;
}

// Gives registers to the variables of a scope; parameters have theirs already.
void Compiler::DeclareLocals(Scope* scope) {
  for (const std::string& name : scope->order) {
    LocalVariable& variable = scope->variables[name];
    if (variable.global || variable.nonlocal || !variable.bound) continue;
    // Anew each time: the body of a `finally` is compiled more than once, and all scopes in it.
    if (!variable.parameter) variable.reg = Temp();
    if (f_->assigned.size() <= static_cast<size_t>(variable.reg))
      f_->assigned.resize(static_cast<size_t>(variable.reg) + 1);
    f_->assigned[static_cast<size_t>(variable.reg)] = variable.parameter && !variable.deleted;
    if (scope->kind == Scope::kFunction)
      f_->code->variables.emplace_back(vm_.Intern(name), static_cast<uint16_t>(variable.reg));
    if (scope->kind == Scope::kInline) Emit(Op::kDeleteLocal, variable.reg);
    if (variable.cell) Emit(Op::kMakeCell, variable.reg);
  }
  if (scope->kind != Scope::kInline)
    f_->code->temporaries = static_cast<uint16_t>(f_->next_register);
}

}  // namespace ferry::vm
