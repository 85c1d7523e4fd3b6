// Ranges of integers of any size. Those whose parts or length need more than 64 bits are
// WideRanges, which to code that knows only Range look empty.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

inline bool IsWide(const Range* range) {
  return range->kind() == RangeKind::kWide;
}
// Of ints of any size; step is not zero.
Value RangeOfIntegers(Vm& vm, Value start, Value stop, Value step);
// Start, stop, step, length; false: no memory.
bool RangeParts(Vm& vm, const Range* range, Value* parts);
// range[i] for an int of any size; IndexError.
Value RangeItem(Vm& vm, const Range* range, Value i);
Value RangeSlice(Vm& vm, const Range* range, const Slice* slice);
// slice.indices() for a length of any size, three parts; false: reported.
bool SliceParts(Vm& vm, const Slice* slice, Value length, Value* parts);
// Where an int stands in the range: *place stays empty when it does not. false: failed.
bool RangePlace(Vm& vm, const Range* range, Value v, Value* place);
bool RangesEqual(Vm& vm, const Range* a, const Range* b, bool* equal);
// The range from its last item to its first one.
Value ReverseOfRange(Vm& vm, const Range* range);
// Iterators over wide ranges: `source` is the range, `extra` the next item.
Value IterateWideRange(Vm& vm, Value range);
Value NextOfWideRange(Vm& vm, Iterator* iterator);
Value LeftOfWideRange(Vm& vm, const Iterator* iterator);

}  // namespace ferry::vm
