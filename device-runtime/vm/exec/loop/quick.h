// The ways of the interpreter's loop that run no script, raise nothing and allocate nothing: they
// say that they do not know, and then the general way is taken.
#pragma once

#include <cstring>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// a ** b; false: it is no small integer.
inline bool QuickPower(int64_t a, int64_t b, Value* out) {
  if (b < 0 || b > 62) return false;
  int64_t power = 1;
  for (;; b >>= 1) {
    if ((b & 1) != 0 && __builtin_mul_overflow(power, a, &power)) return false;
    if (b <= 1) break;
    if (__builtin_mul_overflow(a, a, &a)) return false;
  }
  if (!Value::FitsInt(power)) return false;
  *out = Value::SmallInt(power);
  return true;
}

// x op y of small integers; false: not an operator of these, or the result is no small integer.
inline bool QuickInt(Operator op, Value x, Value y, Value* out) {
  const int64_t a = x.AsSmallInt(), b = y.AsSmallInt();
  int64_t r;
  switch (op) {
    case Operator::kAdd:
      if (__builtin_add_overflow(x.ShiftedInt(), y.ShiftedInt(), &r)) return false;
      *out = Value::FromShifted(r);
      return true;
    case Operator::kSub:
      if (__builtin_sub_overflow(x.ShiftedInt(), y.ShiftedInt(), &r)) return false;
      *out = Value::FromShifted(r);
      return true;
    case Operator::kMul:
      if (__builtin_mul_overflow(x.ShiftedInt(), b, &r)) return false;
      *out = Value::FromShifted(r);
      return true;
    case Operator::kDiv:
      if (b == 0) return false;
      *out = Value::FloatResult(static_cast<double>(a) / static_cast<double>(b));
      return true;
    case Operator::kFloorDiv:
      if (b <= 0) return false;
      if ((static_cast<uint64_t>(a | b) >> 32) == 0) {  // the short division is quicker
        *out = Value::SmallInt(static_cast<uint32_t>(a) / static_cast<uint32_t>(b));
      } else {
        *out = Value::SmallInt(a >= 0 ? a / b : -((-a + b - 1) / b));
      }
      return true;
    case Operator::kMod:
      if (b <= 0) return false;
      if ((static_cast<uint64_t>(a | b) >> 32) == 0) {
        *out = Value::SmallInt(static_cast<uint32_t>(a) % static_cast<uint32_t>(b));
      } else {
        r = a % b;
        *out = Value::SmallInt(r < 0 ? r + b : r);
      }
      return true;
    case Operator::kAnd:
      *out = Value::SmallInt(a & b);
      return true;
    case Operator::kOr:
      *out = Value::SmallInt(a | b);
      return true;
    case Operator::kXor:
      *out = Value::SmallInt(a ^ b);
      return true;
    case Operator::kLeft:
      if (b < 0 || b > 46 || a > Value::kMaxInt >> b || a < Value::kMinInt >> b) return false;
      *out = Value::SmallInt(a * (int64_t{1} << b));
      return true;
    case Operator::kRight:
      if (b < 0) return false;
      *out = Value::SmallInt(a >> (b > 63 ? 63 : b));
      return true;
    case Operator::kPow:
      return QuickPower(a, b, out);
    default:
      return false;
  }
}

// x op y of doubles; false: not an operator of these, or a division by zero.
inline bool QuickDouble(Operator op, double a, double b, Value* out) {
  switch (op) {
    case Operator::kAdd:
      *out = Value::FloatResult(a + b);
      return true;
    case Operator::kSub:
      *out = Value::FloatResult(a - b);
      return true;
    case Operator::kMul:
      *out = Value::FloatResult(a * b);
      return true;
    case Operator::kDiv:
      if (b == 0) return false;
      *out = Value::FloatResult(a / b);
      return true;
    default:
      return false;
  }
}

// x op y of small integers and floats; false: of others, or as above.
inline bool QuickNumber(Operator op, Value x, Value y, Value* out) {
  if (Value::BothInt(x, y)) [[likely]]
    return QuickInt(op, x, y, out);
  if (x.IsFloat()) {
    if (y.IsFloat()) return QuickDouble(op, x.AsFloat(), y.AsFloat(), out);
    return y.IsSmallInt() && QuickDouble(op, x.AsFloat(), static_cast<double>(y.AsSmallInt()), out);
  }
  return y.IsFloat() && x.IsSmallInt() &&
         QuickDouble(op, static_cast<double>(x.AsSmallInt()), y.AsFloat(), out);
}

inline bool IsExactString(Value v) {
  return IsExact(v, Type::kString);
}
// Whether isinstance() of the class may run a script.
inline bool HasInstanceHook(const Class* cls) {
  return cls->meta != nullptr;
}

// Whether x and y are equal, if that is plain to see.
inline bool QuickEqual(Value x, Value y, bool* equal) {
  if (Value::BothInt(x, y)) {
    *equal = x == y;
    return true;
  }
  if (x.IsFloat() || y.IsFloat()) {
    if (!x.IsFloat() || !y.IsFloat()) return false;
    *equal = x.AsFloat() == y.AsFloat();
    return true;
  }
  if (IsExactString(x) && IsExactString(y)) {
    const auto *a = As<String>(x), *b = As<String>(y);
    // Long ones cost steps, which EqualPlain counts.
    if (a != b && a->size == b->size && a->size >= 64) return false;
    *equal =
        a == b || (a->size == b->size && (a->hash == b->hash || a->hash == 0 || b->hash == 0) &&
                   *a->data == *b->data && std::memcmp(a->data, b->data, a->size) == 0);
    return true;
  }
  if (x.IsNone() || y.IsNone()) {
    if (x.IsObject() || y.IsObject()) return false;  // it may have an __eq__
    *equal = x == y;
    return true;
  }
  return false;
}

// Whether x < y, if that is plain to see.
inline bool QuickLess(Value x, Value y, bool* less) {
  if (Value::BothInt(x, y)) {
    *less = x.ShiftedInt() < y.ShiftedInt();
    return true;
  }
  if (x.IsFloat() && y.IsFloat()) {
    *less = x.AsFloat() < y.AsFloat();
    return true;
  }
  if (!IsExactString(x) || !IsExactString(y)) return false;
  const auto *a = As<String>(x), *b = As<String>(y);
  const uint32_t both = a->size < b->size ? a->size : b->size;
  if (both >= 64) return false;  // these cost steps
  if (both > 0 && *a->data != *b->data) {
    *less = static_cast<unsigned char>(*a->data) < static_cast<unsigned char>(*b->data);
    return true;
  }
  const int order = std::memcmp(a->data, b->data, both);
  *less = order < 0 || (order == 0 && a->size < b->size);
  return true;
}

// Whether x op y for an operator of order, if that is plain to see.
inline bool QuickOrder(Operator op, Value x, Value y, bool* truth) {
  const bool swap = op == Operator::kGreater || op == Operator::kLessEqual;
  if (!QuickLess(swap ? y : x, swap ? x : y, truth)) return false;
  if (op == Operator::kLess || op == Operator::kGreater) return true;
  if (x.IsFloat() && (x.AsFloat() != x.AsFloat() || y.AsFloat() != y.AsFloat())) return false;
  *truth = !*truth;
  return true;
}

// Compares as collections do: what is identical is equal, a NaN too. false: it failed. Scripts may
// run.
inline bool SameOrEqual(Vm& vm, Value x, Value y, bool* equal) {
  *equal = x == y;
  return *equal || QuickEqual(x, y, equal) || vm.Equal(x, y, equal);
}

// Places of a table that a search may look at for nothing. Keys that are spread as hashes spread
// them need fewer; a script can choose keys that do not, and pays a step for each place more.
inline constexpr uint32_t kFreeProbes = 64;

// Takes the steps of a search, or of several, that looked at so many places beyond the free ones.
// It cannot fail: whoever counts steps next finds the slice used up.
inline void PayProbes(Vm& vm, uint64_t beyond) {
  vm.steps_slice -= static_cast<int64_t>(beyond);
}
// The same of one search that looked at so many places.
inline void PaySearch(Vm& vm, uint64_t places) {
  if (places > kFreeProbes) [[unlikely]]
    PayProbes(vm, places - kFreeProbes);
}

// The entry of a string whose hash is known, or of a small integer. *known: whether the answer is
// sure; keys of other kinds, and searches beyond the free places, need Vm::DictFind.
inline Entry* QuickFind(const Dict* dict, Value key, bool* known) {
  uint64_t hash;
  *known = true;
  const bool text = IsExactString(key);
  if (text) {
    hash = As<String>(key)->hash;
    if (hash == 0) {
      *known = false;
      return nullptr;
    }
  } else if (key.IsSmallInt()) {
    hash = HashOfInt(key.AsSmallInt());
  } else {
    *known = false;
    return nullptr;
  }
  if (dict->count == 0) return nullptr;
  const uint32_t mask = dict->capacity * 2 - 1, home = static_cast<uint32_t>(hash) & mask;
  for (uint32_t at = home; ((at - home) & mask) < kFreeProbes; at = (at + 1) & mask) {
    const uint32_t number = dict->index[at];
    if (number == 0) {
      *known = !dict->keyed();
      return nullptr;
    }
    Entry& entry = dict->entries[number - 1];
    if (entry.key == key) return &entry;
    if (entry.hash != hash) continue;
    if (!text || !IsExactString(entry.key)) break;
    const auto *a = As<String>(key), *b = As<String>(entry.key);
    if (a->size == b->size && std::memcmp(a->data, b->data, a->size) == 0) return &entry;
  }
  *known = false;
  return nullptr;
}

// The truth of built-in values whose truth is plain to see; false: it is not.
inline bool QuickTruth(Value v, bool* truth) {
  if (v.IsSmallInt()) {
    *truth = v.AsSmallInt() != 0;
  } else if (v.IsNone()) {
    *truth = false;
  } else if (v.IsFloat()) {
    *truth = v.AsFloat() != 0;
  } else if (IsExact(v, Type::kList)) {
    *truth = As<List>(v)->size != 0;
  } else if (IsExact(v, Type::kString)) {
    *truth = As<String>(v)->size != 0;
  } else if (IsExact(v, Type::kTuple)) {
    *truth = As<Tuple>(v)->size != 0;
  } else if (IsExact(v, Type::kDict)) {
    *truth = As<Dict>(v)->count != 0;
  } else {
    return false;
  }
  return true;
}

// The byte of bytes or bytearray where `i` says; null: neither, or outside.
inline unsigned char* QuickByte(Value v, int64_t i) {
  if (IsExact(v, Type::kBytes)) {
    auto* bytes = As<BytesObject>(v);
    if (i < 0) i += bytes->size;
    return i >= 0 && i < bytes->size ? reinterpret_cast<unsigned char*>(bytes->data) + i : nullptr;
  }
  if (!IsExact(v, Type::kByteArray)) return nullptr;
  auto* bytes = As<ByteArray>(v);
  if (i < 0) i += bytes->size;
  return i >= 0 && i < bytes->size ? reinterpret_cast<unsigned char*>(bytes->data) + i : nullptr;
}

// The header of a built-in iterator, outside of collections: the loop knows by one comparison what
// it has before it.
inline constexpr uint64_t HeadOf(IteratorKind kind) {
  constexpr uint64_t kSizeClass = (sizeof(Iterator) + kGranule - 1) / kGranule;
  return uint64_t{static_cast<uint32_t>(kind)} << 32 | kSizeClass << 16 |
         static_cast<uint64_t>(Type::kIterator);
}
inline constexpr uint64_t kRangeHead = HeadOf(IteratorKind::kRange);
inline constexpr uint64_t kListHead = HeadOf(IteratorKind::kList);
inline constexpr uint64_t kTupleHead = HeadOf(IteratorKind::kTuple);

enum class Quick : uint8_t { kItem, kEnd, kUnknown };

// The next value of an iterator over a list, tuple, range, ASCII string or dict.
inline Quick QuickNext(const Vm& vm, Iterator* it, Value* out) {
  switch (it->kind()) {
    case IteratorKind::kRange:
      if (it->stop == 0) return Quick::kEnd;
      if (!Value::FitsInt(it->index)) return Quick::kUnknown;
      *out = Value::SmallInt(it->index);
      if (--it->stop > 0) it->index += it->step;
      return Quick::kItem;
    case IteratorKind::kList: {
      const auto* list = As<List>(it->source);
      if (it->index < list->size) {
        *out = list->items[it->index++];
        return Quick::kItem;
      }
      it->index = INT64_MAX;  // over for good, also when the list grows
      return Quick::kEnd;
    }
    case IteratorKind::kTuple: {
      const auto* tuple = As<Tuple>(it->source);
      if (it->index >= tuple->size) return Quick::kEnd;
      *out = tuple->items[it->index++];
      return Quick::kItem;
    }
    case IteratorKind::kString: {
      const auto* string = As<String>(it->source);
      if (it->index >= string->size) return Quick::kEnd;
      const auto c = static_cast<unsigned char>(string->data[it->index]);
      if (c >= 128) return Quick::kUnknown;
      ++it->index;
      *out = Value::Of(vm.characters[c]);
      return Quick::kItem;
    }
    case IteratorKind::kBytes:
    case IteratorKind::kSequence: {
      const unsigned char* byte = QuickByte(it->source, it->index);
      if (byte == nullptr) return Quick::kUnknown;
      ++it->index;
      *out = Value::SmallInt(*byte);
      return Quick::kItem;
    }
    case IteratorKind::kReversed: {
      if (it->index < 0 || !IsExact(it->source, Type::kList)) return Quick::kUnknown;
      const auto* list = As<List>(it->source);
      if (it->index >= list->size) return Quick::kUnknown;
      *out = list->items[it->index--];
      return Quick::kItem;
    }
    case IteratorKind::kDictKeys:
    case IteratorKind::kDictValues: {
      const auto* dict = As<Dict>(it->source);
      if (it->step != dict->count || it->index >= dict->used || it->index >= it->stop)
        return Quick::kUnknown;
      const Entry& entry = dict->entries[it->index];
      if (entry.key.empty()) return Quick::kUnknown;
      ++it->index;
      *out = it->kind() == IteratorKind::kDictKeys ? entry.key : entry.value;
      return Quick::kItem;
    }
    default:
      return Quick::kUnknown;
  }
}

// ---- exec/collections/iteration.cc ----
// The next item for natives; false: it is over, or failed, and then something is pending. Scripts
// may run.
bool Pull(Vm& vm, Value iterator, Value* item);

}  // namespace ferry::vm
