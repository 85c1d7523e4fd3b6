// Value: one 64-bit word for every value of a script. Doubles are stored as they are, integers of
// 48 bits and pointers to heap objects in the space of negative NaNs. Source of the idea:
// NaN-boxing in LuaJIT.
//
//   top 16 bits   0x0000..0xFFF8  a double (a NaN is 0x7FF8 or 0xFFF8)
//                 0xFFFA          pointer to an Object of the isolate's heap
//                 0xFFFB          None, True, False, or the empty mark
//                 0xFFFF          integer, 48 bits, two's complement (larger ones are heap objects)
#pragma once

#include <bit>
#include <cstdint>

namespace ferry::vm {

struct Object;

// Trivial to copy; owns nothing. A Value that refers to an object is good until the isolate
// collects: see isolate.h for when that may be.
class Value {
 public:
  constexpr Value() : bits_(kEmptyBits) {}
  static constexpr Value Empty() { return Value(); }
  static constexpr Value None() { return Value(kNoneBits); }
  static constexpr Value Bool(bool b) { return Value(b ? kTrueBits : kFalseBits); }
  // `i` must fit: see FitsInt.
  static constexpr Value SmallInt(int64_t i) {
    return Value(kIntTag | (static_cast<uint64_t>(i) & kPayload));
  }
  static Value Float(double d) { return d != d ? OfNan(d) : Value(std::bit_cast<uint64_t>(d)); }
  // NaNs that differ from each other and from those that arithmetic makes.
  static Value NewNan(uint32_t number, bool negative) {
    return Value((negative ? kSign : 0) | kNanBits | kMadeNan << 32 | number);
  }
  // The double as other programs know it: NewNan's payload is none.
  static double Outside(double d) {
    const auto bits = std::bit_cast<uint64_t>(d);
    return (bits & ~kSign) >> 32 == (kNanBits >> 32 | kMadeNan)
               ? std::bit_cast<double>((bits & kSign) | kNanBits)
               : d;
  }
  // What arithmetic on the doubles of values gives: its NaNs need no look, they are no tags.
  static Value FloatResult(double d) { return Value(std::bit_cast<uint64_t>(d)); }
  static Value Of(const Object* object) {
    return Value(kObjectTag | (reinterpret_cast<uint64_t>(object) & kPayload));
  }

  static constexpr bool FitsInt(int64_t i) { return i >= kMinInt && i <= kMaxInt; }
  static constexpr int64_t kMaxInt = (int64_t{1} << 47) - 1;
  static constexpr int64_t kMinInt = -(int64_t{1} << 47);

  // The empty mark is no value of a script: "not set", and "failed" where functions return a Value.
  constexpr bool empty() const { return bits_ == kEmptyBits; }
  constexpr bool IsNone() const { return bits_ == kNoneBits; }
  constexpr bool IsBool() const { return bits_ == kTrueBits || bits_ == kFalseBits; }
  constexpr bool IsTrue() const { return bits_ == kTrueBits; }
  constexpr bool IsFalse() const { return bits_ == kFalseBits; }
  constexpr bool IsFloat() const { return bits_ < kObjectTag; }
  // A small integer; bool and big integers are not.
  constexpr bool IsSmallInt() const { return bits_ >= kIntTag; }
  constexpr bool IsObject() const { return (bits_ >> 48) == (kObjectTag >> 48); }

  // A small integer times 65536: sums, differences and products of such words overflow exactly when
  // the integers leave 48 bits.
  constexpr int64_t ShiftedInt() const { return static_cast<int64_t>(bits_ << 16); }
  static constexpr Value FromShifted(int64_t i) {
    return Value(kIntTag | static_cast<uint64_t>(i) >> 16);
  }
  constexpr int64_t AsSmallInt() const { return static_cast<int64_t>(bits_ << 16) >> 16; }
  double AsFloat() const { return std::bit_cast<double>(bits_); }
  Object* object() const { return reinterpret_cast<Object*>(bits_ & kPayload); }
  constexpr uint64_t bits() const { return bits_; }

  static constexpr bool BothInt(Value a, Value b) { return (a.bits_ & b.bits_) >= kIntTag; }
  // Whether it is the same word: identity (`is`), not equality.
  friend constexpr bool operator==(Value a, Value b) = default;

  // ---- number/real.cc ----
  // A NaN, which is identical only to copies of itself: sign and payload stay.
  [[gnu::cold]] static Value OfNan(double d);

  // ---- state ----

 private:
  explicit constexpr Value(uint64_t bits) : bits_(bits) {}
  static constexpr uint64_t kPayload = (uint64_t{1} << 48) - 1;
  static constexpr uint64_t kObjectTag = uint64_t{0xFFFA} << 48;
  static constexpr uint64_t kImmediateTag = uint64_t{0xFFFB} << 48;
  static constexpr uint64_t kIntTag = uint64_t{0xFFFF} << 48;
  static constexpr uint64_t kEmptyBits = kImmediateTag;
  static constexpr uint64_t kNoneBits = kImmediateTag | 1;
  static constexpr uint64_t kFalseBits = kImmediateTag | 2;
  static constexpr uint64_t kTrueBits = kImmediateTag | 3;
  static constexpr uint64_t kNanBits = uint64_t{0x7FF8} << 48;
  static constexpr uint64_t kSign = uint64_t{1} << 63;
  static constexpr uint64_t kMadeNan = 0xFE44;  // what no one else is likely to have there
  uint64_t bits_;
};
static_assert(sizeof(Value) == 8);

}  // namespace ferry::vm
