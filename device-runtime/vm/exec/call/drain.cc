#include "device-runtime/vm/exec/call/drain.h"

#include "device-runtime/vm/exec/call/resume.h"
#include "device-runtime/vm/exec/classes/method.h"

namespace ferry::vm {
namespace {

// ORDER: kPrograms.
enum Drain : uint8_t {
  kNoDrain,
  kSum,
  kAny,
  kAll,
  kMax,
  kMin,
  kList,
  kTuple,
  kSet,
  kSorted,
  kJoin
};
static_assert(kJoin < Vm::kDrains);

// The instructions of such a function. The generator is in register 0 (of str.join in 1).
constexpr Instruction kSumProgram[] = {  // the sum so far in register 1
    {Op::kForNext, 0, 2, 2},
    {Op::kAdd, 1, 1, 2},
    {Op::kJumpBack, 3, 0, 0},
    {Op::kReturn, 1, 0, 0}};
constexpr Instruction kAnyProgram[] = {{Op::kForNext, 0, 1, 2},  {Op::kJumpIf, 3, 1, 0},
                                       {Op::kJumpBack, 3, 0, 0}, {Op::kConst, 1, 1, 0},
                                       {Op::kReturn, 1, 0, 0},   {Op::kConst, 1, 2, 0},
                                       {Op::kReturn, 1, 0, 0}};
constexpr Instruction kAllProgram[] = {{Op::kForNext, 0, 1, 2},  {Op::kJumpIfNot, 3, 1, 0},
                                       {Op::kJumpBack, 3, 0, 0}, {Op::kConst, 1, 2, 0},
                                       {Op::kReturn, 1, 0, 0},   {Op::kConst, 1, 1, 0},
                                       {Op::kReturn, 1, 0, 0}};
// Without items they call what they stand for, which raises.
constexpr Instruction kMaxProgram[] = {{Op::kForNext, 0, 1, 5},  {Op::kForNext, 0, 2, 3},
                                       {Op::kGreaterJ, 1, 2, 1}, {Op::kMove, 1, 2, 0},
                                       {Op::kJumpBack, 4, 0, 0}, {Op::kReturn, 1, 0, 0},
                                       {Op::kConst, 2, 0, 0},    {Op::kNewTuple, 3, 3, 0},
                                       {Op::kCall, 2, 1, 0},     {Op::kReturn, 2, 0, 0}};
constexpr Instruction kMinProgram[] = {{Op::kForNext, 0, 1, 5},  {Op::kForNext, 0, 2, 3},
                                       {Op::kLessJ, 1, 2, 1},    {Op::kMove, 1, 2, 0},
                                       {Op::kJumpBack, 4, 0, 0}, {Op::kReturn, 1, 0, 0},
                                       {Op::kConst, 2, 0, 0},    {Op::kNewTuple, 3, 3, 0},
                                       {Op::kCall, 2, 1, 0},     {Op::kReturn, 2, 0, 0}};
constexpr Instruction kListProgram[] = {{Op::kNewList, 1, 2, 0},
                                        {Op::kForNext, 0, 2, 2},
                                        {Op::kListAppend, 1, 2, 0},
                                        {Op::kJumpBack, 3, 0, 0},
                                        {Op::kReturn, 1, 0, 0}};
constexpr Instruction kTupleProgram[] = {{Op::kNewList, 1, 2, 0},     {Op::kForNext, 0, 2, 2},
                                         {Op::kListAppend, 1, 2, 0},  {Op::kJumpBack, 3, 0, 0},
                                         {Op::kListToTuple, 1, 0, 0}, {Op::kReturn, 1, 0, 0}};
constexpr Instruction kSetProgram[] = {{Op::kNewSet, 1, 2, 0},
                                       {Op::kForNext, 0, 2, 2},
                                       {Op::kSetAdd, 1, 2, 0},
                                       {Op::kJumpBack, 3, 0, 0},
                                       {Op::kReturn, 1, 0, 0}};
// These two gather the items and call what they stand for with the list.
constexpr Instruction kSortedProgram[] = {{Op::kNewList, 2, 3, 0},    {Op::kForNext, 0, 3, 2},
                                          {Op::kListAppend, 2, 3, 0}, {Op::kJumpBack, 3, 0, 0},
                                          {Op::kConst, 1, 0, 0},      {Op::kCall, 1, 1, 0},
                                          {Op::kReturn, 1, 0, 0}};
constexpr Instruction kJoinProgram[] = {{Op::kNewList, 4, 5, 0},    {Op::kForNext, 1, 5, 2},
                                        {Op::kListAppend, 4, 5, 0}, {Op::kJumpBack, 3, 0, 0},
                                        {Op::kConst, 2, 0, 0},      {Op::kMove, 3, 0, 0},
                                        {Op::kCall, 2, 2, 0},       {Op::kReturn, 2, 0, 0}};

struct Program {
  const Instruction* begin;
  size_t count;
  uint16_t parameters;
};
#define FERRY_PROGRAM(name, parameters) \
  { k##name##Program, std::size(k##name##Program), parameters }
constexpr Program kPrograms[] = {
    {nullptr, 0, 0},          FERRY_PROGRAM(Sum, 2),   FERRY_PROGRAM(Any, 1),
    FERRY_PROGRAM(All, 1),    FERRY_PROGRAM(Max, 1),   FERRY_PROGRAM(Min, 1),
    FERRY_PROGRAM(List, 1),   FERRY_PROGRAM(Tuple, 1), FERRY_PROGRAM(Set, 1),
    FERRY_PROGRAM(Sorted, 1), FERRY_PROGRAM(Join, 2)};
#undef FERRY_PROGRAM
constexpr uint16_t kRegisters = 6;

// Code without places: tracebacks leave its frames out. nullptr: no memory, nothing pending.
Function* Make(Vm& vm, Drain drain, Value callee) {
  auto* function = Cast<Function>(vm.heap.NewObject(Type::kFunction, sizeof(Function)));
  if (function == nullptr) return nullptr;
  const Program& program = kPrograms[drain];
  CodeObject& code = vm.codes.emplace_back();
  code.name = code.qualified_name = vm.names.iter;
  code.module = vm.frames.back().code->module;
  code.instructions.assign(program.begin, program.begin + program.count);
  code.constants = {callee, Value::Bool(false), Value::Bool(true)};
  code.positional = program.parameters;
  code.simple = true;
  code.registers = kRegisters;
  function->code = &code;
  function->module = code.module;
  function->doc = function->defaults = function->keyword_defaults = Value();
  vm.pinned.push_back(Value::Of(function));
  return vm.drains[drain] = function;
}

Drain DrainOfClass(const Vm& vm, const Class* cls) {
  const auto is = [&](Type type) { return cls == vm.classes[static_cast<int>(type)]; };
  return is(Type::kList) ? kList : is(Type::kTuple) ? kTuple : is(Type::kSet) ? kSet : kNoDrain;
}

// What stands for the call, whose arguments it completes.
Drain DrainOf(Vm& vm, Value callee, Value* args, uint32_t count) {
  if (Is(callee, Type::kClass)) return count == 1 ? DrainOfClass(vm, As<Class>(callee)) : kNoDrain;
  if (!Is(callee, Type::kNative)) return kNoDrain;
  switch (As<Native>(callee)->intrinsic) {
    case Intrinsic::kSum:
      if (count == 1) args[1] = Value::SmallInt(0);
      return args[1].IsSmallInt() || args[1].IsFloat() ? kSum : kNoDrain;
    case Intrinsic::kAny:
      return count == 1 ? kAny : kNoDrain;
    case Intrinsic::kAll:
      return count == 1 ? kAll : kNoDrain;
    case Intrinsic::kMax:
      return count == 1 ? kMax : kNoDrain;
    case Intrinsic::kMin:
      return count == 1 ? kMin : kNoDrain;
    case Intrinsic::kSorted:
      return count == 1 ? kSorted : kNoDrain;
    case Intrinsic::kJoin:
      return count == 2 && IsExact(args[0], Type::kString) ? kJoin : kNoDrain;
    default:
      return kNoDrain;
  }
}

bool IsPlain(Value v) {
  return Is(v, Type::kGenerator) && As<Generator>(v)->kind() == GeneratorKind::kGenerator;
}

// next() and send(); false: Vm::BeginCall knows.
bool Ask(Vm& vm, Intrinsic what, Value* args, uint32_t count, Value* result) {
  if (!IsPlain(args[0])) return false;
  auto* generator = As<Generator>(args[0]);
  const bool send = what == Intrinsic::kSend;
  if (send && (count != 2 || (generator->state == Generator::kFresh && !args[1].IsNone())))
    return false;
  const Value otherwise = send || count == 1 ? Value() : args[1];
  if (!PushGenerator(vm, generator, send ? args[1] : Value::None(), result, FrameKind::kAsked))
    return false;
  generator->result = otherwise;
  return true;
}

}  // namespace

Vm::Begin BeginDrain(Vm& vm, Value callee, Value* args, uint32_t count, Value* result) {
  if (Is(callee, Type::kNative)) {
    const Intrinsic what = As<Native>(callee)->intrinsic;
    if ((what == Intrinsic::kNext || what == Intrinsic::kSend) &&
        Ask(vm, what, args, count, result))
      return vm.ChargeSteps(4) ? Vm::Begin::kFrame : Vm::Begin::kFailed;
  }
  const Drain drain = DrainOf(vm, callee, args, count);
  if (drain == kNoDrain || !IsPlain(args[drain == kJoin ? 1 : 0]))
    return vm.BeginCall(callee, args, count, nullptr, result);
  Function* function = vm.drains[drain];
  if (function == nullptr) function = Make(vm, drain, callee);
  if (function == nullptr) return vm.BeginCall(callee, args, count, nullptr, result);
  return PushSimple(vm, function, args, kPrograms[drain].parameters, result, FrameKind::kPlain)
             ? Vm::Begin::kFrame
             : Vm::Begin::kFailed;
}

}  // namespace ferry::vm
