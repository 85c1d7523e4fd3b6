#include "device-runtime/vm/exec/loop/slow.h"

#include <cstring>

#include "device-runtime/vm/exec/call/generator.h"
#include "device-runtime/vm/exec/call/resume.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/format/short.h"
#include "device-runtime/vm/text/markup.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

Value BuildSet(Vm& vm, const Value* items, uint32_t count) {
  Roots roots(vm);
  const Value set = roots.Add(vm.NewDict(Type::kSet));
  if (set.empty()) return set;
  for (uint32_t i = 0; i < count; ++i)
    if (!vm.SetAdd(As<Dict>(set), items[i])) return Value();
  return set;
}

Value FormatField(Vm& vm, Value v, Value spec, int conversion) {
  if (conversion == 's' && IsExact(v, Type::kString)) conversion = 0;
  Roots roots(vm);
  if (conversion == 'r' || conversion == 'a' || conversion == 's')
    v = roots.Add(ConvertField(vm, v, conversion));
  if (v.empty()) return v;
  ShortText quick;
  if (Text(spec).empty()) {
    if (IsExact(v, Type::kString)) return v;
    if (ShortStr(v, &quick)) return NewAscii(vm, quick.view());
  }
  ShortFormat format;
  if (ReadShortFormat(Text(spec), &format) && WriteShort(v, format, &quick))
    return NewAscii(vm, quick.view());
  std::string out;
  return vm.Format(v, Text(spec), &out) ? vm.NewString(out) : Value();
}

Value JoinStrings(Vm& vm, const Value* strings, uint32_t count) {
  size_t size = 0, length = 0;
  for (uint32_t i = 0; i < count; ++i) {
    size += As<String>(strings[i])->size;
    length += As<String>(strings[i])->length;
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(size / 64))) return Value();
  char* out;
  const Value joined = NewText(vm, size, length, &out);
  for (uint32_t i = 0; i < count && !joined.empty(); ++i) {
    std::memcpy(out, As<String>(strings[i])->data, As<String>(strings[i])->size);
    out += As<String>(strings[i])->size;
  }
  return joined;
}

static Value* CopyItems(Value* to, const Value* from, size_t count) {
  if (count > 8) return std::copy_n(from, count, to);
  for (size_t i = 0; i < count; ++i) *to++ = from[i];
  return to;
}

Value JoinedTuple(Vm& vm, const Value* values, size_t count, const Tuple* y) {
  const size_t all = count + y->size;
  if (!vm.ChargeSteps(static_cast<int64_t>(all / 16))) return Value();
  if (all == 0) return vm.empty_tuple;
  if (all > kMaxItems) return vm.TooLarge();
  auto* tuple = Cast<Tuple>(vm.heap.NewUncleared(
      Type::kTuple, sizeof(Tuple) - sizeof(Tuple::items) + all * sizeof(Value)));
  if (tuple == nullptr) return vm.OutOfMemory();
  tuple->size = static_cast<uint32_t>(all);
  CopyItems(CopyItems(tuple->items, values, count), y->items, y->size);
  return Value::Of(tuple);
}

Value Joined(Vm& vm, Value x, Value y) {
  if (Is(x, Type::kTuple))
    return JoinedTuple(vm, As<Tuple>(x)->items, As<Tuple>(x)->size, As<Tuple>(y));
  const size_t n = As<List>(x)->size, m = As<List>(y)->size;
  if (!vm.ChargeSteps(static_cast<int64_t>((n + m) / 16))) return Value();
  const Value out = vm.NewList(nullptr, n + m);
  if (out.empty()) return out;
  auto* to = As<List>(out);
  CopyItems(CopyItems(to->items, As<List>(x)->items, n), As<List>(y)->items, m);
  to->size = static_cast<uint32_t>(n + m);
  return out;
}

static int64_t Bound(Value v, int64_t missing, int64_t length) {
  if (v.IsNone()) return missing;
  const int64_t i = v.AsSmallInt();
  return i < 0 ? std::max<int64_t>(i + length, 0) : std::min(i, length);
}

static bool PlainBound(Value bound) {
  return bound.IsNone() || bound.IsSmallInt();
}

// The same of a list or tuple of `length` with a step other than 1 and 0.
static Value SteppedSlice(Vm& vm, Value v, const Value* parts, int64_t length) {
  const int64_t step = parts[2].AsSmallInt();
  const bool list = Is(v, Type::kList);
  int64_t start, count;
  if (step > 0) {
    start = Bound(parts[0], 0, length);
    count = Bound(parts[1], length, length) - start;
  } else {  // as if counted from the other end
    const auto back = [&](Value bound, int64_t missing) {
      if (bound.IsNone()) return missing;
      const int64_t i = bound.AsSmallInt();
      return i < 0 ? std::max<int64_t>(i + length, -1) : std::min(i, length - 1);
    };
    start = back(parts[0], length - 1);
    count = start - back(parts[1], -1);
  }
  const int64_t width = std::abs(step);
  count = count <= 0 ? 0 : width == 1 ? count : (count - 1) / width + 1;
  if (!vm.ChargeSteps(count / 16)) return Value();
  const auto size = static_cast<size_t>(count);
  const Value made = list ? vm.NewList(nullptr, size) : vm.NewTuple(nullptr, size);
  if (made.empty() || count == 0) return made;
  const Value* const from = list ? As<List>(v)->items : As<Tuple>(v)->items;
  Value* const to = list ? As<List>(made)->items : As<Tuple>(made)->items;
  for (int64_t i = 0, at = start; i < count; ++i, at += step) to[i] = from[at];
  if (list) As<List>(made)->size = static_cast<uint32_t>(count);
  return made;
}

Value QuickSlice(Vm& vm, Value v, const Value* parts) {
  const bool list = IsExact(v, Type::kList), tuple = IsExact(v, Type::kTuple);
  const bool text = IsExact(v, Type::kString) && As<String>(v)->ascii();
  if (!(list || tuple || text)) return Value();
  if (!PlainBound(parts[0]) || !PlainBound(parts[1])) return Value();
  const int64_t length = list    ? As<List>(v)->size
                         : tuple ? As<Tuple>(v)->size
                                 : As<String>(v)->size;
  if (!parts[2].IsNone()) {
    const bool quick =
        !text && parts[2].IsSmallInt() && static_cast<uint64_t>(parts[2].AsSmallInt()) > 1;
    return quick ? SteppedSlice(vm, v, parts, length) : SliceOfParts(vm, v, parts);
  }
  const auto start = static_cast<size_t>(Bound(parts[0], 0, length));
  const auto stop = static_cast<size_t>(Bound(parts[1], length, length));
  const size_t count = stop > start ? stop - start : 0;
  if (!vm.ChargeSteps(static_cast<int64_t>(count / 16))) return Value();
  if (list) return vm.NewList(As<List>(v)->items + start, count);
  if (tuple && count == As<Tuple>(v)->size) return v;
  if (tuple) return vm.NewTuple(As<Tuple>(v)->items + start, count);
  return vm.NewString(As<String>(v)->view().substr(start, count));
}

bool SpreadArguments(Vm& vm, Value list, Value dict, Spread* out) {
  const bool tuple = Is(list, Type::kTuple);
  const Value* items = tuple ? As<Tuple>(list)->items : As<List>(list)->items;
  const uint32_t size = tuple ? As<Tuple>(list)->size : As<List>(list)->size;
  const auto* keywords = dict.empty() ? nullptr : As<Dict>(dict);
  const size_t given = size_t{size} + (keywords == nullptr ? 0 : keywords->count);
  // Below the arguments the names of keywords, and three places for what the callee needs there.
  if (vm.top >= vm.stack_end || static_cast<size_t>(vm.stack_end - vm.top) <= given + 5) {
    vm.TooDeep(" while calling a Python object");
    return false;
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(given / 2))) return false;
  *out = {vm.top + 4, size, nullptr};
  std::fill(vm.top, out->args, Value());
  std::copy(items, items + size, out->args);
  if (keywords == nullptr || keywords->count == 0) return true;
  const Value names = vm.top[0] = vm.NewTuple(nullptr, keywords->count);
  if (names.empty()) return false;
  out->names = As<Tuple>(names);
  uint32_t count = 0;
  for (uint32_t i = 0; i < keywords->used; ++i) {
    if (keywords->entries[i].key.empty()) continue;
    As<Tuple>(names)->items[count] = keywords->entries[i].key;
    out->args[size + count++] = keywords->entries[i].value;
  }
  return true;
}

bool ExtendStar(Vm& vm, List* list, Value iterable) {
  if (vm.Extend(list, iterable)) return true;
  if (vm.FindInClass(vm.ClassOf(iterable), vm.names.iter).empty() &&
      vm.FindInClass(vm.ClassOf(iterable), vm.names.getitem).empty() &&
      vm.TakePending(Error::kTypeError))
    vm.Throw(Error::kTypeError, "Value after * must be an iterable, not {}", vm.TypeName(iterable));
  return false;
}

// What the iterator yields; or, when it is over, its result.
Value SendOn(Vm& vm, Value iterator, Value sent, bool* over) {
  Value result;
  const Value v = SendInto(vm, iterator, sent, &result);
  *over = v.empty() && !vm.failed();
  return *over ? result : v;
}

namespace {

// The next item of one part. kEnd: it is over, or failed.
Parts NextPart(Vm& vm, Value iterator, Value* item, uint32_t part) {
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

}  // namespace

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

void RaiseStatement(Vm& vm, Value v, Value cause) {
  Roots roots(vm);
  if (Is(v, Type::kClass) &&
      vm.IsSubclass(As<Class>(v), vm.errors[static_cast<int>(Error::kBaseException)])) {
    const Value cls = v;
    v = vm.Call(v, nullptr, 0);
    if (!v.empty() && !Is(v, Type::kException)) {
      std::string called, got;
      if (vm.Repr(cls, &called) && vm.Repr(Value::Of(vm.ClassOf(v)), &got))
        vm.Throw(Error::kTypeError,
                 "calling {} should have returned an instance of BaseException, not {}", called,
                 got);
      return;
    }
  }
  if (v.empty()) return;
  if (!Is(v, Type::kException)) {
    vm.Raise(Error::kTypeError, "exceptions must derive from BaseException");
    return;
  }
  roots.Add(v);
  if (!cause.empty()) {
    if (Is(cause, Type::kClass) &&
        vm.IsSubclass(As<Class>(cause), vm.errors[static_cast<int>(Error::kBaseException)]))
      cause = vm.Call(cause, nullptr, 0);
    if (cause.empty()) return;
    if (!cause.IsNone() && !Is(cause, Type::kException)) {
      vm.Raise(Error::kTypeError, "exception causes must derive from BaseException");
      return;
    }
    As<Exception>(v)->cause = cause;
    As<Exception>(v)->suppress_context = true;
  }
  vm.pending = v;
}

}  // namespace ferry::vm
