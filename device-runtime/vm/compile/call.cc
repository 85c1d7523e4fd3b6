#include <algorithm>

#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/exec/loop/helper.h"

namespace ferry::vm {

// R[call] = callee, R[call+1] = self or empty, then positional and keyword arguments; a plain call
// has no place for self.
int Compiler::Call(Node* node, int dest) {
  bool spread = node->list.size() + node->names.size() > 200;
  for (Node* argument : node->list) spread = spread || argument->kind == Kind::kStarred;
  for (const std::string& name : node->names) spread = spread || name.empty();
  if (spread) return CallSpread(node, dest);
  const int mark = f_->next_register;
  const bool method = node->a->kind == Kind::kAttribute;
  const bool wide = method || !node->names.empty();
  const int positional = static_cast<int>(node->list.size());
  const int count = positional + static_cast<int>(node->names.size());
  const int call = Temp((wide ? 2 : 1) + count);
  if (method) {
    const int inner = f_->next_register;
    const int object = Expression(node->a->a);
    Emit(Op::kLoadMethod, call, object, NameConstant(node->a->text));
    EmitCache();
    f_->next_register = inner;
  } else {
    Expression(node->a, call);
    if (wide) Emit(Op::kDeleteLocal, call + 1);
  }
  const int first = call + (wide ? 2 : 1);
  const int arguments = f_->next_register;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<size_t>(i);
    Expression(i < positional ? node->list[index] : node->list2[index - node->list.size()],
               first + i);
    f_->next_register = arguments;
  }
  if (!node->names.empty()) {
    std::vector<Value> names;
    for (const std::string& name : node->names) {
      String* text = vm_.Intern(name);
      names.push_back(text == nullptr ? Value::None() : Value::Of(text));
    }
    Value tuple = vm_.NewTuple(names.data(), names.size());
    if (tuple.empty()) OutOfMemory();
    Emit(Op::kCallKeyword, call, count, Constant(tuple));
  } else {
    Emit(method ? Op::kCallMethod : Op::kCall, call, count);
  }
  f_->next_register = mark;
  if (dest < 0) return Temp();  // the same register as `call`
  Emit(Op::kMove, dest, call);
  return dest;
}

int Compiler::CallSpread(Node* node, int dest) {
  const int mark = f_->next_register;
  const int call = Temp(3);
  Expression(node->a, call);
  Emit(Op::kNewList, call + 1, 0, 0);
  for (Node* argument : node->list) {
    const int inner = f_->next_register;
    const bool star = argument->kind == Kind::kStarred;
    if (star && node->list.size() == 1) {  // an error names the callee
      const int pair = Temp(2);
      Emit(Op::kMove, pair, call);
      Expression(argument->a, pair + 1);
      EmitHelper(Helper::kSpreadArguments, pair, pair);
      Emit(Op::kListExtend, call + 1, pair);
      f_->next_register = inner;
      continue;
    }
    Emit(star ? Op::kListExtend : Op::kListAppend, call + 1,
         Expression(star ? argument->a : argument));
    f_->next_register = inner;
  }
  Keywords(node, call + 2, call);
  Emit(Op::kCallSpread, call);
  f_->next_register = mark;
  if (dest < 0) return Temp();
  Emit(Op::kMove, dest, call);
  return dest;
}

// The keyword arguments of a call or class as a dict. `callee`: the register of what is called.
void Compiler::Keywords(Node* node, int dict, int callee) {
  Emit(Op::kNewDict, dict, 0, 0);
  for (size_t i = 0; i < node->names.size(); ++i) {
    const int inner = f_->next_register;
    const bool after = std::find(node->names.begin(), node->names.begin() + static_cast<long>(i),
                                 "") != node->names.begin() + static_cast<long>(i);
    if (!node->names[i].empty() && after && callee >= 0) {  // the ** may have held it
      const int parts = Temp(4);
      Emit(Op::kMove, parts, callee);
      Emit(Op::kMove, parts + 1, dict);
      Emit(Op::kNewDict, parts + 2, 0, 0);
      Emit(Op::kConst, parts + 3, NameConstant(node->names[i]));
      Emit(Op::kDictSet, parts + 2, parts + 3, Expression(node->list2[i]));
      EmitHelper(Helper::kSpreadKeywords, parts, parts);
    } else if (node->names[i].empty() && callee >= 0) {
      const int parts = Temp(3);
      Emit(Op::kMove, parts, callee);
      Emit(Op::kMove, parts + 1, dict);
      Expression(node->list2[i], parts + 2);
      EmitHelper(Helper::kSpreadKeywords, parts, parts);
    } else if (node->names[i].empty()) {
      Emit(Op::kDictMerge, dict, Expression(node->list2[i]), 1);
    } else {
      const int key = Temp();
      Emit(Op::kConst, key, NameConstant(node->names[i]));
      Emit(Op::kDictSet, dict, key, Expression(node->list2[i]));
    }
    f_->next_register = inner;
  }
}

}  // namespace ferry::vm
