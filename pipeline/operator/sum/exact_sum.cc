#include "pipeline/operator/sum/exact_sum.h"

#include <bit>
#include <cmath>
#include <limits>

namespace ferry::operators {
namespace {

using Wide = __int128;
using UnsignedWide = unsigned __int128;

constexpr int kFixedUnit = 80;          // fixed_ counts 2^-80
constexpr int kFixedHighest = 40;       // doubles from 2^40 on go to the long accumulator
constexpr uint32_t kMaxAdds = 1 << 28;  // digits of 32 bits in 64 take so many before a carry

UnsignedWide Magnitude(Wide value) {
  return value < 0 ? UnsignedWide{0} - static_cast<UnsignedWide>(value)
                   : static_cast<UnsignedWide>(value);
}

// |value| = mantissa * 2^exponent.
struct Parts {
  uint64_t mantissa;
  int exponent;
};
Parts Split(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  return biased == 0 ? Parts{fraction, -1074} : Parts{fraction | uint64_t{1} << 52, biased - 1075};
}

void SaveWide(Wide value, ByteWriter* out) {
  out->U64(static_cast<uint64_t>(static_cast<UnsignedWide>(value)));
  out->U64(static_cast<uint64_t>(static_cast<UnsignedWide>(value) >> 64));
}
Wide LoadWide(ByteReader* in) {
  const UnsignedWide low = in->U64();
  return static_cast<Wide>(low | static_cast<UnsignedWide>(in->U64()) << 64);
}

}  // namespace

void LongAccumulator::Add(unsigned __int128 magnitude, bool negative, int position) {
  if (++adds_ >= kMaxAdds) Carry();
  auto at = static_cast<size_t>(position / 32);
  const int shift = position % 32;
  // The lowest digit takes 32 - shift bits, the others 32 each.
  uint64_t part = (static_cast<uint64_t>(magnitude) << shift) & 0xffffffff;
  magnitude >>= 32 - shift;
  for (;;) {
    digits_[at++] += negative ? -static_cast<int64_t>(part) : static_cast<int64_t>(part);
    if (magnitude == 0 || at == kDigits) return;
    part = static_cast<uint64_t>(magnitude) & 0xffffffff;
    magnitude >>= 32;
  }
}

void LongAccumulator::Carry() {
  int64_t carry = 0;
  for (size_t k = 0; k + 1 < kDigits; ++k) {
    const int64_t digit = digits_[k] + carry;
    digits_[k] = digit & 0xffffffff;
    carry = digit >> 32;  // rounds down, so digits stay from 0 to 2^32 - 1
  }
  digits_[kDigits - 1] += carry;  // its sign is the sum's
  adds_ = 0;
}

void LongAccumulator::Merge(LongAccumulator other) {
  other.Carry();
  Carry();
  for (size_t k = 0; k < kDigits; ++k) digits_[k] += other.digits_[k];
  adds_ = 2;
}

bool LongAccumulator::zero() const {
  LongAccumulator copy = *this;
  copy.Carry();
  for (const int64_t digit : copy.digits_)
    if (digit != 0) return false;
  return true;
}

double LongAccumulator::Round() const {
  LongAccumulator copy = *this;
  copy.Carry();
  const bool negative = copy.digits_[kDigits - 1] < 0;
  if (negative) {
    for (int64_t& digit : copy.digits_) digit = -digit;
    copy.Carry();
  }
  size_t top = kDigits;
  while (top > 0 && copy.digits_[top - 1] == 0) --top;
  if (top == 0) return 0;
  const int highest = static_cast<int>(32 * top) - 1 -
                      std::countl_zero(static_cast<uint32_t>(copy.digits_[top - 1] & 0xffffffff));
  const auto bit = [&copy](int at) {
    return at >= 0 && (copy.digits_[static_cast<size_t>(at / 32)] >> (at % 32) & 1) != 0;
  };
  const int lowest = std::max(highest - 52, 0);  // of the mantissa; small ones keep fewer bits
  uint64_t mantissa = 0;
  for (int at = highest; at >= lowest; --at) mantissa = mantissa << 1 | (bit(at) ? 1 : 0);
  if (bit(lowest - 1)) {
    bool more = (mantissa & 1) != 0;
    for (int at = 0; !more && at < lowest - 1; ++at) more = bit(at);
    if (more) ++mantissa;
  }
  const double value = std::ldexp(static_cast<double>(mantissa), lowest - kLowest);
  return negative ? -value : value;
}

void LongAccumulator::Save(ByteWriter* out) const {
  LongAccumulator copy = *this;
  copy.Carry();
  for (const int64_t digit : copy.digits_) out->I64(digit);
}

void LongAccumulator::Load(ByteReader* in) {
  for (int64_t& digit : digits_) digit = in->I64();
  for (size_t k = 0; k + 1 < kDigits; ++k) digits_[k] &= 0xffffffff;
  digits_[kDigits - 1] = static_cast<int32_t>(digits_[kDigits - 1]);
  adds_ = 0;
}

LongAccumulator& ExactSum::Long() {
  if (long_ == nullptr) long_ = std::make_unique<LongAccumulator>();
  return *long_;
}

void ExactSum::Put(const Json& value, bool remove) {
  count_ += remove ? -1 : 1;
  Wide number = 0;
  if (const auto* u = value.get_ptr<const Json::number_unsigned_t*>()) {
    number = *u;
  } else if (const auto* i = value.get_ptr<const Json::number_integer_t*>()) {
    number = *i;
  } else if (const auto* d = value.get_ptr<const Json::number_float_t*>()) {
    doubles_ += remove ? -1 : 1;
    return PutDouble(*d, remove);
  }
  whole_ += remove ? -number : number;
}

void ExactSum::PutDouble(double value, bool remove) {
  if (!std::isfinite(value)) return;  // JSON has none
  const Parts parts = Split(value);
  const bool negative = std::signbit(value) != remove;
  const int shift = parts.exponent + kFixedUnit;
  if (shift >= 0 && parts.exponent + 53 <= kFixedHighest) {
    const Wide number = static_cast<Wide>(UnsignedWide{parts.mantissa} << shift);
    Wide sum = 0;
    if (!__builtin_add_overflow(fixed_, negative ? -number : number, &sum)) {
      fixed_ = sum;
      return;
    }
    Long().Add(Magnitude(fixed_), fixed_ < 0, LongAccumulator::kLowest - kFixedUnit);
    fixed_ = negative ? -number : number;
    return;
  }
  if (parts.mantissa != 0)
    Long().Add(parts.mantissa, negative, parts.exponent + LongAccumulator::kLowest);
}

void ExactSum::Merge(const ExactSum& other) {
  count_ += other.count_;
  doubles_ += other.doubles_;
  whole_ += other.whole_;
  if (other.long_ != nullptr) Long().Merge(*other.long_);
  Wide sum = 0;
  if (!__builtin_add_overflow(fixed_, other.fixed_, &sum)) {
    fixed_ = sum;
    return;
  }
  Long().Add(Magnitude(other.fixed_), other.fixed_ < 0, LongAccumulator::kLowest - kFixedUnit);
}

void ExactSum::Reset() {
  whole_ = fixed_ = 0;
  long_ = nullptr;
  count_ = doubles_ = 0;
}

double ExactSum::Rounded() const {
  if (long_ == nullptr && fixed_ == 0) return static_cast<double>(whole_);
  if (long_ == nullptr && whole_ == 0) return std::ldexp(static_cast<double>(fixed_), -kFixedUnit);
  LongAccumulator all = long_ == nullptr ? LongAccumulator() : *long_;
  if (whole_ != 0) all.Add(Magnitude(whole_), whole_ < 0, LongAccumulator::kLowest);
  if (fixed_ != 0) all.Add(Magnitude(fixed_), fixed_ < 0, LongAccumulator::kLowest - kFixedUnit);
  return all.Round();
}

Json ExactSum::Value() const {
  if (count_ == 0) return nullptr;
  if (doubles_ == 0) {
    if (whole_ >= std::numeric_limits<int64_t>::min() &&
        whole_ <= std::numeric_limits<int64_t>::max())
      return static_cast<int64_t>(whole_);
    if (whole_ > 0 && whole_ <= std::numeric_limits<uint64_t>::max())
      return static_cast<uint64_t>(whole_);
  }
  const double rounded = Rounded();
  return std::isfinite(rounded) ? Json(rounded) : Json(nullptr);
}

void ExactSum::Save(ByteWriter* out) const {
  out->I64(count_);
  out->I64(doubles_);
  SaveWide(whole_, out);
  SaveWide(fixed_, out);
  out->U64(long_ != nullptr ? 1 : 0);
  if (long_ != nullptr) long_->Save(out);
}

void ExactSum::Load(ByteReader* in) {
  Reset();
  count_ = in->I64();
  doubles_ = in->I64();
  whole_ = LoadWide(in);
  fixed_ = LoadWide(in);
  if (in->U64() != 0) Long().Load(in);
}

}  // namespace ferry::operators
