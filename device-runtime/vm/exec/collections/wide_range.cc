#include "device-runtime/vm/exec/collections/wide_range.h"

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

enum Part { kStart, kStop, kStep, kLength, kParts };
constexpr Value kZero = Value::SmallInt(0), kOne = Value::SmallInt(1);

// Empty in, empty out: a failure goes through a chain of these.
Value Do(Vm& vm, Operator op, Value a, Value b) {
  return a.empty() || b.empty() ? Value() : IntBinary(vm, static_cast<int>(op), a, b);
}

// How many items lie between start and stop.
Value CountOf(Vm& vm, Value start, Value stop, Value step) {
  const bool up = IntSign(step) > 0;
  if (IntCompare(start, stop) * (up ? 1 : -1) >= 0) return kZero;
  const Value span = up ? Do(vm, Operator::kSub, stop, start) : Do(vm, Operator::kSub, start, stop);
  const Value width = up ? step : IntNegate(vm, step);
  const Value last = Do(vm, Operator::kSub, span, kOne);
  return Do(vm, Operator::kAdd, Do(vm, Operator::kFloorDiv, last, width), kOne);
}

Value ItemAt(Vm& vm, const Value* parts, Value i) {
  return Do(vm, Operator::kAdd, parts[kStart], Do(vm, Operator::kMul, i, parts[kStep]));
}

// A bound of a slice as an int, cut to what a sequence of that length has; `missing`: None.
Value CutBound(Vm& vm, Value v, Value missing, Value length, Value low, Value high) {
  if (v.IsNone()) return missing;
  if (IntSign(v) < 0) {
    v = Do(vm, Operator::kAdd, v, length);
    return v.empty() || IntCompare(v, low) >= 0 ? v : low;
  }
  return IntCompare(v, high) <= 0 ? v : high;
}

}  // namespace

Value RangeOfIntegers(Vm& vm, Value start, Value stop, Value step) {
  int64_t low, high, by, items;
  const Value length = CountOf(vm, start, stop, step);
  if (length.empty()) return length;
  if (IntToInt64(start, &low) && IntToInt64(stop, &high) && IntToInt64(step, &by) &&
      by != INT64_MIN && IntToInt64(length, &items))
    return vm.NewRange(low, high, by);
  auto* range = static_cast<WideRange*>(vm.heap.NewUncleared(Type::kRange, sizeof(WideRange)));
  if (range == nullptr) return vm.OutOfMemory();
  range->aux = static_cast<uint32_t>(RangeKind::kWide);
  range->start = range->stop = range->length = 0;
  range->step = 1;
  range->part[kStart] = start;
  range->part[kStop] = stop;
  range->part[kStep] = step;
  range->part[kLength] = length;
  return Value::Of(range);
}

bool RangeParts(Vm& vm, const Range* range, Value* parts) {
  if (IsWide(range)) {
    for (int i = 0; i < kParts; ++i) parts[i] = Cast<WideRange>(range)->part[i];
    return true;
  }
  const int64_t plain[] = {range->start, range->stop, range->step, range->length};
  for (int i = 0; i < kParts; ++i)
    if ((parts[i] = vm.NewInt(plain[i])).empty()) return false;
  return true;
}

Value RangeItem(Vm& vm, const Range* range, Value i) {
  Value parts[kParts];
  if (!RangeParts(vm, range, parts)) return Value();
  if (IntSign(i) < 0) i = Do(vm, Operator::kAdd, i, parts[kLength]);
  if (i.empty()) return i;
  if (IntSign(i) < 0 || IntCompare(i, parts[kLength]) >= 0)
    return vm.Raise(Error::kIndexError, "range object index out of range");
  return ItemAt(vm, parts, i);
}

bool SliceParts(Vm& vm, const Slice* slice, Value length, Value* parts) {
  Roots roots(vm);
  Value given[] = {slice->start, slice->stop, slice->step};
  for (Value& bound : given) {
    if (bound.IsNone()) continue;
    if (!IsInt(bound) && vm.FindInClass(vm.ClassOf(bound), vm.names.index).empty())
      return !vm.Raise(Error::kTypeError,
                       "slice indices must be integers or None or have an __index__ method")
                  .empty();
    if ((bound = roots.Add(ToInteger(vm, bound))).empty()) return false;
  }
  const Value step = given[kStep].IsNone() ? kOne : given[kStep];
  if (IntSign(step) == 0) return !vm.Raise(Error::kValueError, "slice step cannot be zero").empty();
  const bool down = IntSign(step) < 0;
  const Value low = Value::SmallInt(down ? -1 : 0);
  const Value high = down ? Do(vm, Operator::kSub, length, kOne) : length;
  if (high.empty()) return false;
  parts[kStart] = CutBound(vm, given[kStart], down ? high : low, length, low, high);
  parts[kStop] = CutBound(vm, given[kStop], down ? low : high, length, low, high);
  parts[kStep] = step;
  return !parts[kStart].empty() && !parts[kStop].empty();
}

Value RangeSlice(Vm& vm, const Range* range, const Slice* slice) {
  Roots roots(vm);
  roots.Add(Value::Of(range));
  Value parts[kParts], cut[kParts];
  if (!RangeParts(vm, range, parts)) return Value();
  for (const Value part : parts) roots.Add(part);
  if (!SliceParts(vm, slice, parts[kLength], cut)) return Value();
  const Value start = ItemAt(vm, parts, cut[kStart]), stop = ItemAt(vm, parts, cut[kStop]);
  const Value step = Do(vm, Operator::kMul, parts[kStep], cut[kStep]);
  if (start.empty() || stop.empty() || step.empty()) return Value();
  return RangeOfIntegers(vm, start, stop, step);
}

bool RangePlace(Vm& vm, const Range* range, Value v, Value* place) {
  Value parts[kParts], quotient, rest;
  if (!RangeParts(vm, range, parts)) return false;
  const Value offset = Do(vm, Operator::kSub, v, parts[kStart]);
  if (offset.empty() || !IntDivMod(vm, offset, parts[kStep], &quotient, &rest, "")) return false;
  if (IntSign(rest) == 0 && IntSign(quotient) >= 0 && IntCompare(quotient, parts[kLength]) < 0)
    *place = quotient;
  return true;
}

bool RangesEqual(Vm& vm, const Range* a, const Range* b, bool* equal) {
  Value r[kParts], s[kParts];
  if (!RangeParts(vm, a, r) || !RangeParts(vm, b, s)) return false;
  *equal = IntCompare(r[kLength], s[kLength]) == 0 &&
           (IntSign(r[kLength]) == 0 ||
            (IntCompare(r[kStart], s[kStart]) == 0 &&
             (IntCompare(r[kLength], kOne) == 0 || IntCompare(r[kStep], s[kStep]) == 0)));
  return true;
}

Value ReverseOfRange(Vm& vm, const Range* range) {
  Value parts[kParts];
  if (!RangeParts(vm, range, parts)) return Value();
  const Value last = ItemAt(vm, parts, Do(vm, Operator::kSub, parts[kLength], kOne));
  const Value stop = Do(vm, Operator::kSub, parts[kStart], parts[kStep]);
  const Value step = IntNegate(vm, parts[kStep]);
  return last.empty() || stop.empty() || step.empty() ? Value()
                                                      : RangeOfIntegers(vm, last, stop, step);
}

Value IterateWideRange(Vm& vm, Value range) {
  return vm.NewIterator(IteratorKind::kWideRange, range,
                        Cast<WideRange>(As<Range>(range))->part[kStart]);
}

Value NextOfWideRange(Vm& vm, Iterator* iterator) {
  const Value* parts = Cast<WideRange>(As<Range>(iterator->source))->part;
  const Value item = iterator->extra;
  const int way = IntSign(parts[kStep]);
  if (IntCompare(item, parts[kStop]) * way >= 0) return Value();
  const Value next = Do(vm, Operator::kAdd, item, parts[kStep]);
  if (next.empty() || !vm.ChargeSteps(1)) return Value();
  iterator->extra = next;
  return item;
}

Value LeftOfWideRange(Vm& vm, const Iterator* iterator) {
  const Value* parts = Cast<WideRange>(As<Range>(iterator->source))->part;
  return CountOf(vm, iterator->extra, parts[kStop], parts[kStep]);
}

}  // namespace ferry::vm
