// Ranges of integers of any size. Those whose parts or length need more than 64 bits are
// WideRanges, which to code that knows only Range look empty. No function runs a script, where it
// does not say so; empty and false mean that there is no memory, where nothing else is said.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

inline bool IsWide(const Range* range) {
  return range->kind() == RangeKind::kWide;
}
// The range of ints of any size; step is not zero.
Value RangeOfIntegers(Vm& vm, Value start, Value stop, Value step);
// Its start, stop, step and length.
bool RangeParts(Vm& vm, const Range* range, Value* parts);
// range[i] for an int of any size; empty: IndexError.
Value RangeItem(Vm& vm, const Range* range, Value i);
// range[slice]; empty: it failed. An __index__ of the parts may run scripts.
Value RangeSlice(Vm& vm, const Range* range, const Slice* slice);
// slice.indices() for a length of any size, three parts; false: it failed. An __index__ of the
// parts may run scripts.
bool SliceParts(Vm& vm, const Slice* slice, Value length, Value* parts);
// Where an int stands in the range: *place stays empty when it does not.
bool RangePlace(Vm& vm, const Range* range, Value v, Value* place);
// Whether they have the same items.
bool RangesEqual(Vm& vm, const Range* a, const Range* b, bool* equal);
// The range from its last item to its first one.
Value ReverseOfRange(Vm& vm, const Range* range);
// An iterator over a wide range: `source` is the range, `extra` the next item.
Value IterateWideRange(Vm& vm, Value range);
// Its next item; empty with nothing pending: it is over.
Value NextOfWideRange(Vm& vm, Iterator* iterator);
// How many items are left, as an int.
Value LeftOfWideRange(Vm& vm, const Iterator* iterator);

}  // namespace ferry::vm
