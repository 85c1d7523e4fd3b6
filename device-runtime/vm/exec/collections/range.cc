#include "device-runtime/vm/exec/collections/range.h"

namespace ferry::vm {

Value RangeOfInts(Vm& vm, const Value* args, uint32_t count, bool iterator) {
  for (uint32_t i = 0; i < count; ++i)
    if (!args[i].IsSmallInt()) return Value();
  if (count - 1 > 2) return Value();
  const int64_t start = count == 1 ? 0 : args[0].AsSmallInt();
  const int64_t stop = args[count == 1 ? 0 : 1].AsSmallInt();
  const int64_t step = count == 3 ? args[2].AsSmallInt() : 1;
  if (step == 0) return Value();
  if (!iterator) return vm.NewRange(start, stop, step);
  const Value made = vm.NewIterator(IteratorKind::kRange, Value::None());
  if (made.empty()) return made;
  auto* const it = As<Iterator>(made);
  it->index = start;
  it->step = step;
  const int64_t span = step > 0 ? stop - start : start - stop;
  const int64_t width = step > 0 ? step : -step;
  it->stop = span <= 0 ? 0 : width == 1 ? span : (span + width - 1) / width;
  return made;
}

}  // namespace ferry::vm
