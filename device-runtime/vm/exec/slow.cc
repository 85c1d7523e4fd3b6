#include "device-runtime/vm/exec/slow.h"

#include <cstring>

#include "device-runtime/vm/exec/flow/generator.h"
#include "device-runtime/vm/exec/resume.h"
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

// Bases that are no classes may say which classes they stand for.
static Value ResolveBases(Vm& vm, Value bases) {
  bool plain = true;
  for (uint32_t i = 0; i < As<Tuple>(bases)->size; ++i)
    plain = plain && Is(As<Tuple>(bases)->items[i], Type::kClass);
  if (plain) return bases;
  Roots roots(vm);
  const Value list = roots.Add(vm.NewList(nullptr, 0));
  if (list.empty()) return list;
  for (uint32_t i = 0; i < As<Tuple>(bases)->size; ++i) {
    const Value base = As<Tuple>(bases)->items[i];
    bool found = false;
    if (IsExact(base, Type::kAlias) && base.object()->aux == 0) {
      if (!vm.Append(As<List>(list), As<Alias>(base)->origin)) return Value();
      continue;
    }
    const Value asked =
        Is(base, Type::kClass) ? Value() : vm.GetAttributeOrEmpty(base, vm.names.mro_entries);
    if (vm.failed()) return Value();
    found = !asked.empty();
    const Value entries = found ? vm.Call(roots.Add(asked), &bases, 1) : Value();
    if (found) {
      if (entries.empty()) return entries;
      if (!Is(entries, Type::kTuple))
        return vm.Raise(Error::kTypeError, "__mro_entries__ must return a tuple");
    }
    if (!(found ? vm.Extend(As<List>(list), entries) : vm.Append(As<List>(list), base)))
      return Value();
  }
  return vm.NewTuple(As<List>(list)->items, As<List>(list)->size);
}

// The class of the class: metaclass= or the most derived of the classes of the bases.
static Value MetaOf(Vm& vm, Value bases, Value keywords) {
  Value meta;
  if (!keywords.empty()) {
    meta = vm.DictRemove(As<Dict>(keywords), Value::Of(vm.names.metaclass));
    if (!meta.empty() && !Is(meta, Type::kClass)) return meta;
  }
  if (meta.empty()) {
    meta = Value::Of(vm.classes[kTypeClass]);
    if (As<Tuple>(bases)->size > 0) meta = Value::Of(vm.ClassOf(As<Tuple>(bases)->items[0]));
  }
  for (uint32_t i = 0; i < As<Tuple>(bases)->size; ++i) {
    Class* other = vm.ClassOf(As<Tuple>(bases)->items[i]);
    if (vm.IsSubclass(As<Class>(meta), other)) continue;
    if (!vm.IsSubclass(other, As<Class>(meta)))
      return vm.Raise(Error::kTypeError,
                      "metaclass conflict: the metaclass of a derived class must be a (non-strict) "
                      "subclass of the metaclasses of all its bases");
    meta = Value::Of(other);
  }
  return meta;
}

static Value Prepare(Vm& vm, Value meta, String* name, Value bases, Value keywords) {
  if (meta == Value::Of(vm.classes[kTypeClass])) return vm.NewDict();
  Roots roots(vm);
  const Value prepare = vm.GetAttributeOrEmpty(meta, vm.names.prepare);
  if (prepare.empty()) return vm.failed() ? prepare : vm.NewDict();
  roots.Add(prepare);
  const Value items[] = {Value::Of(name), bases};
  const Value list = roots.Add(vm.NewList(items, 2));
  const Value none = keywords.empty() ? roots.Add(vm.NewDict()) : keywords;
  if (list.empty() || none.empty()) return Value();
  const Value space = vm.CallSpread(prepare, list, none);
  if (space.empty() || Is(space, Type::kDict)) return space;
  return vm.Throw(Error::kTypeError, "{}.__prepare__() must return a mapping, not {}",
                  As<Class>(meta)->name->view(), vm.TypeName(space));
}

Value BuildClass(Vm& vm, String* name, Value bases, Value body, Value keywords) {
  Roots roots(vm);
  const Value original = bases;
  for (Value v : {bases, body, keywords}) roots.Add(v);
  bases = roots.Add(ResolveBases(vm, bases));
  const Value meta = bases.empty() ? bases : roots.Add(MetaOf(vm, bases, keywords));
  if (meta.empty()) return meta;
  const Value space = roots.Add(Prepare(vm, meta, name, bases, keywords));
  if (space.empty()) return space;
  const CodeObject* code = As<Function>(body)->code;
  if (!vm.SetIndex(space, Value::Of(vm.names.module), Value::Of(code->module->name)) ||
      !vm.SetIndex(space, Value::Of(vm.names.qualname), Value::Of(code->qualified_name)))
    return Value();
  if (vm.Call(body, &space, 1).empty()) return Value();
  if (bases != original && !vm.SetIndex(space, vm.NewString("__orig_bases__"), original))
    return Value();
  if (meta == Value::Of(vm.classes[kTypeClass]))
    return vm.MakeClass(As<Class>(meta), Value::Of(name), bases, As<Dict>(space),
                        keywords.empty() ? nullptr : As<Dict>(keywords));
  const Value items[] = {Value::Of(name), bases, space};
  const Value list = roots.Add(vm.NewList(items, 3));
  const Value none = keywords.empty() ? roots.Add(vm.NewDict()) : keywords;
  return list.empty() || none.empty() ? Value() : vm.CallSpread(meta, list, none);
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
  if (all > kMaxItems) return vm.OutOfMemory();
  auto* tuple = static_cast<Tuple*>(vm.heap.NewUncleared(
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
