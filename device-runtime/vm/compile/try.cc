#include "device-runtime/vm/compile/compiler.h"

namespace ferry::vm {

void Compiler::CloseRange(Block* block) {
  if (block->open >= 0 && Here() > block->open) block->ranges.emplace_back(block->open, Here());
  block->open = -1;
}

void Compiler::AddHandlers(const Block& block, int handler, int reg) {
  for (const auto& [start, end] : block.ranges)
    f_->code->handlers.push_back({static_cast<uint16_t>(start), static_cast<uint16_t>(end),
                                  static_cast<uint16_t>(handler), static_cast<uint16_t>(reg)});
}

// Emits the clean-up of the blocks above `keep`, innermost first. Their ranges stay closed, so that
// an exception in a clean-up is not handled by what it cleans up; ReopenBlocks goes on after the
// jump.
void Compiler::LeaveBlocks(size_t keep) {
  std::vector<Block> left;
  while (f_->blocks.size() > keep) {
    Block block = std::move(f_->blocks.back());
    f_->blocks.pop_back();
    const bool was_open = block.open >= 0;
    CloseRange(&block);
    const int mark = f_->next_register;
    if (block.kind == Block::kFinally) {
      const Assigned assigned = f_->assigned;
      Body(*block.finally);
      f_->assigned = assigned;
    } else if (block.kind == Block::kWith) {
      WithExit(block.manager);
    } else if (block.kind == Block::kHandlerName) {
      const int none = Temp();
      Emit(Op::kConst, none, Constant(Value::None()));
      StoreName(block.name->text, none);
    }
    f_->next_register = mark;
    block.open = was_open ? 0 : -1;
    left.push_back(std::move(block));
  }
  for (; !left.empty(); left.pop_back()) f_->blocks.push_back(std::move(left.back()));
}

void Compiler::ReopenBlocks(size_t keep) {
  for (size_t i = keep; i < f_->blocks.size(); ++i)
    if (f_->blocks[i].open >= 0) OpenRange(&f_->blocks[i]);
}

void Compiler::Try(Node* node) {
  if (node->finally.empty()) return TryExcept(node);
  TryFinally(node);
}

void Compiler::TryFinally(Node* node) {
  const int exception = Temp();
  const Assigned before = f_->assigned;
  f_->blocks.push_back({.kind = Block::kFinally, .finally = &node->finally});
  OpenRange(&f_->blocks.back());
  if (node->list.empty()) {
    Body(node->body);
  } else {
    TryExcept(node);
  }
  CloseRange(&f_->blocks.back());
  Block block = std::move(f_->blocks.back());
  f_->blocks.pop_back();
  const Assigned after = f_->assigned;
  Body(node->finally);
  const Assigned end_assigned = f_->assigned;
  const int end = Emit(Op::kJump);
  f_->assigned = before;
  f_->assigned.resize(after.size());
  const int handler = Here();
  AddHandlers(block, handler, exception);
  Body(node->finally);
  Emit(Op::kThrow, exception);
  f_->code->handled.push_back({static_cast<uint16_t>(handler), static_cast<uint16_t>(Here()),
                               static_cast<uint16_t>(exception)});
  PatchHere(end);
  f_->assigned = end_assigned;
}

void Compiler::TryExcept(Node* node) {
  const int exception = Temp();
  const Assigned before = f_->assigned;
  f_->blocks.push_back({.kind = Block::kProtected});
  OpenRange(&f_->blocks.back());
  Body(node->body);
  CloseRange(&f_->blocks.back());
  Block block = std::move(f_->blocks.back());
  f_->blocks.pop_back();
  Body(node->orelse);
  Assigned all = f_->assigned;
  Jumps ends = {Emit(Op::kJump)};
  const int handler = Here();
  AddHandlers(block, handler, exception);
  f_->assigned = before;
  f_->assigned.resize(all.size());
  Handlers(node, exception, &ends);
  PatchHere(ends);
  f_->assigned = before;
  f_->assigned.resize(all.size());
}

void Compiler::Handlers(Node* node, int exception, Jumps* ends) {
  const int start = Here();
  const Assigned before = f_->assigned;
  for (Node* handler : node->list) {
    at_ = handler->at;
    const int mark = f_->next_register;
    int next = -1;
    if (handler->a != nullptr) {
      const int match = Temp();
      Emit(Op::kMatchException, match, exception, Expression(handler->a));
      next = Emit(Op::kJumpIfNot, 0, match);
    }
    f_->next_register = mark;
    if (handler->text.empty()) {
      Body(handler->body);
    } else {
      // The name is cleared when the handler is left in any way, as if by a finally.
      const int inner = Temp();
      StoreName(handler->text, exception);
      f_->blocks.push_back({.kind = Block::kHandlerName, .name = handler});
      OpenRange(&f_->blocks.back());
      Body(handler->body);
      CloseRange(&f_->blocks.back());
      Block block = std::move(f_->blocks.back());
      f_->blocks.pop_back();
      const int none = Temp();
      const auto clear = [&] {
        Emit(Op::kConst, none, Constant(Value::None()));
        StoreName(handler->text, none);
        LocalVariable* variable = Resolve(f_->scope, handler->text);
        if (variable == nullptr ||
            (variable->owner->frame == f_->frame && variable->owner->kind != Scope::kClass))
          DeleteName(handler->text, handler->at);
      };
      clear();
      const int over = Emit(Op::kJump);
      AddHandlers(block, Here(), inner);
      clear();
      Emit(Op::kThrow, inner);
      PatchHere(over);
    }
    ends->push_back(Emit(Op::kJump));
    if (next >= 0) PatchHere(next);
    f_->next_register = mark;
    const size_t size = f_->assigned.size();
    f_->assigned = before;
    f_->assigned.resize(size);
  }
  if (node->list.back()->a != nullptr) Emit(Op::kThrow, exception);
  f_->code->handled.push_back({static_cast<uint16_t>(start), static_cast<uint16_t>(Here()),
                               static_cast<uint16_t>(exception)});
}

void Compiler::WithExit(int manager) {
  const int call = Temp(5);
  Emit(Op::kLoadMethod, call, manager, NameConstant("__exit__"));
  for (int i = 0; i < 3; ++i) Emit(Op::kConst, call + 2 + i, Constant(Value::None()));
  Emit(Op::kCallMethod, call, 3);
}

void Compiler::With(Node* node, size_t index) {
  if (index == node->list.size()) return Body(node->body);
  const int manager = Temp();
  const int exception = Temp();
  Expression(node->list[index], manager);
  const int call = Temp(5);
  Emit(Op::kLoadMethod, call, manager, NameConstant("__enter__"));
  Emit(Op::kCallMethod, call, 0);
  const Assigned before = f_->assigned;
  f_->blocks.push_back({.kind = Block::kWith, .manager = manager});
  OpenRange(&f_->blocks.back());
  if (node->list2[index] != nullptr) Store(node->list2[index], call);
  With(node, index + 1);
  CloseRange(&f_->blocks.back());
  Block block = std::move(f_->blocks.back());
  f_->blocks.pop_back();
  WithExit(manager);
  const int end = Emit(Op::kJump);
  const int handler = Here();
  AddHandlers(block, handler, exception);
  Emit(Op::kLoadMethod, call, manager, NameConstant("__exit__"));
  Emit(Op::kExceptionType, call + 2, exception);
  Emit(Op::kMove, call + 3, exception);
  Emit(Op::kConst, call + 4, Constant(Value::None()));
  Emit(Op::kCallMethod, call, 3);
  const int suppressed = Emit(Op::kJumpIf, 0, call);
  Emit(Op::kThrow, exception);
  f_->code->handled.push_back({static_cast<uint16_t>(handler), static_cast<uint16_t>(Here()),
                               static_cast<uint16_t>(exception)});
  PatchHere(suppressed);
  PatchHere(end);
  const size_t size = f_->assigned.size();
  f_->assigned = before;
  f_->assigned.resize(size);
}

}  // namespace ferry::vm
