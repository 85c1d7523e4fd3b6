#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/exec/loop/helper.h"

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
      WithExit(block);
    } else if (block.kind == Block::kHandlerName) {
      ForgetName(block.name->text);
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
  if (!node->finally.empty()) return TryFinally(node);
  node->op == 1 ? TryStar(node) : TryExcept(node);
}

void Compiler::TryFinally(Node* node) {
  const int exception = Temp();
  const Assigned before = f_->assigned;
  f_->blocks.push_back({.kind = Block::kFinally, .finally = &node->finally});
  OpenRange(&f_->blocks.back());
  if (node->list.empty()) {
    Body(node->body);
  } else {
    node->op == 1 ? TryStar(node) : TryExcept(node);
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
  ++guarded_;
  Body(node->body);
  --guarded_;
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

// The body of a handler, with its name, which is forgotten when the handler is left in any way.
void Compiler::HandlerBody(Node* handler, int exception) {
  if (handler->text.empty()) return Body(handler->body);
  const int inner = Temp();
  StoreName(handler->text, exception);
  f_->blocks.push_back({.kind = Block::kHandlerName, .name = handler});
  OpenRange(&f_->blocks.back());
  Body(handler->body);
  CloseRange(&f_->blocks.back());
  Block block = std::move(f_->blocks.back());
  f_->blocks.pop_back();
  ForgetName(handler->text);
  const int over = Emit(Op::kJump);
  AddHandlers(block, Here(), inner);
  const int start = Here();
  ForgetName(handler->text);
  Emit(Op::kThrow, inner);
  f_->code->handled.push_back(
      {static_cast<uint16_t>(start), static_cast<uint16_t>(Here()), static_cast<uint16_t>(inner)});
  PatchHere(over);
}

void Compiler::Handlers(Node* node, int exception, Jumps* ends) {
  const int start = Here();
  const Assigned before = f_->assigned;
  for (Node* handler : node->list) {
    at_ = handler->span();
    const int mark = f_->next_register;
    int next = -1;
    if (handler->a != nullptr) {
      const int match = Temp();
      const int cls = Expression(handler->a);
      at_ = handler->a->span();
      Emit(Op::kMatchException, match, exception, cls);
      next = Emit(Op::kJumpIfNot, 0, match);
    }
    f_->next_register = mark;
    HandlerBody(handler, exception);
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

// try/except*: `rest` is what no handler has taken yet, `raised` the list of what handlers raised.
void Compiler::TryStar(Node* node) {
  const int exception = Temp(3), rest = exception + 1, raised = exception + 2;
  const Assigned before = f_->assigned;
  f_->blocks.push_back({.kind = Block::kProtected});
  OpenRange(&f_->blocks.back());
  ++guarded_;
  Body(node->body);
  --guarded_;
  CloseRange(&f_->blocks.back());
  Block block = std::move(f_->blocks.back());
  f_->blocks.pop_back();
  Body(node->orelse);
  const Assigned all = f_->assigned;
  const int end = Emit(Op::kJump);
  const int handler = Here();
  AddHandlers(block, handler, exception);
  f_->assigned = before;
  f_->assigned.resize(all.size());
  Emit(Op::kNewList, raised, 0, 0);
  Emit(Op::kMove, rest, exception);
  StarHandlers(node, exception, rest, raised);
  const int outcome = Temp(3);
  Emit(Op::kMove, outcome, exception);
  Emit(Op::kMove, outcome + 1, raised);
  Emit(Op::kMove, outcome + 2, rest);
  EmitHelper(Helper::kStarOutcome, outcome, outcome);
  const int none = Temp();
  Emit(Op::kConst, none, Constant(Value::None()));
  Emit(Op::kIs, none, outcome, none);
  const int fine = Emit(Op::kJumpIf, 0, none);
  Emit(Op::kThrow, outcome);
  f_->code->handled.push_back({static_cast<uint16_t>(handler), static_cast<uint16_t>(Here()),
                               static_cast<uint16_t>(exception)});
  PatchHere(fine);
  PatchHere(end);
  f_->assigned = before;
  f_->assigned.resize(all.size());
}

void Compiler::StarHandlers(Node* node, int exception, int rest, int raised) {
  (void)exception;
  const Assigned before = f_->assigned;
  for (Node* handler : node->list) {
    at_ = handler->span();
    const int mark = f_->next_register;
    const int match = Temp(3), error = match + 2;
    Expression(handler->a, match + 1);
    at_ = handler->a->span();
    Emit(Op::kMove, match, rest);
    // R[match] becomes the part that matches or None, R[match + 1] what is left.
    EmitHelper(Helper::kStarMatch, match, match);
    Emit(Op::kMove, rest, match + 1);
    const int none = Temp();
    Emit(Op::kConst, none, Constant(Value::None()));
    Emit(Op::kIs, none, match, none);
    const int next = Emit(Op::kJumpIf, 0, none);
    f_->next_register = error + 1;
    const int start = Here();
    f_->blocks.push_back({.kind = Block::kStar});
    OpenRange(&f_->blocks.back());
    HandlerBody(handler, match);
    CloseRange(&f_->blocks.back());
    Block block = std::move(f_->blocks.back());
    f_->blocks.pop_back();
    f_->code->handled.push_back({static_cast<uint16_t>(start), static_cast<uint16_t>(Here()),
                                 static_cast<uint16_t>(match)});
    const int over = Emit(Op::kJump);
    AddHandlers(block, Here(), error);
    Emit(Op::kListAppend, raised, error);
    PatchHere(over);
    PatchHere(next);
    f_->next_register = mark;
    const size_t size = f_->assigned.size();
    f_->assigned = before;
    f_->assigned.resize(size);
  }
}

void Compiler::WithExit(const Block& block) {
  const int call = Temp(4);
  Emit(Op::kMove, call, block.exit);
  for (int i = 0; i < 3; ++i) Emit(Op::kConst, call + 1 + i, Constant(Value::None()));
  Emit(Op::kCall, call, 3);
  if (block.async) Await(call, call);
}

void Compiler::With(Node* node, size_t index) {
  if (index == node->list.size()) return Body(node->body);
  const bool async = node->op == 1;
  const int exit = Temp(2), exception = exit + 1;
  const int enter = Temp(2);
  Expression(node->list[index], enter);
  at_ = node->list[index]->span();
  // R[enter], R[enter + 1] = the bound methods of the manager.
  EmitHelper(async ? Helper::kAsyncContext : Helper::kContext, enter, enter);
  Emit(Op::kMove, exit, enter + 1);
  Emit(Op::kCall, enter, 0);
  if (async) Await(enter, enter);
  const Assigned before = f_->assigned;
  f_->blocks.push_back({.kind = Block::kWith, .exit = exit, .async = async});
  OpenRange(&f_->blocks.back());
  if (node->list2[index] != nullptr) Store(node->list2[index], enter);
  With(node, index + 1);
  CloseRange(&f_->blocks.back());
  Block block = std::move(f_->blocks.back());
  f_->blocks.pop_back();
  at_ = node->list[index]->span();
  WithExit(block);
  const int end = Emit(Op::kJump);
  const int handler = Here();
  AddHandlers(block, handler, exception);
  const int call = Temp(4);
  Emit(Op::kMove, call, exit);
  Emit(Op::kExceptionType, call + 1, exception);
  Emit(Op::kMove, call + 2, exception);
  EmitHelper(Helper::kTracebackOf, call + 3, exception);
  Emit(Op::kCall, call, 3);
  if (async) Await(call, call);
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
