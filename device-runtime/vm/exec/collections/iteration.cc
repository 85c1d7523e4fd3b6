#include <cstring>

#include "device-runtime/vm/exec/call/generator.h"
#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/syntax/ast.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

static Value IterateView(Vm& vm, Value v) {
  const auto* view = As<View>(v);
  if (view->kind() == ViewKind::kProxy || !Is(view->source, Type::kDict))
    return vm.Iterate(view->source);
  static constexpr IteratorKind kKinds[] = {IteratorKind::kDictKeys, IteratorKind::kDictValues,
                                            IteratorKind::kDictItems};
  const Value iterator = vm.NewIterator(kKinds[static_cast<size_t>(view->kind())], view->source);
  if (!iterator.empty())
    As<Iterator>(iterator)->stop = As<Iterator>(iterator)->step = As<Dict>(view->source)->count;
  return iterator;
}

Value Vm::IteratePlain(Value v) {
  if (v.IsObject()) {
    switch (v.object()->type) {
      case Type::kView:
        return IterateView(*this, v);
      case Type::kList:
        return NewIterator(IteratorKind::kList, v);
      case Type::kTuple:
        return NewIterator(IteratorKind::kTuple, v);
      case Type::kString:
        return NewIterator(IteratorKind::kString, v);
      case Type::kBytes:
        return NewIterator(IteratorKind::kBytes, v);
      case Type::kDict:
      case Type::kSet:
      case Type::kFrozenSet: {
        Value iterator = NewIterator(IteratorKind::kDictKeys, v);
        if (iterator.empty()) return iterator;
        As<Iterator>(iterator)->step = As<Dict>(v)->count;
        As<Iterator>(iterator)->stop =
            v.object()->type == Type::kDict ? As<Dict>(v)->count : INT64_MAX / 2;
        return iterator;
      }
      case Type::kRange: {
        if (IsWide(As<Range>(v))) return IterateWideRange(*this, v);
        Value iterator = NewIterator(IteratorKind::kRange, v);
        if (iterator.empty()) return iterator;
        auto* range = As<Range>(v);
        auto* it = As<Iterator>(iterator);
        it->index = range->start;
        it->step = range->step;
        it->stop = range->length;  // turns left
        return iterator;
      }
      case Type::kByteArray:
      case Type::kArray:
      case Type::kMemoryView:
        return NewIterator(IteratorKind::kSequence, v);
      case Type::kGenerator:
        if (As<Generator>(v)->kind() != GeneratorKind::kGenerator)
          return Throw(Error::kTypeError, "'{}' object is not iterable", TypeName(v));
        return v;
      case Type::kIterator:
        return v;
      case Type::kRecord:
        if (As<Record>(v)->cls->next != nullptr && !Derived(v)) return v;
        break;
      default:
        break;
    }
  }
  bool found;
  Value result = CallSpecial(v, names.iter, nullptr, 0, &found);
  if (found) return result;
  if (!FindInClass(ClassOf(v), names.getitem).empty())
    return NewIterator(IteratorKind::kSequence, v);
  return Throw(Error::kTypeError, "'{}' object is not iterable", TypeName(v));
}

static Value ChangedWhile(Vm& vm, Iterator* it, std::string_view how) {
  if (vm.TypeName(it->source) == "collections.OrderedDict")
    return vm.Raise(Error::kRuntimeError, "OrderedDict mutated during iteration");
  return vm.Throw(Error::kRuntimeError, "{} {} during iteration",
                  Is(it->source, Type::kDict) ? "dictionary" : "Set", how);
}

static Value NextEntry(Vm& vm, Iterator* it) {
  auto* dict = As<Dict>(it->source);
  if (it->step != dict->count) {
    it->step = -1;  // and it stays so
    return ChangedWhile(vm, it, "changed size");
  }
  while (it->index < dict->used) {
    if ((it->index & 15) == 15 && !vm.ChargeSteps(1)) return Value();
    const Entry& entry = dict->entries[it->index++];
    if (entry.key.empty()) {
      ++it->stop;
      continue;
    }
    if (it->index > it->stop) {
      it->index = INT64_MAX;
      return ChangedWhile(vm, it, "keys changed");
    }
    if (it->kind() == IteratorKind::kDictKeys) return entry.key;
    if (it->kind() == IteratorKind::kDictValues) return entry.value;
    Value pair[] = {entry.key, entry.value};
    return vm.NewTuple(pair, 2);
  }
  it->index = INT64_MAX;
  return Value();
}

// As many values: here when they are few.
class Several {
 public:
  explicit Several(uint32_t count) {
    if (count > std::size(few_)) many_.resize(count);
  }
  Value* data() { return many_.empty() ? few_ : many_.data(); }

 private:
  Value few_[4];
  std::vector<Value> many_;
};

// zip, map: one value of each of the iterators in `extra`, into `out`; false when one is over.
static bool NextOfEach(Vm& vm, Tuple* iterators, Value* out) {
  for (uint32_t i = 0; i < iterators->size; ++i) {
    if (!Pull(vm, iterators->items[i], &out[i])) return false;
    vm.kept.Push(out[i]);
  }
  return true;
}

// Of zip(strict=True) when one is over: an error unless all are.
static Value Uneven(Vm& vm, Tuple* iterators, const Value* items) {
  uint32_t at = 0;
  while (at < iterators->size && !items[at].empty()) ++at;
  const bool shorter = at > 0;
  if (!shorter) {
    for (at = 1; at < iterators->size && vm.Next(iterators->items[at]).empty(); ++at)
      if (vm.failed()) return Value();
    if (at == iterators->size) return Value();
  }
  return vm.Throw(Error::kValueError, "zip() argument {} is {} than argument{}{}", at + 1,
                  shorter ? "shorter" : "longer", at == 1 ? " " : "s 1-", at);
}

// One level of iterators over iterators.
struct IteratorLevel {
  explicit IteratorLevel(Vm& v) : vm(v) {
    if (++vm.native_depth > kMaxNativeDepth) vm.TooDeep();
  }
  ~IteratorLevel() { --vm.native_depth; }
  Vm& vm;
};

static Value NextCombined(Vm& vm, Iterator* it) {
  if (it->kind() == IteratorKind::kEnumerate && it->extra.empty() && Value::FitsInt(it->index) &&
      IsExact(it->source, Type::kIterator)) {
    Value pair[2];
    if (QuickNext(vm, As<Iterator>(it->source), &pair[1]) == Quick::kItem) {
      pair[0] = Value::SmallInt(it->index++);
      return vm.NewTuple(pair, 2);
    }
  }
  const IteratorLevel level(vm);
  if (vm.failed()) return Value();
  Roots roots(vm);
  roots.Add(Value::Of(it));
  switch (it->kind()) {
    case IteratorKind::kEnumerate: {
      const Value item = vm.Next(it->source);  // first: it may collect
      if (item.empty()) return Value();
      roots.Add(item);
      Value pair[] = {it->extra.empty() ? vm.NewInt(it->index) : it->extra, item};
      if (pair[0].empty()) return Value();
      if (it->extra.empty()) {
        ++it->index;
      } else {
        it->extra = vm.Binary(static_cast<int>(Operator::kAdd), it->extra, Value::SmallInt(1));
        if (it->extra.empty()) return Value();
      }
      return vm.NewTuple(pair, 2);
    }
    case IteratorKind::kZip: {
      auto* iterators = As<Tuple>(it->extra);
      Several items(iterators->size);
      if (iterators->size == 0) return Value();
      if (!NextOfEach(vm, iterators, items.data())) {
        if (vm.failed() || !it->source.IsTrue()) return Value();
        return Uneven(vm, iterators, items.data());
      }
      return vm.NewTuple(items.data(), iterators->size);
    }
    case IteratorKind::kMap: {
      auto* iterators = As<Tuple>(it->extra);
      Several items(iterators->size);
      if (!NextOfEach(vm, iterators, items.data())) return Value();
      return vm.Call(it->source, items.data(), iterators->size);
    }
    case IteratorKind::kFilter:
      for (;;) {
        Value item;
        if (!Pull(vm, it->extra, &item)) return Value();
        if (it->source.IsNone() && !HasMethods(item)) {
          bool truth;
          if (!vm.TruthPlain(item, &truth)) return Value();
          if (truth) return item;
          continue;
        }
        Roots inner(vm);
        inner.Add(item);
        Value keep = it->source.IsNone() ? item : vm.Call(it->source, &item, 1);
        bool truth;
        if (keep.empty() || !vm.Truth(keep, &truth)) return Value();
        if (truth) return item;
      }
    default: {  // kCallable: iter(function, sentinel)
      Value item = vm.Call(it->source, nullptr, 0);
      bool end;
      if (item.empty() || !vm.Equal(item, it->extra, &end)) return Value();
      return end ? Value() : item;
    }
  }
}

bool Pull(Vm& vm, Value iterator, Value* item) {
  Quick quick = Quick::kUnknown;
  if (IsExact(iterator, Type::kIterator)) {
    auto* const it = As<Iterator>(iterator);
    if (it->kind() == IteratorKind::kList && it->index < As<List>(it->source)->size) {
      *item = As<List>(it->source)->items[it->index++];
      quick = Quick::kItem;
    } else {
      quick = QuickNext(vm, it, item);
    }
  }
  if (quick == Quick::kItem) {
    if (vm.ChargeSteps(1)) return true;
    *item = Value();
    return false;
  }
  *item = quick == Quick::kEnd ? Value() : vm.Next(iterator);
  return !item->empty();
}

Value Vm::Next(Value iterator) {
  if (IsExact(iterator, Type::kIterator)) {
    Value item;
    const Quick quick = QuickNext(*this, As<Iterator>(iterator), &item);
    if (quick != Quick::kUnknown) return ChargeSteps(1) && quick == Quick::kItem ? item : Value();
  }
  if (Is(iterator, Type::kGenerator)) {
    if (As<Generator>(iterator)->kind() != GeneratorKind::kGenerator)
      return Throw(Error::kTypeError, "'{}' object is not an iterator", TypeName(iterator));
    return Resume(As<Generator>(iterator), Value::None(), Value());
  }
  if (!Is(iterator, Type::kIterator) || Derived(iterator)) {
    if (Is(iterator, Type::kRecord) && As<Record>(iterator)->cls->next != nullptr &&
        !Derived(iterator)) {
      const IteratorLevel level(*this);
      return !failed() && ChargeSteps(1) ? As<Record>(iterator)->cls->next(*this, iterator)
                                         : Value();
    }
    bool found;
    Value result = CallSpecial(iterator, names.next, nullptr, 0, &found);
    if (!found && !Is(iterator, Type::kIterator))
      return Throw(Error::kTypeError, "'{}' object is not an iterator", TypeName(iterator));
    if (found) {
      if (result.empty()) TakePending(Error::kStopIteration);
      return result;
    }
  }
  if (!ChargeSteps(1)) return Value();
  auto* it = As<Iterator>(iterator);
  switch (it->kind()) {
    case IteratorKind::kList: {
      auto* list = As<List>(it->source);
      if (it->index < list->size) return list->items[it->index++];
      it->index = INT64_MAX;
      return Value();
    }
    case IteratorKind::kTuple: {
      auto* tuple = As<Tuple>(it->source);
      return it->index < tuple->size ? tuple->items[it->index++] : Value();
    }
    case IteratorKind::kString: {
      auto* string = As<String>(it->source);
      if (it->index >= string->size) return Value();
      const size_t size = Utf8Size(string->data[it->index]);
      const auto at = static_cast<size_t>(it->index);
      it->index += static_cast<int64_t>(size);
      return NewString(string->view().substr(at, size));
    }
    case IteratorKind::kBytes: {
      auto* bytes = As<BytesObject>(it->source);
      if (it->index >= bytes->size) return Value();
      return Value::SmallInt(static_cast<unsigned char>(bytes->data[it->index++]));
    }
    case IteratorKind::kDictKeys:
    case IteratorKind::kDictValues:
    case IteratorKind::kDictItems:
      return NextEntry(*this, it);
    case IteratorKind::kRange: {
      if (it->stop == 0) return Value();
      --it->stop;
      Value v = NewInt(it->index);
      if (it->stop > 0) it->index += it->step;
      return v;
    }
    case IteratorKind::kWideRange:
      return NextOfWideRange(*this, it);
    case IteratorKind::kReversed: {
      if (it->index < 0) return Value();
      if (Is(it->source, Type::kList)) {
        const auto* list = As<List>(it->source);
        return it->index < list->size ? list->items[it->index--] : Value();
      }
      const bool custom = HasMethods(it->source);
      int64_t length;
      if (!custom && (!Length(it->source, &length) || it->index >= length)) return Value();
      const Value item = Index(it->source, NewInt(it->index--));
      if (item.empty() && custom &&
          (TakePending(Error::kIndexError) || TakePending(Error::kStopIteration)))
        it->index = -1;
      return item;
    }
    case IteratorKind::kAsyncStep:
    case IteratorKind::kAwait: {
      Value result;
      return SendInto(*this, iterator, Value::None(), &result);
    }
    case IteratorKind::kSequence: {
      int64_t length;
      const bool direct = Is(it->source, Type::kArray) || Is(it->source, Type::kByteArray);
      if (direct && BufferLength(*this, it->source, &length))
        return it->index < length ? BufferIndex(*this, it->source, Value::SmallInt(it->index++))
                                  : Value();
      Value v = Index(it->source, NewInt(it->index++));
      if (v.empty()) TakePending(Error::kIndexError);
      return v;
    }
    default:
      return NextCombined(*this, it);
  }
}

bool Vm::Unpack(Value v, Value* out, size_t count) {
  const auto wrong = [&](size_t size) {
    if (size > count) {
      Throw(Error::kValueError, "too many values to unpack (expected {})", count);
    } else {
      Throw(Error::kValueError, "not enough values to unpack (expected {}, got {})", count, size);
    }
    return false;
  };
  if (IsExact(v, Type::kTuple) || IsExact(v, Type::kList)) {
    const size_t size = Is(v, Type::kTuple) ? As<Tuple>(v)->size : As<List>(v)->size;
    if (size != count) return wrong(size);
    const Value* items = Is(v, Type::kTuple) ? As<Tuple>(v)->items : As<List>(v)->items;
    for (size_t i = 0; i < count; ++i) out[i] = items[i];
    return true;
  }
  Roots roots(*this);
  Value iterator = Iterate(v);
  if (iterator.empty()) {
    if (TakePending(Error::kTypeError))
      Throw(Error::kTypeError, "cannot unpack non-iterable {} object", TypeName(v));
    return false;
  }
  roots.Add(iterator);
  for (size_t i = 0; i <= count; ++i) {
    Value item = Next(iterator);
    if (item.empty()) {
      if (failed()) return false;
      return i == count ? true : wrong(i);
    }
    if (i == count) return wrong(count + 1);
    out[i] = item;  // registers of the running frame: rooted
  }
  return true;
}

[[gnu::cold]] bool Vm::UnpackStar(Value v, Value* out, size_t before, size_t after) {
  Roots roots(*this);
  Value all = ToList(v);
  if (all.empty()) {
    if (FindInClass(ClassOf(v), names.iter).empty() &&
        FindInClass(ClassOf(v), names.getitem).empty() && TakePending(Error::kTypeError))
      Throw(Error::kTypeError, "cannot unpack non-iterable {} object", TypeName(v));
    return false;
  }
  roots.Add(all);
  auto* list = As<List>(all);
  if (list->size < before + after) {
    Throw(Error::kValueError, "not enough values to unpack (expected at least {}, got {})",
          before + after, list->size);
    return false;
  }
  for (size_t i = 0; i < before; ++i) out[i] = list->items[i];
  const size_t middle = list->size - before - after;
  out[before] = NewList(list->items + before, middle);
  if (out[before].empty()) return false;
  for (size_t i = 0; i < after; ++i) out[before + 1 + i] = list->items[before + middle + i];
  return true;
}

static bool ExtendByItems(Vm& vm, List* list, Value from) {
  const bool other = Is(from, Type::kList);
  const size_t count = other ? As<List>(from)->size : As<Tuple>(from)->size;
  if (!vm.ChargeSteps(static_cast<int64_t>(count / 16)) || !vm.Reserve(list, list->size + count))
    return false;
  if (count == 0) return true;
  const Value* items = other ? As<List>(from)->items : As<Tuple>(from)->items;
  std::memcpy(static_cast<void*>(list->items + list->size), items, count * sizeof(Value));
  list->size += static_cast<uint32_t>(count);
  return true;
}

static bool ExtendByRange(Vm& vm, List* list, const Range* range) {
  const auto count = static_cast<size_t>(range->length);
  if (!vm.ChargeSteps(range->length / 8) || !vm.Reserve(list, list->size + count)) return false;
  int64_t i = range->start;
  for (size_t k = 0; k < count; ++k, i += range->step)
    list->items[list->size + k] = Value::SmallInt(i);
  list->size += static_cast<uint32_t>(count);
  return true;
}

// Keys (0), values (1) or pairs (2) of a dict; items of a set.
static bool ExtendByEntries(Vm& vm, List* list, const Dict* dict, ViewKind which) {
  if (!vm.ChargeSteps(dict->used / 8) || !vm.Reserve(list, size_t{list->size} + dict->count))
    return false;
  for (uint32_t i = 0; i < dict->used; ++i) {
    const Entry& entry = dict->entries[i];
    if (entry.key.empty()) continue;
    Value item = which == ViewKind::kKeys ? entry.key : entry.value;
    if (which == ViewKind::kItems && (item = vm.NewTuple(&entry.key, 2)).empty()) return false;
    list->items[list->size++] = item;
  }
  return true;
}

static bool ExtendByCharacters(Vm& vm, List* list, const String* string) {
  if (!vm.ChargeSteps(string->length / 8) || !vm.Reserve(list, size_t{list->size} + string->length))
    return false;
  for (size_t at = 0; at < string->size;) {
    const auto c = static_cast<unsigned char>(string->data[at]);
    const size_t size = c < 128 ? 1 : Utf8Size(string->data[at]);
    const Value character =
        c < 128 ? Value::Of(vm.characters[c]) : vm.NewString(string->view().substr(at, size));
    if (character.empty()) return false;
    list->items[list->size++] = character;
    at += size;
  }
  return true;
}

static bool ExtendByBytes(Vm& vm, List* list, std::string_view bytes) {
  if (!vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 8)) ||
      !vm.Reserve(list, list->size + bytes.size()))
    return false;
  for (const char c : bytes)
    list->items[list->size++] = Value::SmallInt(static_cast<unsigned char>(c));
  return true;
}

// What needs no iterator; *known false: something else.
static bool ExtendPlain(Vm& vm, List* list, Value from, bool* known) {
  *known = true;
  if (from.IsObject() && from.object()->derived == 0) {
    switch (from.object()->type) {
      case Type::kList:
      case Type::kTuple:
        return ExtendByItems(vm, list, from);
      case Type::kRange: {
        const auto* range = As<Range>(from);
        if (!IsWide(range) && range->length > static_cast<int64_t>(kMaxItems)) {
          vm.TooLarge();
          return false;
        }
        if (IsWide(range) || !Value::FitsInt(range->start) || !Value::FitsInt(range->stop) ||
            !Value::FitsInt(range->step))
          break;
        return ExtendByRange(vm, list, range);
      }
      case Type::kDict:
      case Type::kSet:
      case Type::kFrozenSet:
        return ExtendByEntries(vm, list, As<Dict>(from), ViewKind::kKeys);
      case Type::kView:
        if (As<View>(from)->kind() == ViewKind::kProxy ||
            !IsExact(As<View>(from)->source, Type::kDict))
          break;
        return ExtendByEntries(vm, list, As<Dict>(As<View>(from)->source), As<View>(from)->kind());
      case Type::kString:
        return ExtendByCharacters(vm, list, As<String>(from));
      case Type::kBytes:
        return ExtendByBytes(vm, list, As<BytesObject>(from)->view());
      case Type::kByteArray:
        return ExtendByBytes(vm, list, As<ByteArray>(from)->view());
      default:
        break;
    }
  }
  *known = false;
  return true;
}

// Scripts see that __len__ or __length_hint__ of what they wrote is asked, and what these raise;
// nothing here needs the answer.
static bool AskLength(Vm& vm, Value iterable) {
  Class* cls = vm.ClassOf(iterable);
  int64_t length;
  bool found;
  if (!vm.FindSpecial(cls, vm.names.len).empty()) {
    if (vm.Length(iterable, &length)) return true;
    if (!vm.TakePending(Error::kTypeError)) return false;
  } else if (!vm.FindInClass(cls, vm.names.len).empty()) {
    return true;  // a built-in class's own
  }
  String* name = vm.Intern("__length_hint__");
  if (name == nullptr) return false;
  if (Is(iterable, Type::kRecord) || vm.FindInClass(cls, name).empty()) return true;
  const Value hint = vm.CallSpecial(iterable, name, nullptr, 0, &found);
  if (hint.empty()) return vm.TakePending(Error::kTypeError);
  if (hint == vm.not_implemented) return true;
  if (!IsInt(hint))
    return !vm.Throw(Error::kTypeError, "__length_hint__ must be an integer, not {}",
                     vm.TypeName(hint))
                .empty();
  return IntSign(hint) >= 0 ||
         !vm.Raise(Error::kValueError, "__length_hint__() should return >= 0").empty();
}

bool Vm::Extend(List* list, Value iterable) {
  bool known;
  if (!ExtendPlain(*this, list, iterable, &known)) return false;
  if (known) return true;
  Roots roots(*this);
  roots.Add(Value::Of(list));
  Value iterator = Iterate(iterable);
  if (iterator.empty()) return false;
  roots.Add(iterator);
  if (HasMethods(iterable) && !AskLength(*this, iterable)) return false;
  for (Value item; Pull(*this, iterator, &item);)
    if (!Append(list, item)) return false;
  return !failed();
}

Value Vm::ToList(Value iterable) {
  Value list = NewList(nullptr, 0);
  return list.empty() || !Extend(As<List>(list), iterable) ? Value() : list;
}

}  // namespace ferry::vm
