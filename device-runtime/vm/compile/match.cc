// The match statement.
#include <algorithm>

#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/exec/loop/helper.h"

namespace ferry::vm {
namespace {

bool IsWildcard(const Node* node) {
  return node->text.empty() &&
         (node->kind == Kind::kMatchStar || (node->kind == Kind::kMatchAs && node->a == nullptr));
}

// The pattern that matches everything, if `node` does; else nullptr.
const Node* Irrefutable(const Node* node) {
  if (node->kind == Kind::kMatchAs) return node->a == nullptr ? node : Irrefutable(node->a);
  if (node->kind == Kind::kMatchOr) {
    for (const Node* item : node->list)
      if (const Node* found = Irrefutable(item)) return found;
  }
  return nullptr;
}

std::string Unreachable(const Node* pattern) {
  return pattern->text.empty()
             ? "wildcard makes remaining patterns unreachable"
             : fmt::format("name capture '{}' makes remaining patterns unreachable", pattern->text);
}

}  // namespace

int Compiler::Captures::Find(const std::string& name) const {
  for (const auto& [known, reg] : names)
    if (known == name) return reg;
  return -1;
}

void Compiler::Match(Node* node) {
  const int subject = Expression(node->a, Temp());
  const Assigned before = f_->assigned;
  Jumps ends;
  for (Node* one : node->list) {
    const int mark = f_->next_register;
    const Node* all = one->b == nullptr ? Irrefutable(one->a) : nullptr;
    if (all != nullptr && one != node->list.back()) Fail(all->span(), Unreachable(all));
    Captures captures;
    Jumps fail;
    at_ = one->a->span();
    Pattern(one->a, subject, &captures, &fail);
    for (const auto& [name, reg] : captures.names) StoreName(name, reg);
    if (one->b != nullptr) Condition(one->b, false, &fail);
    Body(one->body);
    ends.push_back(Emit(Op::kJump));
    PatchHere(fail);
    f_->next_register = mark;
    const size_t size = f_->assigned.size();
    f_->assigned = before;
    f_->assigned.resize(size);
  }
  PatchHere(ends);
}

void Compiler::KeepName(const std::string& name, int value, const Span& span, Captures* captures) {
  if (captures->Find(name) >= 0)
    return Fail(span, fmt::format("multiple assignments to name '{}' in pattern", name));
  const int reg = Temp();
  Emit(Op::kMove, reg, value);
  captures->names.emplace_back(name, reg);
}

void Compiler::Pattern(Node* node, int subject, Captures* captures, Jumps* fail) {
  const Span at = at_;
  at_ = node->span();
  switch (node->kind) {
    case Kind::kMatchValue: {
      const int value = Expression(node->a);
      at_ = node->span();
      fail->push_back(Emit(Op::kEqualJ, 0, subject, value));
      break;
    }
    case Kind::kMatchConstant: {
      const int value = Temp();
      Expression(node->a, value);
      Emit(Op::kIs, value, subject, value);
      fail->push_back(Emit(Op::kJumpIfNot, 0, value));
      break;
    }
    case Kind::kMatchSequence:
      SequencePattern(node, subject, captures, fail);
      break;
    case Kind::kMatchMapping:
      MappingPattern(node, subject, captures, fail);
      break;
    case Kind::kMatchClass:
      ClassPattern(node, subject, captures, fail);
      break;
    case Kind::kMatchOr:
      OrPattern(node, subject, captures, fail);
      break;
    default:  // kMatchAs
      if (node->a != nullptr) Pattern(node->a, subject, captures, fail);
      if (!node->text.empty()) KeepName(node->text, subject, node->span(), captures);
  }
  at_ = at;
}

void Compiler::SequencePattern(Node* node, int subject, Captures* captures, Jumps* fail) {
  const int count = static_cast<int>(node->list.size());
  int star = -1;
  for (int i = 0; i < count; ++i) {
    if (node->list[static_cast<size_t>(i)]->kind != Kind::kMatchStar) continue;
    if (star >= 0) Fail(node->span(), "multiple starred names in sequence pattern");
    star = i;
  }
  if (count > 255) Fail(node->span(), "too many sub-patterns in a sequence pattern");
  const int test = Temp();
  EmitHelper(Helper::kMatchSequence, test, subject);
  fail->push_back(Emit(Op::kJumpIfNot, 0, test));
  const int least = star < 0 ? count : count - 1;
  if (star < 0 || least > 0) {
    EmitHelper(Helper::kMatchLength, test, subject);
    fail->push_back(Emit(star < 0 ? Op::kEqualJK : Op::kGreaterEqualJK, 0, test,
                         Constant(Value::SmallInt(least))));
  }
  if (std::all_of(node->list.begin(), node->list.end(), IsWildcard)) return;
  SequenceItems(node, subject, star, captures, fail);
}

void Compiler::SequenceItems(Node* node, int subject, int star, Captures* captures, Jumps* fail) {
  const int count = static_cast<int>(node->list.size());
  if (star >= 0 && IsWildcard(node->list[static_cast<size_t>(star)])) {
    // What the star skips is never looked at.
    for (int i = 0; i < count; ++i) {
      Node* item = node->list[static_cast<size_t>(i)];
      if (IsWildcard(item)) continue;
      const int value = Temp();
      Emit(Op::kLoadIndexK, value, subject, Constant(Value::SmallInt(i < star ? i : i - count)));
      Pattern(item, value, captures, fail);
    }
    return;
  }
  const int items = Temp(count);
  if (star < 0) {
    Emit(Op::kUnpack, items, subject, count);
  } else {
    Emit(Op::kUnpackStar, items, subject, star << 8 | (count - star - 1));
  }
  for (int i = 0; i < count; ++i) {
    Node* item = node->list[static_cast<size_t>(i)];
    if (item->kind != Kind::kMatchStar) {
      Pattern(item, items + i, captures, fail);
    } else if (!item->text.empty()) {
      KeepName(item->text, items + i, item->span(), captures);
    }
  }
}

void Compiler::MappingPattern(Node* node, int subject, Captures* captures, Jumps* fail) {
  const int count = static_cast<int>(node->list.size());
  const int test = Temp();
  EmitHelper(Helper::kMatchMapping, test, subject);
  fail->push_back(Emit(Op::kJumpIfNot, 0, test));
  if (count == 0 && node->text.empty()) return;
  if (count > 255) Fail(node->span(), "too many sub-patterns in a mapping pattern");
  if (count > 0) {
    EmitHelper(Helper::kMatchLength, test, subject);
    fail->push_back(Emit(Op::kGreaterEqualJK, 0, test, Constant(Value::SmallInt(count))));
  }
  for (int i = 0; i < count; ++i) {
    const Node* key = node->list[static_cast<size_t>(i)];
    for (int k = 0; k < i && (key->kind == Kind::kString || key->kind == Kind::kNumber); ++k) {
      const Node* other = node->list[static_cast<size_t>(k)];
      if (other->kind == key->kind && other->text == key->text)
        Fail(node->span(), fmt::format("mapping pattern checks duplicate key ({0}{1}{0})",
                                       key->kind == Kind::kString ? "'" : "", key->text));
    }
  }
  const int pair = Temp(2), values = Temp();
  Node keys{.kind = Kind::kTuple, .at = node->at, .end = node->end};
  keys.list = node->list;
  Expression(&keys, pair + 1);
  Emit(Op::kMove, pair, subject);
  EmitHelper(Helper::kMatchKeys, values, pair);
  const int none = Temp();
  Emit(Op::kConst, none, Constant(Value::None()));
  Emit(Op::kIs, none, values, none);
  fail->push_back(Emit(Op::kJumpIf, 0, none));
  if (count > 0) {
    const int items = Temp(count);
    Emit(Op::kUnpack, items, values, count);
    for (int i = 0; i < count; ++i)
      Pattern(node->list2[static_cast<size_t>(i)], items + i, captures, fail);
  }
  if (node->text.empty()) return;
  const int rest = Temp();
  EmitHelper(Helper::kMatchRest, rest, pair);
  KeepName(node->text, rest, node->span(), captures);
}

void Compiler::ClassPattern(Node* node, int subject, Captures* captures, Jumps* fail) {
  const int positional = static_cast<int>(node->list.size());
  const int count = positional + static_cast<int>(node->names.size());
  if (count > 255) Fail(node->span(), "too many sub-patterns in a class pattern");
  const int args = Temp(4), none = Temp();
  Expression(node->a, args + 1);
  at_ = node->span();
  Emit(Op::kMove, args, subject);
  Emit(Op::kConst, args + 2, Constant(Value::SmallInt(positional)));
  std::vector<Value> names;
  for (const std::string& name : node->names) {
    String* text = vm_.Intern(name);
    names.push_back(text == nullptr ? Value::None() : Value::Of(text));
  }
  const Value tuple = vm_.NewTuple(names.data(), names.size());
  if (tuple.empty()) return OutOfMemory();
  Emit(Op::kConst, args + 3, Constant(tuple));
  EmitHelper(Helper::kMatchClass, args, args);
  Emit(Op::kConst, none, Constant(Value::None()));
  Emit(Op::kIs, none, args, none);
  fail->push_back(Emit(Op::kJumpIf, 0, none));
  if (count == 0) return;
  const int items = Temp(count);
  Emit(Op::kUnpack, items, args, count);
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<size_t>(i);
    Node* item = i < positional ? node->list[index] : node->list2[index - node->list.size()];
    Pattern(item, items + i, captures, fail);
  }
}

void Compiler::OrPattern(Node* node, int subject, Captures* captures, Jumps* fail) {
  const Captures outer = *captures;
  Jumps matched;
  for (Node* item : node->list) {
    const bool last = item == node->list.back();
    const Node* all = Irrefutable(item);
    if (all != nullptr && !last) Fail(all->span(), Unreachable(all));
    Captures own = outer;
    Jumps next;
    Pattern(item, subject, &own, &next);
    if (item == node->list.front()) {
      *captures = own;
    } else {
      bool same = own.names.size() == captures->names.size();
      for (const auto& [name, reg] : own.names) same = same && captures->Find(name) >= 0;
      if (!same) return Fail(item->span(), "alternative patterns bind different names");
      for (size_t i = outer.names.size(); i < own.names.size(); ++i)
        Emit(Op::kMove, captures->Find(own.names[i].first), own.names[i].second);
    }
    if (last) {
      fail->insert(fail->end(), next.begin(), next.end());
    } else {
      matched.push_back(Emit(Op::kJump));
      PatchHere(next);
    }
  }
  PatchHere(matched);
}

}  // namespace ferry::vm
