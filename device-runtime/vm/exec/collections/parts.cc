#include "device-runtime/vm/exec/collections/parts.h"

#include "device-runtime/vm/exec/call/resume.h"
#include "device-runtime/vm/exec/loop/quick.h"

namespace ferry::vm {

// The next item of one part. kEnd: it is over, or failed.
static Parts NextPart(Vm& vm, Value iterator, Value* item, uint32_t part) {
  if (IsExact(iterator, Type::kIterator)) {
    auto* const it = As<Iterator>(iterator);
    if (it->kind() == IteratorKind::kList && it->index < As<List>(it->source)->size) {
      *item = As<List>(it->source)->items[it->index++];
      return Parts::kItem;
    }
    if (QuickNext(vm, it, item) == Quick::kItem) return Parts::kItem;
  } else if (Is(iterator, Type::kGenerator) &&
             As<Generator>(iterator)->kind() == GeneratorKind::kGenerator &&
             PushGenerator(vm, As<Generator>(iterator), Value::None(), item, FrameKind::kPart)) {
    As<Generator>(iterator)->result = Value::SmallInt(part);
    return vm.ChargeSteps(4) ? Parts::kAsked : Parts::kEnd;
  }
  *item = vm.Next(iterator);
  if (!item->empty()) return Parts::kItem;
  *item = Value::None();  // a register
  return Parts::kEnd;
}

Parts NextParts(Vm& vm, Iterator* it, Value* out, uint32_t count, uint32_t from) {
  if (it->kind() == IteratorKind::kEnumerate && count == 2 && Value::FitsInt(it->index) &&
      it->extra.empty()) {
    const Parts part = from == 0 ? NextPart(vm, it->source, out + 1, 0) : Parts::kItem;
    if (part == Parts::kItem) out[0] = Value::SmallInt(it->index++);
    return part;
  }
  if (it->kind() == IteratorKind::kDictItems && count == 2) {
    const auto* dict = As<Dict>(it->source);
    if (it->step != dict->count || it->index >= dict->used || it->index >= it->stop)
      return Parts::kUnknown;
    const Entry& entry = dict->entries[it->index];
    if (entry.key.empty()) return Parts::kUnknown;
    ++it->index;
    out[0] = entry.key;
    out[1] = entry.value;
    return Parts::kItem;
  }
  if (it->kind() != IteratorKind::kZip || it->source.IsTrue()) return Parts::kUnknown;
  const auto* iterators = As<Tuple>(it->extra);
  if (iterators->size != count || count == 0) return Parts::kUnknown;
  for (uint32_t i = from; i < count; ++i) {
    const Parts part = NextPart(vm, iterators->items[i], out + i, i);
    if (part != Parts::kItem) return part;
  }
  return Parts::kItem;
}

}  // namespace ferry::vm
