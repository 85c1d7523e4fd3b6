#include <algorithm>
#include <cstring>

#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

constexpr const char* kNames[] = {"a", "x", "lo", "hi", "key"};

// The place in a sorted sequence, right of equal items or left; -1: failed.
int64_t Search(Vm& vm, const Value* bound, Value x, bool right) {
  int64_t low = 0, high = -1;
  if (!bound[2].empty() && !vm.ToIndex(bound[2], &low, "integer", true)) return -1;
  if (low < 0) {
    vm.Raise(Error::kValueError, "lo must be non-negative");
    return -1;
  }
  if (!bound[3].empty() && !bound[3].IsNone()) {
    if (!vm.ToIndex(bound[3], &high, "integer", true)) return -1;
  } else if (!vm.Length(bound[0], &high)) {
    return -1;
  }
  const Value key = bound[4].empty() || bound[4].IsNone() ? Value() : bound[4];
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (!vm.ChargeSteps(2)) return -1;
    bool quick;
    if (key.empty() && IsExact(bound[0], Type::kList) && middle < As<List>(bound[0])->size) {
      const Value there = As<List>(bound[0])->items[middle];
      if (right ? QuickLess(x, there, &quick) : QuickLess(there, x, &quick)) {
        if (right ? quick : !quick)
          high = middle;
        else
          low = middle + 1;
        continue;
      }
    }
    Roots roots(vm);
    const Value place = vm.NewInt(middle);
    Value item = place.empty() ? place : vm.Index(bound[0], place);
    if (item.empty()) return -1;
    roots.Add(item);
    if (!key.empty()) {
      item = vm.Call(key, &item, 1);
      if (item.empty()) return -1;
      roots.Add(item);
    }
    bool less;
    if (!(right ? vm.Less(x, item, &less) : vm.Less(item, x, &less))) return -1;
    if (right ? less : !less)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

Value Bisect(Vm& vm, Args& args, const char* name, bool right) {
  Value bound[5];
  if (args.count == 2 && args.names == nullptr) {
    bound[0] = args[0];
    bound[1] = args[1];
  } else if (!BindBuiltin(vm, args, name, kNames, 2, 4, bound)) {
    return Value();
  }
  const int64_t at = Search(vm, bound, bound[1], right);
  return at < 0 ? Value() : vm.NewInt(at);
}
Value Right(Vm& vm, Args& args) {
  return Bisect(vm, args, "bisect_right", true);
}
Value Left(Vm& vm, Args& args) {
  return Bisect(vm, args, "bisect_left", false);
}

Value Insort(Vm& vm, Args& args, const char* name, bool right) {
  Value bound[5];
  if (!BindBuiltin(vm, args, name, kNames, 2, 4, bound)) return Value();
  Roots roots(vm);
  Value x = bound[1];
  if (!bound[4].empty() && !bound[4].IsNone()) {
    x = vm.Call(bound[4], &x, 1);
    if (x.empty()) return x;
    roots.Add(x);
  }
  const int64_t at = Search(vm, bound, x, right);
  if (at >= 0 && IsExact(bound[0], Type::kList)) {
    auto* list = As<List>(bound[0]);
    const auto to = static_cast<uint32_t>(std::min<int64_t>(at, list->size));
    if (!vm.ChargeSteps((list->size - to) / 16) || !vm.Append(list, bound[1])) return Value();
    std::memmove(static_cast<void*>(list->items + to + 1), list->items + to,
                 (list->size - 1 - to) * sizeof(Value));
    list->items[to] = bound[1];
    return Value::None();
  }
  const Value place = at < 0 ? Value() : vm.NewInt(at);
  String* insert = vm.Intern("insert");
  if (place.empty() || insert == nullptr) return Value();
  const Value method = roots.Add(vm.GetAttribute(bound[0], insert));
  const Value pair[] = {place, bound[1]};
  return method.empty() || vm.Call(method, pair, 2).empty() ? Value() : Value::None();
}
Value InsortRight(Vm& vm, Args& args) {
  return Insort(vm, args, "insort_right", true);
}
Value InsortLeft(Vm& vm, Args& args) {
  return Insort(vm, args, "insort_left", false);
}

constexpr BuiltinRow kRows[] = {
    {"bisect", Right, true},           {"bisect_left", Left, true},
    {"bisect_right", Right, true},     {"insort", InsortRight, true},
    {"insort_left", InsortLeft, true}, {"insort_right", InsortRight, true}};

}  // namespace

Value MakeBisect(Vm& vm) {
  return MakeModule(vm, "bisect", kRows);
}

}  // namespace ferry::vm
