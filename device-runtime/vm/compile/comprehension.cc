#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/exec/loop/helper.h"

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
  const Span at = at_;
  at_ = node->clauses[0].iterable->span();
  if (node->clauses[0].async) {
    EmitHelper(Helper::kAsyncIterate, source, source);
  } else {
    Emit(Op::kIterate, source, source);
  }
  at_ = at;
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
  const Span at = at_;
  if (index == 0) {
    // A generator expression gets the iterator as its argument.
    iterator = result < 0 ? LoadName(".0", -1) : result + 1;
  } else {
    iterator = Temp();
    const int source = Expression(clause.iterable, iterator);
    at_ = clause.iterable->span();
    if (clause.async) {
      EmitHelper(Helper::kAsyncIterate, iterator, source);
    } else {
      Emit(Op::kIterate, iterator, source);
    }
  }
  const Assigned before = f_->assigned;
  const int start = Here();
  at_ = clause.iterable->span();
  Jumps over;
  int item;
  if (clause.async) {
    item = AsyncNext(iterator, &over);
  } else {
    item = Temp();
    over = {Emit(Op::kForNext, iterator, item)};
  }
  at_ = at;
  Store(clause.target, item);
  Jumps skip;
  for (Node* condition : clause.conditions) Condition(condition, false, &skip);
  Clauses(node, index + 1, result);
  PatchHere(skip);
  JumpBack(start);
  PatchHere(over);
  const size_t size = f_->assigned.size();
  f_->assigned = before;
  f_->assigned.resize(size);
}

int Compiler::GeneratorExpression(Node* node, int dest) {
  const int call = Temp(2);
  Expression(node->clauses[0].iterable, call + 1);
  const Span outer = at_;
  at_ = node->clauses[0].iterable->span();
  if (node->clauses[0].async) {
    EmitHelper(Helper::kAsyncIterate, call + 1, call + 1);
  } else {
    Emit(Op::kIterate, call + 1, call + 1);
  }
  at_ = outer;
  CodeObject* code = NewCode("<genexpr>");
  code->generator = true;
  if (scopes_.of[node]->async) code->generator_kind = GeneratorKind::kAsyncGenerator;
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
  const int mark = f_->next_register;
  const int iterator = Temp();
  EmitHelper(Helper::kYieldFromIterator, iterator, Expression(node->a, Temp()));
  f_->next_register = iterator + 1;
  const int result = Delegate(iterator, -1);
  f_->next_register = mark;
  const int target = dest < 0 ? Temp() : dest;
  if (target != result) Emit(Op::kMove, target, result);
  return target;
}

int Compiler::Await(int value, int dest) {
  const int mark = f_->next_register;
  const int iterator = Temp();
  EmitHelper(Helper::kAwaitable, iterator, value);
  const int result = Delegate(iterator, -1);
  f_->next_register = mark;
  const int target = dest < 0 ? Temp() : dest;
  if (target != result) Emit(Op::kMove, target, result);
  return target;
}

// Yields everything that the iterator yields, sends it what is sent, and gives its result. ORDER:
// GoOn in exec/call/generator.cc finds Send before and the end after the Yield.
int Compiler::Delegate(int iterator, int dest) {
  const int sent = Temp();  // the register after the iterator
  const int value = dest < 0 ? Temp() : dest;
  Emit(Op::kConst, sent, Constant(Value::None()));
  const int start = Here();
  const int send = Emit(Op::kSend, value, iterator);
  Emit(Op::kYield, sent, value, iterator + 1);
  JumpBack(start);
  PatchHere(send);
  return value;
}

}  // namespace ferry::vm
