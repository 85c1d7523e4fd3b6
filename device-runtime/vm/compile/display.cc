// Displays: lists, tuples, sets, dicts, slices and f-strings.
#include "device-runtime/vm/compile/compiler.h"

namespace ferry::vm {
namespace {

constexpr int kPiece = 64;  // elements built from registers at once; more are appended

}  // namespace

int Compiler::Sequence(Node* node, Op build, Op append, Op extend, int dest) {
  const int mark = f_->next_register;
  const int result = Temp();
  bool star = false;
  for (Node* item : node->list) star = star || item->kind == Kind::kStarred;
  const int count = static_cast<int>(node->list.size());
  if (!star && count <= kPiece) {
    const int items = count == 0 ? result : Temp(count);
    for (int i = 0; i < count; ++i) Expression(node->list[static_cast<size_t>(i)], items + i);
    f_->next_register = mark;
    bool constant = build == Op::kNewSet && count >= 3;
    int index;
    for (int i = 0; constant && i < count; ++i)
      constant = ConstantOf(node->list[static_cast<size_t>(i)], &index);
    if (constant) {  // CPython takes these from a frozenset, which shows in their order
      Emit(build, items, items, count);
      Emit(build, result, 0, 0);
      Emit(extend, result, items);
      if (dest < 0) dest = Temp();
      if (dest != result) Emit(Op::kMove, dest, result);
      return dest;
    }
    if (dest < 0) dest = Temp();
    Emit(build, dest, items, count);
    return dest;
  }
  const bool tuple = build == Op::kNewTuple;
  Emit(tuple ? Op::kNewList : build, result, 0, 0);
  for (Node* item : node->list) {
    const int inner = f_->next_register;
    const bool starred = item->kind == Kind::kStarred;
    Emit(starred ? extend : append, result, Expression(starred ? item->a : item));
    f_->next_register = inner;
  }
  if (tuple) Emit(Op::kListToTuple, result);
  f_->next_register = result + 1;
  if (dest >= 0) Emit(Op::kMove, dest, result);
  return dest < 0 ? result : dest;
}

int Compiler::Dict(Node* node, int dest) {
  const int result = Temp();
  Emit(Op::kNewDict, result, 0, 0);
  for (size_t i = 0; i < node->list.size(); ++i) {
    const int mark = f_->next_register;
    if (node->list[i] == nullptr) {
      Emit(Op::kDictMerge, result, Expression(node->list2[i]), 0);
    } else {
      const int key = Operand(node->list[i], node->list2[i]);
      Emit(Op::kDictSet, result, key, Expression(node->list2[i]));
    }
    f_->next_register = mark;
  }
  if (dest >= 0) Emit(Op::kMove, dest, result);
  return dest < 0 ? result : dest;
}

int Compiler::Slice(Node* node, int dest) {
  const int mark = f_->next_register;
  const int parts = Temp(3);
  Node* bounds[] = {node->a, node->b, node->c};
  for (int i = 0; i < 3; ++i) {
    if (bounds[i] == nullptr) {
      Emit(Op::kConst, parts + i, Constant(Value::None()));
    } else {
      Expression(bounds[i], parts + i);
    }
  }
  f_->next_register = mark;
  if (dest < 0) dest = Temp();
  Emit(Op::kNewSlice, dest, parts);
  return dest;
}

int Compiler::FString(Node* node, int dest) {
  const int mark = f_->next_register;
  const int count = static_cast<int>(node->list.size());
  const int parts = Temp(count + 1);
  for (int i = 0; i < count; ++i) {
    Node* part = node->list[static_cast<size_t>(i)];
    if (part->kind != Kind::kFormat) {
      Emit(Op::kConst, parts + i, StringConstant(part->text));
      continue;
    }
    const int inner = f_->next_register;
    const int value = Temp(2);
    Expression(part->a, value);
    if (part->b == nullptr) {
      Emit(Op::kConst, value + 1, StringConstant(""));
    } else {
      FString(part->b, value + 1);
    }
    Emit(Op::kFormat, parts + i, value, part->op);
    f_->next_register = inner;
  }
  f_->next_register = mark;
  if (dest < 0) dest = Temp();
  Emit(Op::kJoinStrings, dest, parts, count);
  return dest;
}

}  // namespace ferry::vm
