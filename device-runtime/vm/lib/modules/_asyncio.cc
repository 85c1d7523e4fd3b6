// What lib/py/asyncio.py cannot say in Python: the clock, waiting, what kind of function one is.
#include <algorithm>
#include <cmath>

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

Value Monotonic(Vm& vm, Args&) {
  return Value::Float(static_cast<double>(vm.clock().MonotonicNs()) * 1e-9);
}

// Sleeps; looks at the interrupt flag and the deadline meanwhile.
Value Wait(Vm& vm, Args& args) {
  if (!Expect(vm, args, "wait", 1, 1)) return Value();
  double seconds = 0;
  int64_t whole;
  if (args[0].IsFloat()) {
    seconds = args[0].AsFloat();
  } else if (SmallOf(args[0], &whole)) {
    seconds = static_cast<double>(whole);
  }
  constexpr double kMaxSeconds = 1e9;
  constexpr int64_t kSliceNs = 5'000'000;
  if (!(seconds > 0)) return Value::None();
  const int64_t end =
      vm.clock().MonotonicNs() + static_cast<int64_t>(std::min(seconds, kMaxSeconds) * 1e9);
  for (int64_t left; (left = end - vm.clock().MonotonicNs()) > 0;) {
    vm.Sleep(std::min(left, kSliceNs));
    // A look at the flag and the deadline that counts nothing.
    const int64_t slice = vm.steps_slice;
    if (vm.steps_left > 0 && !vm.RefillSteps()) return Value();
    vm.steps_left += vm.steps_slice - slice;
    vm.steps_slice = slice;
  }
  return Value::None();
}

Value IsCoroutineFunction(Vm& vm, Args& args) {
  if (!Expect(vm, args, "is_coroutine_function", 1, 1)) return Value();
  Value v = args[0];
  if (Is(v, Type::kBoundMethod)) v = As<BoundMethod>(v)->function;
  return Value::Bool(Is(v, Type::kFunction) && As<Function>(v)->code->generator &&
                     As<Function>(v)->code->generator_kind == GeneratorKind::kCoroutine);
}

constexpr BuiltinRow kRows[] = {
    {"is_coroutine_function", IsCoroutineFunction}, {"monotonic", Monotonic}, {"wait", Wait}};

}  // namespace

Value MakeAsyncio(Vm& vm) {
  return MakeModule(vm, "_asyncio", kRows);
}

}  // namespace ferry::vm
