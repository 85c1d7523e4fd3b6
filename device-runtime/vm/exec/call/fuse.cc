#include "device-runtime/vm/exec/call/fuse.h"

#include <algorithm>

namespace ferry::vm {
namespace {

struct Pair {
  Op first, second, both;
};
constexpr Pair kPairs[] = {
    {Op::kMove, Op::kMove, Op::kMoveMove},
    {Op::kMove, Op::kConst, Op::kMoveConst},
    {Op::kMove, Op::kLoadGlobal, Op::kMoveGlobal},
    {Op::kMove, Op::kCall, Op::kMoveCall},
    {Op::kMove, Op::kCallMethod, Op::kMoveCallMethod},
    {Op::kMove, Op::kYield, Op::kMoveYield},
    {Op::kMove, Op::kReturn, Op::kMoveReturn},
    {Op::kConst, Op::kMove, Op::kConstMove},
    {Op::kConst, Op::kConst, Op::kConstConst},
    {Op::kConst, Op::kReturn, Op::kConstReturn},
    {Op::kConst, Op::kCall, Op::kConstCall},
    {Op::kLoadGlobal, Op::kMove, Op::kGlobalMove},
    {Op::kLoadGlobal, Op::kConst, Op::kGlobalConst},
    {Op::kLoadGlobal, Op::kLoadGlobal, Op::kGlobalGlobal},
};

bool IsCall(Op op) {
  return op == Op::kCall || op == Op::kCallMethod;
}

// How many constants from `at` on are all that the NewTuple behind them takes; 0: it is otherwise.
size_t TupleOfConstants(const std::vector<Instruction>& all, size_t at) {
  size_t count = 0;
  while (at + count < all.size() && all[at + count].op == Op::kConst &&
         all[at + count].a == all[at].a + count)
    ++count;
  if (at + count == all.size()) return 0;
  const Instruction& made = all[at + count];
  return made.op == Op::kNewTuple && made.b == all[at].a && made.c == count ? count : 0;
}

// Whether the instruction behind the call at `at` is a Move of its result that the same handlers
// guard.
bool MovesResult(const CodeObject& code, size_t at) {
  const Instruction &call = code.instructions[at], &move = code.instructions[at + 1];
  if (move.op != Op::kMove || move.b != call.a) return false;
  const auto divides = [at](const auto& range) {
    return range.start == at + 1 || range.end == at + 1;
  };
  return std::none_of(code.handlers.begin(), code.handlers.end(), divides) &&
         std::none_of(code.handled.begin(), code.handled.end(), divides);
}

// false: no memory.
bool FuseTuple(Vm& vm, CodeObject* code, size_t at, size_t count) {
  if (code->constants.size() >= kMaxConstants) return true;
  const Value tuple = vm.NewTuple(nullptr, count);
  if (tuple.empty()) return false;
  auto& all = code->instructions;
  for (size_t i = 0; i < count; ++i) As<Tuple>(tuple)->items[i] = code->constants[all[at + i].b];
  all[at].op = Op::kConstTuple;
  all[at].c = static_cast<uint16_t>(code->constants.size());
  code->constants.push_back(tuple);
  return true;
}

}  // namespace

bool Fuse(Vm& vm, CodeObject* code) {
  auto& all = code->instructions;
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    const Op op = all[i].op;
    // Before the pairs, one of which may begin with the call's own first part.
    if (IsCall(op)) all[i].c = MovesResult(*code, i);
    if (IsCall(all[i + 1].op)) all[i + 1].c = i + 2 < all.size() && MovesResult(*code, i + 1);
    if (op == Op::kJumpBack && all[i].a <= i + 1 && all[i + 1 - all[i].a].op == Op::kForNext) {
      all[i].op = Op::kJumpNext;
      continue;
    }
    if (op == Op::kConst) {
      const size_t count = TupleOfConstants(all, i);
      if (count > 0 && !FuseTuple(vm, code, i, count)) return false;
      i += count;
      if (count > 0) continue;
    }
    if (op == Op::kMove && i > 0 && IsCall(all[i - 1].op) && all[i - 1].c != 0) continue;
    for (const Pair& pair : kPairs) {
      if (op != pair.first || all[i + 1].op != pair.second) continue;
      all[i].op = pair.both;
      ++i;
      break;
    }
  }
  return true;
}

}  // namespace ferry::vm
