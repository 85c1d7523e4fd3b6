#include <algorithm>
#include <cstdlib>

#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {

bool Assigns(const Node* node) {
  if (node == nullptr) return false;
  if (node->kind == Kind::kNamed) return true;
  if (node->kind == Kind::kYield || node->kind == Kind::kYieldFrom || node->kind == Kind::kAwait)
    return Assigns(node->a);
  if (node->kind == Kind::kName || node->kind == Kind::kNumber || node->kind == Kind::kString ||
      node->kind == Kind::kLambda)
    return false;
  if (Assigns(node->a) || Assigns(node->b) || Assigns(node->c)) return true;
  for (const Node* item : node->list)
    if (Assigns(item)) return true;
  for (const Node* item : node->list2)
    if (Assigns(item)) return true;
  for (const Clause& clause : node->clauses)
    for (const Node* condition : clause.conditions)
      if (Assigns(condition)) return true;
  return false;
}

// The value of `node`, to be used after `later` has been evaluated.
int Compiler::Operand(Node* node, Node* later) {
  return Expression(node, Assigns(later) ? Temp() : -1);
}

Value Compiler::NumberValue(Node* node) {
  const std::string& text = node->text;
  const char second = text.size() > 1 ? static_cast<char>(text[1] | 0x20) : 0;
  const bool based = text[0] == '0' && (second == 'x' || second == 'o' || second == 'b');
  if (!based && (text.back() | 0x20) == 'j')
    return vm_.NewComplex(0, std::strtod(text.c_str(), nullptr));
  if (!based && text.find_first_of(".eE") != std::string::npos)
    return Value::Float(std::strtod(text.c_str(), nullptr));
  const int base = !based ? 10 : second == 'x' ? 16 : second == 'o' ? 8 : 2;
  Value v = ParseInt(vm_, std::string_view(text).substr(based ? 2 : 0), base);
  if (v.empty()) {
    if (vm_.fatal.ok()) Fail(node->span(), "integer literal is too large");
    vm_.pending = Value();
    return Value::None();
  }
  return v;
}

// Numbers as constants of an instruction.
bool Compiler::ConstantOf(Node* node, int* index) {
  if (node->kind != Kind::kNumber) return false;
  *index = Constant(NumberValue(node));
  return true;
}

int Compiler::Expression(Node* node, int dest) {
  const Span before = at_;
  at_ = node->span();
  const int result = ExpressionInner(node, dest);
  at_ = before;
  return result;
}

int Compiler::ExpressionInner(Node* node, int dest) {
  const auto constant = [&](int index) {
    const int reg = dest < 0 ? Temp() : dest;
    Emit(Op::kConst, reg, index);
    return reg;
  };
  switch (node->kind) {
    case Kind::kName:
      return LoadName(node->text, dest);
    case Kind::kNumber:
      return constant(Constant(NumberValue(node)));
    case Kind::kString:
      return constant(StringConstant(node->text));
    case Kind::kBytes: {
      Value v = vm_.NewBytes(node->text);
      if (v.empty()) OutOfMemory();
      return constant(Constant(v));
    }
    case Kind::kConstant:
      return constant(Constant(node->text == "None"    ? Value::None()
                               : node->text == "True"  ? Value::Bool(true)
                               : node->text == "False" ? Value::Bool(false)
                                                       : vm_.ellipsis));
    case Kind::kFString:
      return FString(node, dest);
    case Kind::kTuple:
      return Sequence(node, Op::kNewTuple, Op::kListAppend, Op::kListExtend, dest);
    case Kind::kList:
      return Sequence(node, Op::kNewList, Op::kListAppend, Op::kListExtend, dest);
    case Kind::kSet:
      return Sequence(node, Op::kNewSet, Op::kSetAdd, Op::kSetUpdate, dest);
    case Kind::kDict:
      return Dict(node, dest);
    case Kind::kBinary:
      return Binary(node, dest);
    case Kind::kCompare:
      return Compare(node, dest);
    case Kind::kBool:
      return Bool(node, dest);
    case Kind::kConditional:
      return Conditional(node, dest);
    case Kind::kCall:
      return Call(node, dest);
    case Kind::kSlice:
      return Slice(node, dest);
    case Kind::kLambda:
      return Function(node, dest);
    case Kind::kComprehension:
      return Comprehension(node, dest);
    case Kind::kYield:
      return Yield(node, dest);
    case Kind::kYieldFrom:
      return YieldFrom(node, dest);
    case Kind::kAwait: {
      const int value = Expression(node->a);
      return Await(value, dest);
    }
    case Kind::kUnary: {
      if (node->op == static_cast<int>(Operator::kNegative) && node->a->kind == Kind::kNumber) {
        Value v = vm_.Unary(node->op, NumberValue(node->a));
        if (v.empty()) OutOfMemory();
        return constant(Constant(v));
      }
      const int value = Expression(node->a);
      const int reg = dest < 0 ? Temp() : dest;
      Emit(node->op == static_cast<int>(Operator::kNot) ? Op::kNot : Op::kUnary, reg, value,
           node->op);
      return reg;
    }
    case Kind::kAttribute: {
      const int value = Expression(node->a);
      const int reg = dest < 0 ? Temp() : dest;
      Emit(Op::kLoadAttribute, reg, value, NameConstant(node->text));
      EmitCache();
      return reg;
    }
    case Kind::kIndex: {
      const int value = Operand(node->a, node->b);
      int index;
      if (ConstantOf(node->b, &index)) {
        const int reg = dest < 0 ? Temp() : dest;
        Emit(Op::kLoadIndexK, reg, value, index);
        return reg;
      }
      const int key = Expression(node->b);
      OnlyKey(node->b);
      const int reg = dest < 0 ? Temp() : dest;
      Emit(Op::kLoadIndex, reg, value, key);
      return reg;
    }
    case Kind::kNamed: {
      const int value = Expression(node->a, dest < 0 ? Temp() : dest);
      // Bound outside of the comprehension that it stands in.
      Scope* scope = f_->scope;
      while (f_->scope->kind == Scope::kInline) f_->scope = f_->scope->parent;
      StoreName(node->text, value);
      f_->scope = scope;
      return value;
    }
    case Kind::kStarred:
      Fail(node->span(), "can't use starred expression here");
      return 0;
    default:
      Fail(node->span(), "invalid syntax");
      return 0;
  }
}

int Compiler::Binary(Node* node, int dest) {
  const int mark = f_->next_register;
  const int left = Operand(node->a, node->b);
  const auto op = static_cast<Operator>(node->op);
  // ORDER: Operator. kCache: none of its own.
  struct Forms {
    Op plain, constant;
  };
  static constexpr Forms kForms[] = {
      {Op::kAdd, Op::kAddK},
      {Op::kSub, Op::kSubK},
      {Op::kMul, Op::kMulK},
      {Op::kDiv, Op::kDivK},
      {Op::kFloorDiv, Op::kFloorDivK},
      {Op::kMod, Op::kModK},
      {Op::kPower, Op::kPowerK},
      {Op::kBinary, Op::kCache},
      {Op::kAnd, Op::kAndK},
      {Op::kOr, Op::kCache},
      {Op::kXor, Op::kCache},
      {Op::kShiftLeft, Op::kShiftLeftK},
      {Op::kShiftRight, Op::kShiftRightK},
  };
  const Forms& forms = kForms[static_cast<int>(op)];
  int index = 0;
  const bool constant = forms.constant != Op::kCache && ConstantOf(node->b, &index);
  const int right = constant ? index : Expression(node->b);
  f_->next_register = mark;
  const int reg = dest < 0 ? Temp() : dest;
  if (forms.plain != Op::kBinary) {
    Emit(constant ? forms.constant : forms.plain, reg, left, right);
  } else if (reg != left && reg == right) {
    // R[reg] op= right, on a copy of the left side.
    const int copy = Temp(2) + 1;
    Emit(Op::kMove, copy, left);
    Emit(Op::kBinary, copy, node->op, right);
    Emit(Op::kMove, reg, copy);
    f_->next_register = reg == mark ? mark + 1 : mark;
  } else {
    if (reg != left) Emit(Op::kMove, reg, left);
    Emit(Op::kBinary, reg, node->op, right);
  }
  return reg;
}

// What the node has just made is read by the instruction that comes next and by nothing else.
void Compiler::OnlyKey(const Node* node) {
  auto& all = f_->code->instructions;
  if (node->kind == Kind::kSlice) all.back().c = 1;
  if (node->kind != Kind::kTuple || all.back().op != Op::kNewTuple || all.back().c == 0) return;
  // One of constants is a constant itself: see exec/call/fuse.cc.
  const auto constant = [](const Instruction& i) { return i.op == Op::kConst; };
  const auto count = static_cast<ptrdiff_t>(all.back().c) + 1;
  if (!std::all_of(all.end() - std::min<ptrdiff_t>(count, std::ssize(all)), all.end() - 1,
                   constant))
    all.back().op = Op::kNewKey;
}

void Compiler::CompareOne(int op, int dest, int left, int right) {
  static constexpr Op kOps[] = {Op::kLess,  Op::kLessEqual, Op::kGreater, Op::kGreaterEqual,
                                Op::kEqual, Op::kNotEqual,  Op::kIn,      Op::kNotIn,
                                Op::kIs,    Op::kIsNot};
  Emit(kOps[op - static_cast<int>(Operator::kLess)], dest, left, right);
}

int Compiler::Compare(Node* node, int dest) {
  // dest may be a variable of the comparison itself: build in a temporary.
  const int result = Temp();
  Node* second = node->list[0];
  int left = Operand(node->a, second);
  const size_t after_left = f_->code->instructions.size();
  Jumps ends;
  for (size_t i = 0; i < node->list.size(); ++i) {
    const bool last = i + 1 == node->list.size();
    const Assigned before = f_->assigned;
    const int right = Expression(node->list[i], last ? -1 : Temp());
    if (i > 0) f_->assigned = Both(f_->assigned, before);  // it may not be looked at
    const int op = node->ops[i] - static_cast<int>(Operator::kLess) + static_cast<int>(Op::kLess);
    if (i == 0 && f_->code->instructions.size() == after_left &&
        (op == static_cast<int>(Op::kIn) || op == static_cast<int>(Op::kNotIn)))
      OnlyKey(node->a);
    CompareOne(node->ops[i], result, left, right);
    if (!last) ends.push_back(Emit(Op::kJumpIfNot, 0, result));
    left = right;
  }
  PatchHere(ends);
  f_->next_register = result + 1;
  if (dest >= 0) Emit(Op::kMove, dest, result);
  return dest < 0 ? result : dest;
}

int Compiler::Bool(Node* node, int dest) {
  const int result = dest < 0 ? Temp() : dest;
  const int value = Temp();
  Jumps ends;
  for (size_t i = 0; i < node->list.size(); ++i) {
    const Assigned before = f_->assigned;
    Expression(node->list[i], value);
    if (i + 1 < node->list.size())
      ends.push_back(
          Emit(node->op == static_cast<int>(Operator::kBoolOr) ? Op::kJumpIf : Op::kJumpIfNot, 0,
               value));
    if (i > 0) f_->assigned = Both(f_->assigned, before);
  }
  PatchHere(ends);
  Emit(Op::kMove, result, value);
  f_->next_register = value;
  return result;
}

int Compiler::Conditional(Node* node, int dest) {
  const int result = Temp();
  Jumps otherwise;
  Condition(node->a, false, &otherwise);
  const Assigned before = f_->assigned;
  Expression(node->b, result);
  const Assigned then = f_->assigned;
  f_->assigned = before;
  f_->assigned.resize(then.size());
  const int end = Emit(Op::kJump);
  PatchHere(otherwise);
  Expression(node->c, result);
  PatchHere(end);
  f_->assigned = Both(f_->assigned, then);
  f_->next_register = result + 1;
  if (dest >= 0) Emit(Op::kMove, dest, result);
  return dest < 0 ? result : dest;
}

// A comparison of two values and the jump, in one instruction if it jumps when it is false.
bool Compiler::FusedCompare(Node* node, bool jump_if, Jumps* jumps) {
  if (node->list.size() != 1) return false;
  if (node->ops[0] >= static_cast<int>(Operator::kIs)) return FusedIs(node, jump_if, jumps);
  if (node->ops[0] > static_cast<int>(Operator::kNotEqual)) return false;
  const int kind = node->ops[0] - static_cast<int>(Operator::kLess);
  const int mark = f_->next_register;
  const int left = Operand(node->a, node->list[0]);
  int index;
  const bool constant = ConstantOf(node->list[0], &index);
  const int right = constant ? index : Expression(node->list[0]);
  const Op first = constant ? Op::kLessJK : Op::kLessJ;
  f_->next_register = mark;
  const int compare = Emit(static_cast<Op>(static_cast<int>(first) + kind), 0, left, right);
  jumps->push_back(compare);
  if (!jump_if) return true;
  // Not the opposite comparison: both may be false. Jumps over a jump instead.
  jumps->back() = Emit(Op::kJump);
  PatchHere(compare);
  return true;
}

bool Compiler::FusedIs(Node* node, bool jump_if, Jumps* jumps) {
  const bool same = (node->ops[0] == static_cast<int>(Operator::kIs)) == jump_if;
  const int mark = f_->next_register;
  const int left = Operand(node->a, node->list[0]);
  const Node* right = node->list[0];
  if (right->kind == Kind::kConstant && right->text == "None") {
    f_->next_register = mark;
    jumps->push_back(Emit(same ? Op::kJumpIfNone : Op::kJumpIfNotNone, 0, left));
    return true;
  }
  const int other = Expression(node->list[0]);
  f_->next_register = mark;
  jumps->push_back(Emit(same ? Op::kJumpIfSame : Op::kJumpIfNotSame, 0, left, other));
  return true;
}

void Compiler::Condition(Node* node, bool jump_if, Jumps* jumps) {
  const Span before = at_;
  at_ = node->span();
  const int mark = f_->next_register;
  if (node->kind == Kind::kUnary && node->op == static_cast<int>(Operator::kNot)) {
    Condition(node->a, !jump_if, jumps);
  } else if (node->kind == Kind::kBool) {
    const bool is_or = node->op == static_cast<int>(Operator::kBoolOr);
    const bool decides = is_or == jump_if;  // one operand alone can cause the jump
    Jumps through;
    for (size_t i = 0; i < node->list.size(); ++i) {
      const Assigned assigned = f_->assigned;
      const bool last = i + 1 == node->list.size();
      if (decides || last) {
        Condition(node->list[i], jump_if, jumps);
      } else {
        Condition(node->list[i], !jump_if, &through);
      }
      if (i > 0) f_->assigned = Both(f_->assigned, assigned);
    }
    PatchHere(through);
  } else if (node->kind != Kind::kCompare || !FusedCompare(node, jump_if, jumps)) {
    const int value = Expression(node);
    jumps->push_back(Emit(jump_if ? Op::kJumpIf : Op::kJumpIfNot, 0, value));
  }
  f_->next_register = mark;
  at_ = before;
}

}  // namespace ferry::vm
