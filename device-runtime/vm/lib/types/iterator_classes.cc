#include "device-runtime/vm/lib/types/iterator_classes.h"

#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

// ORDER: IteratorClass.
constexpr const char* kNames[] = {"list_iterator",
                                  "tuple_iterator",
                                  "str_ascii_iterator",
                                  "str_iterator",
                                  "bytes_iterator",
                                  "dict_keyiterator",
                                  "dict_valueiterator",
                                  "dict_itemiterator",
                                  "set_iterator",
                                  "range_iterator",
                                  "iterator",
                                  "callable_iterator",
                                  "list_reverseiterator",
                                  "dict_reversekeyiterator",
                                  "longrange_iterator",
                                  "enumerate",
                                  "filter",
                                  "map",
                                  "reversed",
                                  "zip"};
static_assert(std::size(kNames) == static_cast<size_t>(IteratorClass::kCount));

IteratorClass ClassKind(const Iterator* it) {
  switch (it->kind()) {
    case IteratorKind::kList:
      return IteratorClass::kList;
    case IteratorKind::kTuple:
      return IteratorClass::kTuple;
    case IteratorKind::kString:
      return As<String>(it->source)->ascii() ? IteratorClass::kAsciiString : IteratorClass::kString;
    case IteratorKind::kBytes:
      return IteratorClass::kBytes;
    case IteratorKind::kDictKeys:
      return IsSet(it->source) ? IteratorClass::kSet : IteratorClass::kDictKeys;
    case IteratorKind::kDictValues:
      return IteratorClass::kDictValues;
    case IteratorKind::kDictItems:
      return IteratorClass::kDictItems;
    case IteratorKind::kRange:
      return IteratorClass::kRange;
    case IteratorKind::kWideRange:
      return IteratorClass::kLongRange;
    case IteratorKind::kEnumerate:
      return IteratorClass::kEnumerate;
    case IteratorKind::kZip:
      return IteratorClass::kZip;
    case IteratorKind::kMap:
      return IteratorClass::kMap;
    case IteratorKind::kFilter:
      return IteratorClass::kFilter;
    case IteratorKind::kReversed:
      return it->step == 1                      ? IteratorClass::kDictReversed
             : IsExact(it->source, Type::kList) ? IteratorClass::kListReversed
                                                : IteratorClass::kReversed;
    case IteratorKind::kCallable:
      return IteratorClass::kCallable;
    default:
      return IteratorClass::kSequence;
  }
}

Value Self(Vm&, Args& args) {
  return args[0];
}
Value NextOne(Vm& vm, Args& args) {
  const Value v = vm.Next(args[0]);
  if (v.empty() && !vm.failed()) vm.pending = vm.NewError(Error::kStopIteration);
  return v;
}

// Items left, where that is known.
Value LengthHint(Vm& vm, Args& args) {
  const auto* it = As<Iterator>(args[0]);
  int64_t length = 0;
  switch (it->kind()) {
    case IteratorKind::kRange:
      return vm.NewInt(it->stop);
    case IteratorKind::kWideRange:
      return LeftOfWideRange(vm, it);
    case IteratorKind::kReversed:
      return vm.NewInt(std::max<int64_t>(it->index + 1, 0));
    case IteratorKind::kDictKeys:
    case IteratorKind::kDictValues:
    case IteratorKind::kDictItems: {
      const auto* dict = As<Dict>(it->source);
      for (int64_t i = it->index; i < dict->used; ++i) length += !dict->entries[i].key.empty();
      return vm.ChargeSteps(length / 16) ? vm.NewInt(length) : Value();
    }
    case IteratorKind::kList:
    case IteratorKind::kTuple:
    case IteratorKind::kSequence:
      if (it->index == INT64_MAX) return Value::SmallInt(0);
      if (!vm.Length(it->source, &length)) return Value();
      return vm.NewInt(std::max<int64_t>(length - it->index, 0));
    case IteratorKind::kString: {
      const std::string_view rest = Text(it->source).substr(static_cast<size_t>(it->index));
      for (char c : rest) length += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      return vm.NewInt(length);
    }
    default:
      return vm.not_implemented;
  }
}
constexpr BuiltinRow kHint[] = {{"__length_hint__", LengthHint}};

}  // namespace

Class* Vm::ClassOfIterator(const Iterator* iterator) {
  if (iterator->kind() == IteratorKind::kAsyncStep) return classes[kAsyncStepClass];
  if (iterator->kind() == IteratorKind::kAwait) return classes[kAwaitClass];
  return iterators[static_cast<int>(ClassKind(iterator))];
}

bool MakeIteratorClasses(Vm& vm) {
  for (int i = 0; i < static_cast<int>(IteratorClass::kCount); ++i) {
    Class* cls = vm.NewClass(kNames[i], vm.classes[kObjectClass], Type::kIterator);
    if (cls == nullptr || !AddWrapper(vm, cls, "__iter__", Self) ||
        !AddWrapper(vm, cls, "__next__", NextOne) ||
        (i < static_cast<int>(IteratorClass::kEnumerate) && !AddMethods(vm, cls, kHint)))
      return false;
    cls->acceptable_base = false;
    vm.iterators[i] = cls;
  }
  return true;
}

}  // namespace ferry::vm
