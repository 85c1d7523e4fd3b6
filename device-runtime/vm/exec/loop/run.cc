// The interpreter: one loop, dispatched through a table of labels. Fast ways for small integers,
// floats, lists and plain function calls are here; everything else is a call of Vm.
#include "device-runtime/vm/exec/call/bind.h"
#include "device-runtime/vm/exec/call/check.h"
#include "device-runtime/vm/exec/call/drain.h"
#include "device-runtime/vm/exec/call/generator.h"
#include "device-runtime/vm/exec/call/resume.h"
#include "device-runtime/vm/exec/call/spread.h"
#include "device-runtime/vm/exec/classes/build_class.h"
#include "device-runtime/vm/exec/classes/inline_cache.h"
#include "device-runtime/vm/exec/classes/method.h"
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/collections/list.h"
#include "device-runtime/vm/exec/collections/parts.h"
#include "device-runtime/vm/exec/collections/range.h"
#include "device-runtime/vm/exec/collections/set.h"
#include "device-runtime/vm/exec/failure/names.h"
#include "device-runtime/vm/exec/loop/helper.h"
#include "device-runtime/vm/exec/loop/intrinsic.h"
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/loop/slow.h"
#include "device-runtime/vm/exec/operators/hash.h"
#include "device-runtime/vm/exec/operators/slice.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/wide.h"

#if FERRY_VM_CHECKS
#include "device-runtime/vm/bytecode/operands.h"  // how many registers a helper has
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic"
#endif

// A computed goto runs no destructors: nothing that has one may live in a block here.
namespace ferry::vm {

// Operands: registers, `n` registers in a row, constants, the module's variables, the function's
// cells.
#if FERRY_VM_CHECKS
#define R(i) (*CheckedRegisters(*frame, base, (i), 1))
#define SPAN(i, n) CheckedRegisters(*frame, base, (i), (n))
#define K(i) (*CheckedConstant(*frame, constants, (i)))
#define VARIABLE(i) CheckedVariable(*frame, (i))
#define CELL(i) CheckedCell(*frame, (i))
#define CHECK_PC() CheckedInstruction(*frame, pc)
#define CHECK_FRAME()                                                          \
  do {                                                                         \
    Require(frame + 1 == frames.end(), "what runs is the frame entered last"); \
    CheckFrame(*this, *frame);                                                 \
    Require(base == frame->base, "what runs uses its frame's registers");      \
  } while (0)
#else
#define R(i) base[(i)]
#define SPAN(i, n) (&base[(i)])
#define K(i) constants[(i)]
#define VARIABLE(i) frame->code->module->slots[(i)]
#define CELL(i) frame->function->cells[(i)]
#define CHECK_PC() ((void)0)
#define CHECK_FRAME() ((void)0)
#endif
// The instruction at hand is read where it lies: kept in registers, its parts would leave too few.
#define ins (pc[-1])
#define NEXT()                                    \
  do {                                            \
    CHECK_PC();                                   \
    ++pc;                                         \
    goto* kLabels[static_cast<uint16_t>(ins.op)]; \
  } while (0)
#define SAVE() (frame->pc = pc)
#define LOAD_FRAME()                           \
  do {                                         \
    frame = &frames.back();                    \
    base = frame->base;                        \
    constants = frame->code->constants.data(); \
    pc = frame->pc;                            \
    CHECK_FRAME();                             \
  } while (0)
// After one was pushed whose arguments lie at `args`.
#define ENTER_FRAME(callee_code, args)             \
  do {                                             \
    const CodeObject* const entered = callee_code; \
    ++frame;                                       \
    base = args;                                   \
    constants = entered->constants.data();         \
    pc = entered->instructions.data();             \
    CHECK_FRAME();                                 \
  } while (0)
// After PushGenerator.
#define ENTER_GENERATOR(generator)             \
  do {                                         \
    ++frame;                                   \
    base = (generator)->registers;             \
    constants = frame->code->constants.data(); \
    pc = frame->pc;                            \
    CHECK_FRAME();                             \
  } while (0)
// After `frame` was popped.
#define LOAD_CALLER()                            \
  do {                                           \
    --frame;                                     \
    base = frame->base;                          \
    const CodeObject* const code_ = frame->code; \
    constants = code_->constants.data();         \
    pc = frame->pc;                              \
    top = frame->top;                            \
    CHECK_FRAME();                               \
  } while (0)
#define FAIL() goto failure
// Stores the result of a slow way, which may have failed.
#define SLOW(target, expression)     \
  do {                               \
    SAVE();                          \
    const Value slow = (expression); \
    if (slow.empty()) FAIL();        \
    R(target) = slow;                \
  } while (0)
#define SLOW_BOOL(expression)     \
  do {                            \
    SAVE();                       \
    const bool ok = (expression); \
    if (!ok) FAIL();              \
  } while (0)

// Operators: small integers and floats here, the rest at `binary`, which finds its operands in
// x_, y_.
#define BINARY(name, x, y, which, inplace)                       \
  L_##name : {                                                   \
    x_ = (x), y_ = (y);                                          \
    if (QuickNumber(Operator::which, x_, y_, &R(ins.a))) NEXT(); \
    operator_ = static_cast<uint8_t>(Operator::which);           \
    in_place_ = inplace;                                         \
    goto binary;                                                 \
  }
#define ARITHMETIC(name, which) BINARY(name, R(ins.b), R(ins.c), which, false)
#define ARITHMETIC_K(name, which) BINARY(name, R(ins.b), K(ins.c), which, false)

#define COMPARE(name, op_text)                                         \
  L_##name : {                                                         \
    x_ = R(ins.b), y_ = R(ins.c);                                      \
    if (Value::BothInt(x_, y_)) [[likely]] {                           \
      R(ins.a) = Value::Bool(x_.ShiftedInt() op_text y_.ShiftedInt()); \
      NEXT();                                                          \
    }                                                                  \
    if (x_.IsFloat() && y_.IsFloat()) {                                \
      R(ins.a) = Value::Bool(x_.AsFloat() op_text y_.AsFloat());       \
      NEXT();                                                          \
    }                                                                  \
    operator_ = static_cast<uint8_t>(Operator::k##name);               \
    goto compare;                                                      \
  }

#define COMPARE_JUMP(name, op_text, right, which, other)           \
  L_##name : {                                                     \
    x_ = R(ins.b), y_ = right;                                     \
    if (Value::BothInt(x_, y_)) [[likely]] {                       \
      if (!(x_.ShiftedInt() op_text y_.ShiftedInt())) pc += ins.a; \
      NEXT();                                                      \
    }                                                              \
    if (x_.IsFloat() && y_.IsFloat()) {                            \
      if (!(x_.AsFloat() op_text y_.AsFloat())) pc += ins.a;       \
      NEXT();                                                      \
    }                                                              \
    operator_ = static_cast<uint8_t>(Operator::which);             \
    goto other;                                                    \
  }
#define COMPARE_ALL(name, op_text, other)                  \
  COMPARE(name, op_text)                                   \
  COMPARE_JUMP(name##J, op_text, R(ins.c), k##name, other) \
  COMPARE_JUMP(name##JK, op_text, K(ins.c), k##name, other)

#define JUMP_IF(name, wanted)                                               \
  L_##name : {                                                              \
    const Value v = R(ins.b);                                               \
    bool truth = v.IsTrue();                                                \
    if (!v.IsBool() && !QuickTruth(v, &truth)) SLOW_BOOL(Truth(v, &truth)); \
    if (truth == (wanted)) pc += ins.a;                                     \
    NEXT();                                                                 \
  }
// Instructions are counted where they may be many: at calls and when jumping back. The build that
// measures what that costs leaves it out.
#ifdef FERRY_VM_UNCOUNTED
#define PASSED_STEPS(n) false
#else
#define PASSED_STEPS(n) ((steps_slice -= (n)) < 0)
#endif
#define COUNT_STEPS(n) (!PASSED_STEPS(n) || RefillSteps())
// Counts a call before it begins.
#define STEP_CALL()              \
  do {                           \
    SAVE();                      \
    if (!COUNT_STEPS(8)) FAIL(); \
    if (!SafePoint()) FAIL();    \
  } while (0)
// The arguments lie in registers, below `top`.
#define NATIVE_CALL(native, args_, count_, names_)                                             \
  do {                                                                                         \
    Value* const first_ = (args_);                                                             \
    const uint32_t given_ = (count_);                                                          \
    /* Those without a number are not among what BeginDrain knows. */                          \
    if (As<Native>(native)->intrinsic == Intrinsic::kNone || !AsksGenerator(first_, given_)) { \
      STEP_CALL();                                                                             \
      Args arguments_{first_, given_, names_};                                                 \
      const Value made_ = CallBuiltin(As<Native>(native), arguments_);                         \
      if (made_.empty()) FAIL();                                                               \
      R(ins.a) = made_;                                                                        \
      NEXT();                                                                                  \
    }                                                                                          \
  } while (0)
// Where the callee's frame can begin.
#define PLACE(args, count) (IsGenerator(frame->kind) ? OnStack(*this, args, count) : (args))
// Runs a method of x_ (and y_, and what lies after them) in a frame of its own, in this loop.
#define PUSH_METHOD(method, count, target, frame_kind)                        \
  do {                                                                        \
    Value* const args_ = top;                                                 \
    args_[0] = x_;                                                            \
    if ((count) > 1) args_[1] = y_;                                           \
    if (!PushSimple(*this, method, args_, count, target, frame_kind)) FAIL(); \
    ENTER_FRAME((method)->code, args_);                                       \
    NEXT();                                                                   \
  } while (0)
// Begins a call and goes on in the callee's frame, or with the result in place.
#define BEGIN_CALL(callee, args, count, keyword_names)                                      \
  do {                                                                                      \
    STEP_CALL();                                                                            \
    Value* const to_args_ = PLACE(args, (count) + Keywords(keyword_names));                 \
    const Begin begin = keyword_names == nullptr && AsksGenerator(to_args_, count)          \
                            ? BeginDrain(*this, callee, to_args_, count, &R(ins.a))         \
                            : BeginCall(callee, to_args_, count, keyword_names, &R(ins.a)); \
    if (begin == Begin::kFailed) FAIL();                                                    \
    LOAD_FRAME();                                                                           \
    NEXT();                                                                                 \
  } while (0)

// Is, where the code for yes shall lie in line.
static inline bool MostlyIs(Value v, Type type) {
  return __builtin_expect(v.IsObject(), 1) && __builtin_expect(v.object()->type == type, 1);
}
static bool BothInterned(const String* a, const String* b) {
  return (a->aux & b->aux & static_cast<uint32_t>(StringFlag::kInterned)) != 0;
}
static uint32_t Keywords(const Tuple* names) {
  return names == nullptr ? 0 : names->size;
}

// How many instructions from `pc` on only make an iterator of register `a`, perhaps moved, in the
// register of the first; 0: they do something else.
static int Iterated(const Instruction* pc, uint16_t a) {
  if (pc->b != a) return 0;
  if (pc->op == Op::kIterate) return 1;
  return pc->op == Op::kMove && pc[1].op == Op::kIterate && pc[1].b == pc->a && pc[1].a == pc->a
             ? 2
             : 0;
}

Value Vm::Run(size_t bottom) {
  static const void* const kLabels[] = {
#define FERRY_OP(name) &&L_##name,
#include "device-runtime/vm/compile/opcodes.inc"
#undef FERRY_OP
  };
  Frame* frame;
  Value* base;
  const Value* constants;
  const Instruction* pc;
  // NOLINTBEGIN(readability-identifier-naming): what the pieces of the loop share
  Value x_, y_;  // operands of the operator at hand
  uint8_t operator_ = 0;
  bool in_place_ = false;
  Value* args_;     // of the call at hand
  uint32_t count_;  // of these
  // NOLINTEND(readability-identifier-naming)
  LOAD_FRAME();
  NEXT();

#include "device-runtime/vm/exec/loop/arithmetic.inc"
#include "device-runtime/vm/exec/loop/attribute.inc"
#include "device-runtime/vm/exec/loop/build.inc"
#include "device-runtime/vm/exec/loop/call.inc"
#include "device-runtime/vm/exec/loop/compare.inc"
#include "device-runtime/vm/exec/loop/generator.inc"
#include "device-runtime/vm/exec/loop/index.inc"
#include "device-runtime/vm/exec/loop/iterate.inc"
#include "device-runtime/vm/exec/loop/raise.inc"
#include "device-runtime/vm/exec/loop/variables.inc"

failure:
  frame->pc = pc;
  if (!Unwind(bottom)) return Value();
  LOAD_FRAME();
  top = frame->top;
  NEXT();
}

}  // namespace ferry::vm
