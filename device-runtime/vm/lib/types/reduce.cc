// What objects say of how they are copied and pickled: __reduce_ex__ and its kin are those of
// object, which py/copyreg.py knows; here are those of iterators. And __sizeof__, as large as
// objects are in CPython, so that scripts see what they expect.
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

Value Ask(Vm& vm, const char* function, const Value* args, size_t count) {
  Roots roots(vm);
  const Value module = roots.Add(vm.Import("copyreg", true));
  String* name = module.empty() ? nullptr : vm.Intern(function);
  const Value found = name == nullptr ? Value() : roots.Add(vm.GetAttribute(module, name));
  return found.empty() ? found : vm.Call(found, args, count);
}

Value Reduce(Vm& vm, Args& args) {
  if (!Expect(vm, args, "__reduce__", 1, 1)) return Value();
  const Value with[] = {args[0], Value::SmallInt(0)};
  return Ask(vm, "_reduce", with, 2);
}

Value ReduceEx(Vm& vm, Args& args) {
  int64_t protocol;
  if (!Expect(vm, args, "__reduce_ex__", 2, 2) || !vm.ToIndex(args[1], &protocol, "protocol", true))
    return Value();
  String* name = vm.Intern("__reduce__");
  if (name == nullptr) return Value();
  const Value own = vm.FindInClass(vm.ClassOf(args[0]), name);
  if (!Is(own, Type::kNative) || As<Native>(own)->builtin != Reduce) {
    const Value bound = vm.GetAttribute(args[0], name);
    return bound.empty() ? bound : vm.Call(bound, nullptr, 0);
  }
  const Value with[] = {args[0], vm.NewInt(protocol)};
  return Ask(vm, "_reduce", with, 2);
}

Value GetState(Vm& vm, Args& args) {
  return Expect(vm, args, "__getstate__", 1, 1) ? Ask(vm, "_state", args.args, 1) : Value();
}

int64_t SizeOfText(const String* string) {
  if (string->ascii()) return 49 + int64_t{string->length};
  uint32_t widest = 0;
  for (size_t at = 0; at < string->size;) widest = std::max(widest, Utf8Next(string->view(), &at));
  const int64_t unit = widest < 0x100 ? 1 : widest < 0x10000 ? 2 : 4;
  return 72 + (int64_t{string->length} + 1) * unit;
}

int64_t SizeOf(Value v) {
  if (IsInt(v)) return 24 + (IntBitLength(v) + 29) / 30 * 4;
  if (!v.IsObject()) return v.IsFloat() ? 24 : 16;
  switch (v.object()->type) {
    case Type::kString:
      return SizeOfText(As<String>(v));
    case Type::kBytes:
      return 33 + int64_t{As<BytesObject>(v)->size};
    case Type::kByteArray:
      return 56 + int64_t{As<ByteArray>(v)->capacity};
    case Type::kTuple:
      return 24 + 8 * int64_t{As<Tuple>(v)->size};
    case Type::kList:
      return 40 + 8 * int64_t{As<List>(v)->capacity};
    case Type::kDict:
      return 48 + static_cast<int64_t>(DictBytes(As<Dict>(v)));
    case Type::kSet:
    case Type::kFrozenSet:
      return 200 + static_cast<int64_t>(DictBytes(As<Dict>(v)));
    case Type::kFunction:
      return 136;
    case Type::kClass:
      return 1048;
    default:
      return 32;
  }
}
Value SizeOfObject(Vm& vm, Args& args) {
  if (!Expect(vm, args, "__sizeof__", 1, 1)) return Value();
  if (IsStr(args[0]) && !vm.ChargeSteps(As<String>(args[0])->size / 16)) return Value();
  return vm.NewInt(SizeOf(args[0]));
}

// (function, (args...), position): the last when there is one.
Value Remade(Vm& vm, Value function, const Value* args, size_t count, Value position = Value()) {
  const Value tuple = vm.NewTuple(args, count);
  const Value parts[] = {function, tuple, position};
  return function.empty() || tuple.empty() ? Value() : vm.NewTuple(parts, position.empty() ? 2 : 3);
}

Value Named(Vm& vm, const char* name) {
  String* text = vm.Intern(name);
  const Value* found = text == nullptr ? nullptr : vm.DictFindString(vm.builtins, text);
  return found == nullptr ? Value() : *found;
}

// Of zip, map, filter, enumerate: the class with what it was made of.
Value ReduceCombined(Vm& vm, const Iterator* it) {
  const Value cls = Value::Of(vm.ClassOfIterator(it));
  if (it->kind() == IteratorKind::kEnumerate) {
    const Value args[] = {it->source, it->extra.empty() ? vm.NewInt(it->index) : it->extra};
    return Remade(vm, cls, args, 2);
  }
  if (it->kind() == IteratorKind::kFilter) {
    const Value args[] = {it->source, it->extra};
    return Remade(vm, cls, args, 2);
  }
  const auto* iterators = As<Tuple>(it->extra);
  if (it->kind() == IteratorKind::kZip)
    return Remade(vm, cls, iterators->items, iterators->size,
                  it->source.IsTrue() ? Value::Bool(true) : Value());
  const Value list = vm.NewList(&it->source, 1);
  for (uint32_t i = 0; !list.empty() && i < iterators->size; ++i)
    if (!vm.Append(As<List>(list), iterators->items[i])) return Value();
  return list.empty() ? list : Remade(vm, cls, As<List>(list)->items, As<List>(list)->size);
}

// An iterator over a range that begins with the next item.
Value ReduceRange(Vm& vm, const Iterator* it) {
  Value start = it->extra, stop, step;
  if (it->kind() == IteratorKind::kWideRange) {
    const Value* parts = Cast<WideRange>(As<Range>(it->source))->part;
    stop = parts[1];
    step = parts[2];
  } else {
    start = vm.NewInt(it->index);
    step = vm.NewInt(it->step);
    const Value left = vm.NewInt(it->stop);
    const Value way = start.empty() || step.empty() || left.empty()
                          ? Value()
                          : IntBinary(vm, static_cast<int>(Operator::kMul), left, step);
    stop = way.empty() ? way : IntBinary(vm, static_cast<int>(Operator::kAdd), start, way);
  }
  const Value range = stop.empty() ? stop : RangeOfIntegers(vm, start, stop, step);
  const bool wide = it->kind() == IteratorKind::kWideRange;
  return range.empty()
             ? range
             : Remade(vm, Named(vm, "iter"), &range, 1, wide ? Value() : Value::SmallInt(0));
}

Value ReduceEntries(Vm& vm, const Iterator* it) {
  const Value list = vm.NewList(nullptr, 0), copy = vm.NewIterator(it->kind(), it->source);
  if (list.empty() || copy.empty()) return Value();
  As<Iterator>(copy)->index = it->index;
  As<Iterator>(copy)->step = it->step;
  As<Iterator>(copy)->stop = it->stop;
  return vm.Extend(As<List>(list), copy) ? Remade(vm, Named(vm, "iter"), &list, 1) : Value();
}

Value ReduceIterator(Vm& vm, Args& args) {
  if (!Expect(vm, args, "__reduce__", 1, 1)) return Value();
  const auto* it = As<Iterator>(args[0]);
  int64_t index = it->index;
  switch (it->kind()) {
    case IteratorKind::kRange:
    case IteratorKind::kWideRange:
      return ReduceRange(vm, it);
    case IteratorKind::kDictKeys:
    case IteratorKind::kDictValues:
    case IteratorKind::kDictItems:
      return ReduceEntries(vm, it);
    case IteratorKind::kEnumerate:
    case IteratorKind::kZip:
    case IteratorKind::kMap:
    case IteratorKind::kFilter:
      return ReduceCombined(vm, it);
    case IteratorKind::kCallable: {
      const Value pair[] = {it->source, it->extra};
      return Remade(vm, Named(vm, "iter"), pair, 2);
    }
    case IteratorKind::kReversed:
      return Remade(vm, Named(vm, "reversed"), index < 0 ? &vm.empty_tuple : &it->source, 1,
                    index < 0 ? Value() : vm.NewInt(index));
    case IteratorKind::kString:
      if (!vm.ChargeSteps(index / 64)) return Value();
      index = 0;
      for (const char c : As<String>(it->source)->view().substr(0, static_cast<size_t>(it->index)))
        index += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      [[fallthrough]];
    case IteratorKind::kList:
    case IteratorKind::kTuple:
    case IteratorKind::kBytes:
    case IteratorKind::kSequence: {
      const Value list = index == INT64_MAX ? vm.NewList(nullptr, 0) : it->source;
      return list.empty() ? list
                          : Remade(vm, Named(vm, "iter"), &list, 1,
                                   index == INT64_MAX ? Value() : vm.NewInt(index));
    }
    default:
      return vm.Throw(Error::kTypeError, "cannot pickle '{}' object", vm.TypeName(args[0]));
  }
}

Value SetStateOfIterator(Vm& vm, Args& args) {
  int64_t index, length;
  if (!Expect(vm, args, "__setstate__", 2, 2)) return Value();
  auto* it = As<Iterator>(args[0]);
  if (it->kind() == IteratorKind::kZip) {
    it->source = Value::Bool(args[1].IsTrue());
    return Value::None();
  }
  if (!vm.ToIndex(args[1], &index, "index", true)) return Value();
  index = std::max<int64_t>(index, 0);
  switch (it->kind()) {
    case IteratorKind::kRange:
      index = std::min(index, it->stop);
      it->stop -= index;
      if (it->stop > 0) it->index += index * it->step;
      break;
    case IteratorKind::kReversed:
    case IteratorKind::kList:
    case IteratorKind::kTuple:
    case IteratorKind::kBytes:
    case IteratorKind::kString:
      if (it->index == INT64_MAX || it->index < 0) break;
      if (!vm.Length(it->source, &length)) return Value();
      if (it->kind() == IteratorKind::kReversed)
        it->index = std::min(index, length - 1);
      else
        it->index = std::min(index, length);
      if (it->kind() == IteratorKind::kString)
        it->index = static_cast<int64_t>(
            vm.OffsetOf(As<String>(it->source), static_cast<size_t>(it->index)));
      break;
    case IteratorKind::kSequence:
      if (it->index != INT64_MAX) it->index = index;
      break;
    default:
      return vm.NoAttribute(args[0], vm.Intern("__setstate__"));
  }
  return Value::None();
}

Value NewArguments(Vm& vm, Args& args) {
  if (!Expect(vm, args, "__getnewargs__", 1, 1)) return Value();
  const Value plain = IsStr(args[0])
                          ? vm.NewString(Text(args[0]))
                          : vm.NewTuple(As<Tuple>(args[0])->items, As<Tuple>(args[0])->size);
  return plain.empty() ? plain : vm.NewTuple(&plain, 1);
}

Value NewCellOf(Vm& vm, Args& args) {
  return Expect(vm, args, "cell", 0, 1) ? vm.NewCell(args.count == 0 ? Value() : args[0]) : Value();
}

constexpr BuiltinRow kIterator[] = {{"__reduce__", ReduceIterator, true},
                                    {"__setstate__", SetStateOfIterator, true}};
constexpr BuiltinRow kArguments[] = {{"__getnewargs__", NewArguments}};
constexpr BuiltinRow kCell[] = {{"__new__", NewCellOf}};

}  // namespace

bool InstallReduce(Vm& vm) {
  Class* object = vm.classes[kObjectClass];
  for (Class* cls : vm.iterators)
    if (!AddMethods(vm, cls, kIterator)) return false;
  for (Type type : {Type::kString, Type::kTuple})
    if (!AddMethods(vm, vm.classes[static_cast<int>(type)], kArguments)) return false;
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kCell)], kCell) &&
         AddWrapper(vm, object, "__reduce__", Reduce) &&
         AddWrapper(vm, object, "__reduce_ex__", ReduceEx) &&
         AddWrapper(vm, object, "__getstate__", GetState) &&
         AddWrapper(vm, object, "__sizeof__", SizeOfObject);
}

}  // namespace ferry::vm
