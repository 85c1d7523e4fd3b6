#include "device-runtime/vm/compile/compiler.h"

namespace ferry::vm {

void Compiler::Body(const std::vector<Node*>& body) {
  for (Node* node : body) {
    if (!error_.ok()) return;
    Statement(node);
  }
}

void Compiler::Statement(Node* node) {
  at_ = node->at;
  const int mark = f_->next_register;
  switch (node->kind) {
    case Kind::kExpression:
      Expression(node->a);
      break;
    case Kind::kAssign:
      Assign(node);
      break;
    case Kind::kAnnotated:
      if (node->b != nullptr) Store(node->a, Expression(node->b));
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
      For(node);
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
      for (Node* decorator : node->decorators) Expression(decorator, Temp());
      const int value = Function(node, -1);
      Decorate(node, decorators, value);
      StoreName(node->text, value);
      break;
    }
    case Kind::kClass:
      Class(node);
      break;
    default:
      Fail(node->at, "not a statement");
  }
  f_->next_register = mark;
}

void Compiler::Assign(Node* node) {
  Node* target = node->list[0];
  if (node->list.size() == 1 && target->kind == Kind::kName) {
    LocalVariable* variable = Resolve(f_->scope, target->text);
    if (variable != nullptr && variable->owner->frame == f_->frame && !variable->cell &&
        variable->owner->kind != Scope::kClass) {
      // Straight into the variable, unless the value could fail half-way after writing it: only the
      // last instruction of an expression writes its destination, but displays and calls build
      // there.
      const Kind kind = node->a->kind;
      const bool simple = kind == Kind::kName || kind == Kind::kNumber || kind == Kind::kString ||
                          kind == Kind::kBinary || kind == Kind::kAttribute ||
                          kind == Kind::kIndex || kind == Kind::kConstant;
      const int value = Expression(node->a, simple ? variable->reg : -1);
      StoreName(target->text, value);
      return;
    }
  }
  if (node->list.size() == 1 && target->kind == Kind::kTuple && node->a->kind == Kind::kTuple &&
      target->list.size() == node->a->list.size()) {
    bool star = false;
    for (Node* item : target->list) star = star || item->kind == Kind::kStarred;
    for (Node* item : node->a->list) star = star || item->kind == Kind::kStarred;
    if (!star) {
      std::vector<int> values;
      for (Node* item : node->a->list) values.push_back(Expression(item, Temp()));
      for (size_t i = 0; i < values.size(); ++i) Store(target->list[i], values[i]);
      return;
    }
  }
  int value = Expression(node->a);
  // `a = b = x` of a local x, or `x, y = x`: the value must survive the first assignment.
  if (node->list.size() > 1 || target->kind != Kind::kName) {
    const int copy = Temp();
    Emit(Op::kMove, copy, value);
    value = copy;
  }
  for (Node* one : node->list) Store(one, value);
}

void Compiler::Store(Node* target, int value) {
  const Position at = at_;
  const int mark = f_->next_register;
  switch (target->kind) {
    case Kind::kName:
      StoreName(target->text, value);
      break;
    case Kind::kAttribute:
      Emit(Op::kStoreAttribute, value, Expression(target->a), NameConstant(target->text));
      Emit(Op::kCache);
      break;
    case Kind::kIndex: {
      const int object = Operand(target->a, target->b);
      Emit(Op::kStoreIndex, value, object, Expression(target->b));
      break;
    }
    case Kind::kTuple:
    case Kind::kList: {
      const int count = static_cast<int>(target->list.size());
      int star = -1;
      for (int i = 0; i < count; ++i)
        if (target->list[static_cast<size_t>(i)]->kind == Kind::kStarred) star = i;
      if (count > 255 && star >= 0) Fail(target->at, "too many targets with a starred one");
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
      Fail(target->at, "cannot assign to this");
  }
  f_->next_register = mark;
  at_ = at;
}

void Compiler::Augmented(Node* node) {
  Node* target = node->a;
  if (target->kind == Kind::kName) {
    int value = LoadName(target->text, -1);
    if (target->kind == Kind::kName && node->b->kind != Kind::kNumber &&
        node->b->kind != Kind::kName) {
      const int copy = Temp();
      Emit(Op::kMove, copy, value);
      const int right = Expression(node->b);
      Emit(Op::kInPlace, copy, node->op, right);
      return StoreName(target->text, copy);
    }
    int index;
    const bool add = node->op == static_cast<int>(Operator::kAdd);
    const bool sub = node->op == static_cast<int>(Operator::kSub);
    if ((add || sub) && ConstantOf(node->b, &index)) {
      Emit(add ? Op::kAddK : Op::kSubK, value, value, index);
    } else {
      const int right = Expression(node->b);
      Emit(Op::kInPlace, value, node->op, right);
    }
    return StoreName(target->text, value);
  }
  const int object = Expression(target->a, Temp());
  const int value = Temp();
  if (target->kind == Kind::kAttribute) {
    Emit(Op::kLoadAttribute, value, object, NameConstant(target->text));
    Emit(Op::kCache);
    Emit(Op::kInPlace, value, node->op, Expression(node->b));
    Emit(Op::kStoreAttribute, value, object, NameConstant(target->text));
    Emit(Op::kCache);
    return;
  }
  const int key = Expression(target->b, Temp());
  Emit(Op::kLoadIndex, value, object, key);
  Emit(Op::kInPlace, value, node->op, Expression(node->b));
  Emit(Op::kStoreIndex, value, object, key);
}

void Compiler::Delete(Node* node) {
  for (Node* target : node->list) {
    if (target->kind == Kind::kName) {
      DeleteName(target->text, target->at);
    } else if (target->kind == Kind::kAttribute) {
      Emit(Op::kDeleteAttribute, 0, Expression(target->a), NameConstant(target->text));
    } else if (target->kind == Kind::kIndex) {
      const int object = Operand(target->a, target->b);
      Emit(Op::kDeleteIndex, 0, object, Expression(target->b));
    } else {
      Fail(target->at, "cannot delete this");
    }
  }
}

void Compiler::Return(Node* node) {
  if (f_->frame->kind != Scope::kFunction) return Fail(node->at, "'return' outside function");
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
  Emit(Op::kRaiseAssertion, message, node->b != nullptr);
  PatchHere(fine);
}

void Compiler::Import(Node* node) {
  const int module = Temp();
  Emit(Op::kImport, module, NameConstant(node->text), node->op);
  StoreName(node->names[0], module);
}

void Compiler::FromImport(Node* node) {
  std::string name = node->text;
  if (node->op > 0) {
    // Relative to the package of this module.
    std::string package(module_->name->view());
    for (int i = 0; i < node->op; ++i) {
      const size_t dot = package.rfind('.');
      package = dot == std::string::npos ? "" : package.substr(0, dot);
    }
    name = package.empty() ? name : name.empty() ? package : package + "." + name;
    if (name.empty()) {  // from . import a: each name is a module
      for (size_t i = 0; i < node->names.size(); ++i) {
        const int module = Temp();
        Emit(Op::kImport, module, NameConstant(node->names[i]), 1);
        StoreName(node->names2[i], module);
      }
      return;
    }
  }
  const int module = Temp(2);
  Emit(Op::kImport, module, NameConstant(name), 1);
  for (size_t i = 0; i < node->names.size(); ++i) {
    Emit(Op::kImportFrom, module + 1, module, NameConstant(node->names[i]));
    StoreName(node->names2[i], module + 1);
  }
}

}  // namespace ferry::vm
