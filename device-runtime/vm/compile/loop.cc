#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/exec/loop/helper.h"

namespace ferry::vm {

void Compiler::If(Node* node) {
  if (node->a == nullptr) return Body(node->body);
  Jumps otherwise;
  Condition(node->a, false, &otherwise);
  const Assigned before = f_->assigned;
  Body(node->body);
  if (node->orelse.empty()) {
    PatchHere(otherwise);
    f_->assigned = Both(f_->assigned, before);
    f_->assigned.resize(std::max(f_->assigned.size(), before.size()));
    return;
  }
  // The statement's own temporaries are free; `elif` chains recurse here, as deep as they are long.
  const Assigned after_body = f_->assigned;
  f_->assigned = before;
  f_->assigned.resize(after_body.size());
  const int end = Emit(Op::kJump);
  PatchHere(otherwise);
  Body(node->orelse);
  PatchHere(end);
  f_->assigned = Both(f_->assigned, after_body);
}

void Compiler::While(Node* node) {
  const Assigned before = f_->assigned;
  const int start = Here();
  Jumps exits;
  Condition(node->a, false, &exits);
  f_->blocks.push_back({.kind = Block::kLoop, .start = start});
  Body(node->body);
  JumpBack(start);
  Block loop = std::move(f_->blocks.back());
  f_->blocks.pop_back();
  PatchHere(exits);
  const size_t size = f_->assigned.size();
  f_->assigned = before;
  f_->assigned.resize(size);
  Body(node->orelse);
  PatchHere(loop.breaks);
  f_->assigned = before;
  f_->assigned.resize(size);
}

void Compiler::For(Node* node) {
  const int iterator = Temp(2);
  Emit(Op::kIterate, iterator, Expression(node->b));
  const Assigned before = f_->assigned;
  const int start = Here();
  const int next = Emit(Op::kForNext, iterator, iterator + 1);
  at_ = node->a->span();
  LocalVariable* variable =
      node->a->kind == Kind::kName ? Resolve(f_->scope, node->a->text) : nullptr;
  if (variable != nullptr && variable->owner->frame == f_->frame && !variable->cell &&
      variable->owner->kind != Scope::kClass) {
    f_->code->instructions.back().b = static_cast<uint16_t>(variable->reg);
    f_->assigned[static_cast<size_t>(variable->reg)] = !variable->deleted;
  } else {
    Store(node->a, iterator + 1);
  }
  const bool held = node->b->kind == Kind::kName;
  f_->blocks.push_back({.kind = Block::kLoop, .start = start, .iterator = held ? -1 : iterator});
  Body(node->body);
  JumpBack(start);
  Block loop = std::move(f_->blocks.back());
  f_->blocks.pop_back();
  PatchHere(next);
  const size_t size = f_->assigned.size();
  f_->assigned = before;
  f_->assigned.resize(size);
  Body(node->orelse);
  PatchHere(loop.breaks);
  f_->assigned = before;
  f_->assigned.resize(size);
}

void Compiler::BreakOrContinue(Node* node) {
  const bool is_break = node->kind == Kind::kBreak;
  size_t loop = f_->blocks.size();
  while (loop > 0 && f_->blocks[loop - 1].kind != Block::kLoop) --loop;
  if (loop == 0)
    return Fail(node->span(),
                is_break ? "'break' outside loop" : "'continue' not properly in loop");
  for (size_t i = loop; i < f_->blocks.size(); ++i) {
    if (f_->blocks[i].kind == Block::kStar)
      return Fail(node->span(),
                  "'break', 'continue' and 'return' cannot appear in an except* block");
  }
  LeaveBlocks(loop);
  if (is_break) {
    const int iterator = f_->blocks[loop - 1].iterator;
    if (iterator >= 0) EmitHelper(Helper::kLeaveLoop, iterator, iterator);
    f_->blocks[loop - 1].breaks.push_back(Emit(Op::kJump));
  } else {
    JumpBack(f_->blocks[loop - 1].start);
  }
  ReopenBlocks(loop);
}

}  // namespace ferry::vm
