#include <algorithm>
#include <cstring>

#include "device-runtime/vm/exec/collections/sort.h"
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

List* Self(Args& args) {
  return As<List>(args[0]);
}
Value Done(bool ok) {
  return ok ? Value::None() : Value();
}

Value AppendOne(Vm& vm, Args& args) {
  return Done(Expect(vm, args, "append", 2, 2) && vm.Append(Self(args), args[1]));
}
Value ExtendBy(Vm& vm, Args& args) {
  return Done(Expect(vm, args, "extend", 2, 2) && vm.Extend(Self(args), args[1]));
}

Value Insert(Vm& vm, Args& args) {
  int64_t at;
  List* list = Self(args);
  if (!Expect(vm, args, "insert", 3, 3) || !vm.ToIndex(args[1], &at, "index", true) ||
      !vm.Append(list, args[2]))
    return Value();
  const int64_t last = list->size - 1;
  if (at < 0) at = std::max<int64_t>(at + last, 0);
  at = std::min(at, last);
  if (at < last) {
    std::memmove(static_cast<void*>(list->items + at + 1), list->items + at,
                 static_cast<size_t>(last - at) * sizeof(Value));
    list->items[at] = args[2];
  }
  return Done(vm.ChargeSteps((last - at) / 16));
}

Value Pop(Vm& vm, Args& args) {
  int64_t at = -1;
  List* list = Self(args);
  if (!Expect(vm, args, "pop", 1, 2) ||
      (args.count == 2 && !vm.ToIndex(args[1], &at, "index", true)))
    return Value();
  if (list->size == 0) return vm.Raise(Error::kIndexError, "pop from empty list");
  if (at < 0) at += list->size;
  if (at < 0 || at >= list->size) return vm.Raise(Error::kIndexError, "pop index out of range");
  Value v = list->items[at];
  std::copy(list->items + at + 1, list->items + list->size, list->items + at);
  --list->size;
  return vm.ChargeSteps((list->size - at) / 16) ? v : Value();
}

// Position of args[1], or -1 (failed or absent).
int64_t Find(Vm& vm, Args& args, int64_t start) {
  const bool list = Is(args[0], Type::kList);
  for (int64_t i = start;; ++i) {
    const uint32_t size = list ? As<List>(args[0])->size : As<Tuple>(args[0])->size;
    if (i >= size) return -1;
    bool equal;
    if ((i & 63) == 63 && !vm.ChargeSteps(8)) return -1;
    const Value item = list ? As<List>(args[0])->items[i] : As<Tuple>(args[0])->items[i];
    if (!SameOrEqual(vm, item, args[1], &equal)) return -1;
    if (equal) return i;
  }
}

Value IndexOf(Vm& vm, Args& args) {
  int64_t start = 0, stop = INT64_MAX;
  const bool list = Is(args[0], Type::kList);
  const auto bound = [&](uint32_t i, int64_t* out) {
    if (args.count <= i) return true;
    if (args[i].IsNone() || (!IsInt(args[i]) && !HasMethods(args[i]))) {
      vm.Raise(Error::kTypeError, "slice indices must be integers or have an __index__ method");
      return false;
    }
    const int64_t size = list ? As<List>(args[0])->size : As<Tuple>(args[0])->size;
    if (!vm.ToIndex(args[i], out, "index", true)) return false;
    if (*out < 0) *out = std::max<int64_t>(*out + size, 0);
    return true;
  };
  if (!Expect(vm, args, "index", 2, 4) || !bound(2, &start) || !bound(3, &stop)) return Value();
  const int64_t at = Find(vm, args, start);
  if (at >= 0 && at < stop) return Value::SmallInt(at);
  std::string shown;
  if (vm.failed() || (list && !vm.Repr(args[1], &shown))) return Value();
  return list ? vm.Throw(Error::kValueError, "{} is not in list", shown)
              : vm.Raise(Error::kValueError, "tuple.index(x): x not in tuple");
}

Value Remove(Vm& vm, Args& args) {
  if (!Expect(vm, args, "remove", 2, 2)) return Value();
  const int64_t at = Find(vm, args, 0);
  if (at < 0)
    return vm.failed() ? Value() : vm.Raise(Error::kValueError, "list.remove(x): x not in list");
  List* list = Self(args);
  if (at >= list->size)  // __eq__ made it shorter
    return vm.Raise(Error::kValueError, "list modified during remove");
  std::copy(list->items + at + 1, list->items + list->size, list->items + at);
  --list->size;
  return Done(vm.ChargeSteps((list->size - at) / 16));
}

Value Count(Vm& vm, Args& args) {
  if (!Expect(vm, args, "count", 2, 2)) return Value();
  int64_t count = 0;
  for (int64_t at = -1; (at = Find(vm, args, at + 1)) >= 0;) ++count;
  return vm.failed() ? Value() : Value::SmallInt(count);
}

Value Clear(Vm& vm, Args& args) {
  if (!Expect(vm, args, "clear", 1, 1)) return Value();
  Self(args)->size = 0;
  return Value::None();
}
Value Copy(Vm& vm, Args& args) {
  if (!Expect(vm, args, "copy", 1, 1)) return Value();
  if (!vm.ChargeSteps(Self(args)->size / 16)) return Value();
  return vm.NewList(Self(args)->items, Self(args)->size);
}
Value Reverse(Vm& vm, Args& args) {
  if (!Expect(vm, args, "reverse", 1, 1)) return Value();
  if (!vm.ChargeSteps(Self(args)->size / 16)) return Value();
  std::reverse(Self(args)->items, Self(args)->items + Self(args)->size);
  return Value::None();
}

Value Sort(Vm& vm, Args& args) {
  Value bound[3];
  static constexpr const char* kNames[] = {"self", "key", "reverse"};
  bool reverse = false;
  if (args.count > 1) return vm.Raise(Error::kTypeError, "sort() takes no positional arguments");
  if (!BindBuiltin(vm, args, "sort", kNames, 1, 1, bound)) return Value();
  if (!bound[2].empty() && !SortReverse(vm, bound[2], &reverse)) return Value();
  return Done(SortList(vm, Self(args), bound[1].empty() || bound[1].IsNone() ? Value() : bound[1],
                       reverse));
}

constexpr BuiltinRow kRows[] = {{"append", AppendOne},
                                {"clear", Clear},
                                {"copy", Copy},
                                {"count", Count, true},
                                {"extend", ExtendBy, true},
                                {"index", IndexOf, true},
                                {"insert", Insert},
                                {"pop", Pop},
                                {"remove", Remove, true},
                                {"reverse", Reverse},
                                {"sort", Sort, true}};
constexpr BuiltinRow kTupleRows[] = {{"count", Count, true}, {"index", IndexOf, true}};

}  // namespace

bool InstallList(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kList)], kRows) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kTuple)], kTupleRows);
}

}  // namespace ferry::vm
