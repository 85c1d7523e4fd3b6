#include <algorithm>

#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/compile/refusal.h"
#include "device-runtime/vm/exec/loop/helper.h"

namespace ferry::vm {

void Compiler::Body(const std::vector<Node*>& body) {
  for (Node* node : body) {
    if (!error_.ok()) return;
    Statement(node);
  }
}

void Compiler::Statement(Node* node) {
  at_ = node->span();
  const int mark = f_->next_register;
  switch (node->kind) {
    case Kind::kExpression:
      Expression(node->a);
      break;
    case Kind::kAssign:
      Assign(node);
      break;
    case Kind::kAnnotated:
      Annotated(node);
      break;
    case Kind::kMatch:
      Match(node);
      break;
    case Kind::kAugmented:
      Augmented(node);
      break;
    case Kind::kReturn:
      Return(node);
      break;
    case Kind::kDelete:
      Delete(node);
      break;
    case Kind::kPass:
    case Kind::kGlobal:
    case Kind::kNonlocal:
      break;
    case Kind::kBreak:
    case Kind::kContinue:
      BreakOrContinue(node);
      break;
    case Kind::kAssert:
      Assert(node);
      break;
    case Kind::kRaise:
      Raise(node);
      break;
    case Kind::kIf:
      If(node);
      break;
    case Kind::kWhile:
      While(node);
      break;
    case Kind::kFor:
      node->op == 1 ? AsyncFor(node) : For(node);
      break;
    case Kind::kTry:
      Try(node);
      break;
    case Kind::kWith:
      With(node, 0);
      break;
    case Kind::kImport:
      Import(node);
      break;
    case Kind::kFromImport:
      FromImport(node);
      break;
    case Kind::kFunction: {
      const int decorators = f_->next_register;
      Decorators(node);
      const int value = Function(node, -1);
      Decorate(node, decorators, value);
      StoreName(node->text, value);
      break;
    }
    case Kind::kClass:
      Class(node);
      break;
    default:
      Fail(node->span(), "invalid syntax");
  }
  f_->next_register = mark;
  if (LetsGo(node)) Dropped();
}

int Compiler::LocalRegister(const Node* node) {
  if (node->kind != Kind::kName) return -1;
  const LocalVariable* variable = Resolve(f_->scope, node->text);
  return variable != nullptr && variable->owner->frame == f_->frame && !variable->cell &&
                 variable->owner->kind != Scope::kClass
             ? variable->reg
             : -1;
}

// An expression whose last instruction is the only one that writes its destination: one that fails
// half-way leaves a variable there as it was. Displays and calls build there.
static bool WritesAtEnd(Kind kind) {
  return kind == Kind::kName || kind == Kind::kNumber || kind == Kind::kString ||
         kind == Kind::kBinary || kind == Kind::kAttribute || kind == Kind::kIndex ||
         kind == Kind::kConstant;
}

// a, b = x, y: every value is there before the first is stored. Those that are variables stay where
// they are as long as no target before writes them; the last goes straight into its variable when
// no other value is read from there.
bool Compiler::AssignTogether(const std::vector<Node*>& targets, const std::vector<Node*>& values) {
  bool names = true, assigns = false;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]->kind == Kind::kStarred || values[i]->kind == Kind::kStarred) return false;
    names = names && targets[i]->kind == Kind::kName;
    assigns = assigns || Assigns(targets[i]) || Assigns(values[i]);
  }
  const size_t last = values.size() - 1;
  std::vector<int> places;
  for (size_t i = 0; i < values.size(); ++i) {
    const int local = assigns ? -1 : LocalRegister(values[i]);
    bool stays = local >= 0;
    for (size_t j = 0; j < i && stays; ++j) stays = LocalRegister(targets[j]) != local;
    int place = stays ? -1 : Temp();
    const int goal = LocalRegister(targets[last]);
    if (i == last && !stays && names && goal >= 0 && WritesAtEnd(values[i]->kind)) {
      bool free = true;
      for (int other : places) free = free && other != goal;
      for (size_t j = 0; j < last; ++j) free = free && LocalRegister(targets[j]) != goal;
      if (free) place = goal;
    }
    places.push_back(Expression(values[i], place));
  }
  for (size_t i = 0; i < values.size(); ++i) Store(targets[i], places[i]);
  return true;
}

void Compiler::Assign(Node* node) {
  Node* target = node->list[0];
  const bool one = node->list.size() == 1;
  const int local = one ? LocalRegister(target) : -1;
  if (local >= 0) {
    const int value = Expression(node->a, WritesAtEnd(node->a->kind) ? local : -1);
    StoreName(target->text, value);
    return;
  }
  if (one && target->kind == Kind::kTuple && node->a->kind == Kind::kTuple &&
      target->list.size() == node->a->list.size() && !target->list.empty() &&
      AssignTogether(target->list, node->a->list))
    return;
  int value = Expression(node->a);
  // `a = b = x` of a local x, or `f[x := 1] = x`: the value must survive what comes before.
  if (!one || Assigns(target)) {
    const int copy = Temp();
    Emit(Op::kMove, copy, value);
    value = copy;
  }
  for (Node* each : node->list) Store(each, value);
}

void Compiler::Store(Node* target, int value) {
  const Span at = at_;
  at_ = target->span();
  const int mark = f_->next_register;
  switch (target->kind) {
    case Kind::kName:
      StoreName(target->text, value);
      break;
    case Kind::kAttribute:
      Emit(Op::kStoreAttribute, value, Expression(target->a), NameConstant(target->text));
      EmitCache();
      break;
    case Kind::kIndex: {
      const int object = Operand(target->a, target->b);
      const int key = Expression(target->b);
      OnlyKey(target->b);
      Emit(Op::kStoreIndex, value, object, key);
      break;
    }
    case Kind::kTuple:
    case Kind::kList: {
      const int count = static_cast<int>(target->list.size());
      int star = -1;
      for (int i = 0; i < count; ++i)
        if (target->list[static_cast<size_t>(i)]->kind == Kind::kStarred) star = i;
      if (count > 255 && star >= 0)
        Fail(target->span(), "too many expressions in star-unpacking assignment");
      const int items = Temp(count);
      if (star < 0) {
        Emit(Op::kUnpack, items, value, count);
      } else {
        Emit(Op::kUnpackStar, items, value, star << 8 | (count - star - 1));
      }
      for (int i = 0; i < count; ++i) {
        Node* item = target->list[static_cast<size_t>(i)];
        Store(item->kind == Kind::kStarred ? item->a : item, items + i);
      }
      break;
    }
    default:
      Fail(target->span(), "cannot assign to expression");
  }
  f_->next_register = mark;
  at_ = at;
}

// R[value] op= right.
void Compiler::InPlace(int value, int op, Node* right) {
  int index;
  const bool constant = ConstantOf(right, &index);
  const int operand = constant ? index : Expression(right);
  switch (static_cast<Operator>(op)) {
    case Operator::kAdd:
      Emit(constant ? Op::kInPlaceAddK : Op::kInPlaceAdd, value, 0, operand);
      break;
    case Operator::kSub:
      Emit(constant ? Op::kInPlaceSubK : Op::kInPlaceSub, value, 0, operand);
      break;
    case Operator::kMul:
      if (!constant) {
        Emit(Op::kInPlaceMul, value, 0, operand);
        break;
      }
      [[fallthrough]];
    default:
      Emit(constant ? Op::kInPlaceK : Op::kInPlace, value, op, operand);
  }
}

void Compiler::Augmented(Node* node) {
  Node* target = node->a;
  if (target->kind == Kind::kName) {
    const int value = Operand(target, node->b);
    InPlace(value, node->op, node->b);
    return StoreName(target->text, value);
  }
  const bool copied = Assigns(node->b) || Assigns(target);
  const int object = Expression(target->a, copied ? Temp() : -1);
  const int value = Temp();
  if (target->kind == Kind::kAttribute) {
    Emit(Op::kLoadAttribute, value, object, NameConstant(target->text));
    EmitCache();
    InPlace(value, node->op, node->b);
    Emit(Op::kStoreAttribute, value, object, NameConstant(target->text));
    EmitCache();
    return;
  }
  const int key = Expression(target->b, copied ? Temp() : -1);
  Emit(Op::kLoadIndex, value, object, key);
  InPlace(value, node->op, node->b);
  Emit(Op::kStoreIndex, value, object, key);
}

// Tells what the statement may have let go of, where nobody counts references.
void Compiler::Dropped() {
  const int mark = f_->next_register;
  const int above = Temp();
  EmitHelper(Helper::kDropped, above, above);
  f_->next_register = mark;
}

// Whether programs look for the end of something after the statement: where it puts None in the
// place of a value; at the top of a module, where it runs once, also after any call or assignment.
bool Compiler::LetsGo(const Node* node) const {
  const bool assigns = node->kind == Kind::kAssign;
  if (assigns && node->a->kind == Kind::kConstant && node->a->text == "None") return true;
  if (f_->parent != nullptr || source_.file.starts_with("<lib>") ||
      !(assigns || node->kind == Kind::kExpression))
    return false;
  if (!assigns && node->a->kind != Kind::kCall) return false;
  return std::none_of(f_->blocks.begin(), f_->blocks.end(),
                      [](const Block& block) { return block.kind == Block::kLoop; });
}

void Compiler::Delete(Node* node) {
  for (Node* target : node->list) {
    at_ = target->span();
    const int mark = f_->next_register;
    if (target->kind == Kind::kName) {
      DeleteName(target->text);
    } else if (target->kind == Kind::kAttribute) {
      Emit(Op::kDeleteAttribute, 0, Expression(target->a), NameConstant(target->text));
    } else if (target->kind == Kind::kIndex) {
      const int object = Operand(target->a, target->b);
      Emit(Op::kDeleteIndex, 0, object, Expression(target->b));
    } else {
      Delete(target);  // a tuple or list of targets
    }
    f_->next_register = mark;
    Dropped();
  }
}

void Compiler::Annotated(Node* node) {
  if (node->b != nullptr) {
    const int mark = f_->next_register;
    const int value = Expression(node->b);
    Store(node->a, value);
    f_->next_register = mark;
  } else if (node->a->kind == Kind::kAttribute || node->a->kind == Kind::kIndex) {
    Expression(node->a->a);
    if (node->a->kind == Kind::kIndex) Expression(node->a->b);
  }
  if (f_->frame->kind == Scope::kFunction) {
    if (node->op == 0 && !future_annotations_) Expression(node->c);
    return;
  }
  const int value = Annotation(node->c);
  if (node->op == 0) return;
  const int table = Temp(2);
  LoadName("__annotations__", table);
  Emit(Op::kConst, table + 1, NameConstant(node->a->text));
  Emit(Op::kStoreIndex, value, table, table + 1);
}

void Compiler::Return(Node* node) {
  if (f_->frame->kind != Scope::kFunction) return Fail(node->span(), "'return' outside function");
  if (node->a != nullptr && f_->code->generator_kind == GeneratorKind::kAsyncGenerator)
    return Fail(node->span(), "'return' with value in async generator");
  for (const Block& block : f_->blocks) {
    if (block.kind == Block::kStar)
      return Fail(node->span(),
                  "'break', 'continue' and 'return' cannot appear in an except* block");
  }
  int value;
  if (node->a != nullptr) {
    value = Expression(node->a);
    bool cleanup = false;
    for (const Block& block : f_->blocks) cleanup = cleanup || block.kind != Block::kLoop;
    if (cleanup) {
      const int copy = Temp();
      Emit(Op::kMove, copy, value);
      value = copy;
    }
  } else {
    value = Temp();
    Emit(Op::kConst, value, Constant(Value::None()));
  }
  LeaveBlocks(0);
  Emit(Op::kReturn, value);
  ReopenBlocks(0);
}

void Compiler::Raise(Node* node) {
  if (node->a == nullptr) {
    Emit(Op::kRaiseAgain);
    return;
  }
  const int exception = Expression(node->a, Temp());
  const int cause = node->b == nullptr ? 0 : Expression(node->b);
  Emit(Op::kRaise, exception, cause, node->b != nullptr);
}

void Compiler::Assert(Node* node) {
  Jumps fine;
  Condition(node->a, true, &fine);
  const int message = node->b == nullptr ? 0 : Expression(node->b);
  at_ = node->a->span();
  Emit(Op::kRaiseAssertion, message, node->b != nullptr);
  PatchHere(fine);
}

// An import that may fail, in a try statement, is left to fail when it runs.
void Compiler::RefuseModule(Node* node) {
  const std::string_view refused = guarded_ > 0 ? "" : RefusedModule(node->text);
  if (!refused.empty())
    Fail(node->span(), fmt::format("module '{}' is not supported: {}", node->text, refused));
}

void Compiler::Import(Node* node) {
  RefuseModule(node);
  const int module = Temp();
  Emit(Op::kImport, module, NameConstant(node->text), node->op);
  StoreName(node->names[0], module);
}

void Compiler::FromImport(Node* node) {
  if (node->op == 0) RefuseModule(node);
  const int module = Temp(3);
  Emit(Op::kConst, module + 1, NameConstant(node->text));
  Emit(Op::kConst, module + 2, Constant(Value::SmallInt(node->op)));
  EmitHelper(Helper::kImportPackage, module, module + 1);
  if (node->names == std::vector<std::string>{"*"}) {
    EmitHelper(Helper::kImportStar, module, module);
    return;
  }
  for (size_t i = 0; i < node->names.size(); ++i) {
    Emit(Op::kImportFrom, module + 1, module, NameConstant(node->names[i]));
    StoreName(node->names2[i], module + 1);
  }
}

}  // namespace ferry::vm
