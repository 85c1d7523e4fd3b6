// async for; what `await` does is in comprehension.cc.
#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/exec/loop/helper.h"

namespace ferry::vm {

// The next item of an asynchronous iterator: its register. Jumps that `over` gets are taken at the
// end.
int Compiler::AsyncNext(int iterator, Jumps* over) {
  const int item = Temp(2), exception = item + 1;
  const int start = Here();
  EmitHelper(Helper::kAsyncNext, item, iterator);
  Await(item, item);
  const int end = Here();
  const int fine = Emit(Op::kJump);
  const int handler = Here();
  f_->code->handlers.push_back({static_cast<uint16_t>(start), static_cast<uint16_t>(end),
                                static_cast<uint16_t>(handler), static_cast<uint16_t>(exception)});
  EmitHelper(Helper::kIsStopAsync, item, exception);
  over->push_back(Emit(Op::kJumpIf, 0, item));
  Emit(Op::kThrow, exception);
  f_->code->handled.push_back({static_cast<uint16_t>(handler), static_cast<uint16_t>(Here()),
                               static_cast<uint16_t>(exception)});
  PatchHere(fine);
  return item;
}

void Compiler::AsyncFor(Node* node) {
  const int iterator = Temp();
  const int source = Expression(node->b);
  at_ = node->b->span();
  EmitHelper(Helper::kAsyncIterate, iterator, source);
  const Assigned before = f_->assigned;
  const int start = Here();
  Jumps over;
  const int item = AsyncNext(iterator, &over);
  at_ = node->a->span();
  Store(node->a, item);
  f_->blocks.push_back({.kind = Block::kLoop, .start = start});
  Body(node->body);
  JumpBack(start);
  Block loop = std::move(f_->blocks.back());
  f_->blocks.pop_back();
  PatchHere(over);
  const size_t size = f_->assigned.size();
  f_->assigned = before;
  f_->assigned.resize(size);
  Body(node->orelse);
  PatchHere(loop.breaks);
  f_->assigned = before;
  f_->assigned.resize(size);
}

}  // namespace ferry::vm
