#include "device-runtime/vm/compile/compiler.h"

namespace ferry::vm {

int Compiler::Comprehension(Node* node, int dest) {
  if (node->op == static_cast<int>(Kind::kYield)) return GeneratorExpression(node, dest);
  const int result = Temp();
  const int source = Expression(node->clauses[0].iterable, Temp());
  Scope* outer = f_->scope;
  f_->scope = scopes_.of[node];
  const Op build = node->op == static_cast<int>(Kind::kList)  ? Op::kNewList
                   : node->op == static_cast<int>(Kind::kSet) ? Op::kNewSet
                                                              : Op::kNewDict;
  Emit(build, result, 0, 0);
  DeclareLocals(f_->scope);
  Emit(Op::kIterate, source, source);
  Clauses(node, 0, result);
  f_->scope = outer;
  f_->next_register = result + 1;
  if (dest >= 0) Emit(Op::kMove, dest, result);
  return dest < 0 ? result : dest;
}

// The loops from clause `index` on; the iterator of clause 0 lies in the register after `result`.
// A negative result: yield the elements.
void Compiler::Clauses(Node* node, size_t index, int result) {
  if (index == node->clauses.size()) {
    const int mark = f_->next_register;
    if (result < 0) {
      const int value = Temp();
      Emit(Op::kYield, value, Expression(node->a));
    } else if (node->op == static_cast<int>(Kind::kDict)) {
      const int key = Operand(node->a, node->b);
      Emit(Op::kDictSet, result, key, Expression(node->b));
    } else {
      Emit(node->op == static_cast<int>(Kind::kList) ? Op::kListAppend : Op::kSetAdd, result,
           Expression(node->a));
    }
    f_->next_register = mark;
    return;
  }
  Clause& clause = node->clauses[index];
  int iterator;
  if (index == 0) {
    iterator = result < 0 ? Temp() : result + 1;
    if (result < 0) Emit(Op::kIterate, iterator, LoadName(".0", -1));
  } else {
    iterator = Temp();
    Emit(Op::kIterate, iterator, Expression(clause.iterable));
  }
  const int item = Temp();
  const Assigned before = f_->assigned;
  const int start = Here();
  const int next = Emit(Op::kForNext, iterator, item);
  Store(clause.target, item);
  Jumps skip;
  for (Node* condition : clause.conditions) Condition(condition, false, &skip);
  Clauses(node, index + 1, result);
  PatchHere(skip);
  JumpBack(start);
  PatchHere(next);
  const size_t size = f_->assigned.size();
  f_->assigned = before;
  f_->assigned.resize(size);
}

int Compiler::GeneratorExpression(Node* node, int dest) {
  const int call = Temp(2);
  Expression(node->clauses[0].iterable, call + 1);
  CodeObject* code = NewCode("<genexpr>");
  code->generator = true;
  code->positional = 1;
  FunctionState state;
  Enter(&state, code, scopes_.of[node]);
  code->parameters.push_back(vm_.Intern(".0"));
  Scope* scope = f_->scope;
  scope->variables[".0"].reg = Temp();
  DeclareLocals(scope);
  Clauses(node, 0, -1);
  const int none = Temp();
  Emit(Op::kConst, none, Constant(Value::None()));
  Emit(Op::kReturn, none);
  Leave();
  // The closure's place for keyword defaults is where the argument goes: keep that aside.
  const int closure = ClosureOf(code, -1, -1);
  Emit(Op::kMove, call, closure);
  Emit(Op::kCall, call, 1);
  f_->next_register = call + 1;
  if (dest >= 0) Emit(Op::kMove, dest, call);
  return dest < 0 ? call : dest;
}

int Compiler::Yield(Node* node, int dest) {
  const int result = dest < 0 ? Temp() : dest;
  const int mark = f_->next_register;
  const int value = Temp();
  if (node->a == nullptr) {
    Emit(Op::kConst, value, Constant(Value::None()));
  } else {
    Expression(node->a, value);
  }
  Emit(Op::kYield, result, value);
  f_->next_register = mark;
  return result;
}

int Compiler::YieldFrom(Node* node, int dest) {
  const int result = dest < 0 ? Temp() : dest;
  const int mark = f_->next_register;
  const int iterator = Temp(2);
  Emit(Op::kIterate, iterator, Expression(node->a));
  const int start = Here();
  const int next = Emit(Op::kForNext, iterator, iterator + 1);
  const int sent = Temp();
  Emit(Op::kYield, sent, iterator + 1);
  JumpBack(start);
  PatchHere(next);
  Emit(Op::kGeneratorResult, result, iterator);
  f_->next_register = mark;
  return result;
}

}  // namespace ferry::vm
