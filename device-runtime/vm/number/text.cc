// Ints from and to digits.
#include <bit>
#include <cstring>

#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/operand.h"

namespace ferry::vm {
namespace {

constexpr Limb kPiece = 10'000'000'000'000'000'000u;  // the largest power of ten in a limb
constexpr size_t kPieceDigits = 19;
constexpr size_t kShortLimbs = 40;  // below, one piece after another is as fast as halving

const char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

bool TooManyDigits(Vm& vm, size_t digits, bool value_known) {
  vm.Throw(Error::kValueError,
           "Exceeds the limit ({} digits) for integer string conversion{}; use "
           "sys.set_int_max_str_digits() to increase the limit",
           vm.max_int_digits, value_known ? fmt::format(": value has {} digits", digits) : "");
  return false;
}

void AppendBinary(const Operand& n, int base, std::string* out) {
  const auto each = static_cast<size_t>(std::countr_zero(static_cast<unsigned>(base)));
  const size_t count = (n.bits() + each - 1) / each, before = out->size();
  out->resize(before + count);
  char* to = out->data() + before + count;
  for (size_t i = 0; i < count; ++i) {
    const size_t bit = i * each, at = bit / 64, shift = bit % 64;
    Limb digit = n.limbs[at] >> shift;
    if (shift + each > 64 && at + 1 < n.size) digit |= n.limbs[at + 1] << (64 - shift);
    *--to = kDigits[digit & (static_cast<Limb>(base) - 1)];
  }
}

// Exactly `width` decimal digits when it is not 0.
bool AppendShort(Vm& vm, const Operand& n, int base, size_t width, std::string* out) {
  if (!ChargeLimbs(vm, static_cast<int64_t>(n.size * n.size * 4))) return false;
  Scratch rest(vm, n.size + 1);
  if (rest.failed()) return false;
  std::memcpy(rest.data(), n.limbs, n.size * sizeof(Limb));
  Limb piece = kPiece;
  size_t each = kPieceDigits;
  if (base != 10)
    for (piece = 1, each = 0; piece <= ~Limb{0} / static_cast<Limb>(base); ++each)
      piece *= static_cast<Limb>(base);
  std::string reversed;
  for (size_t size = n.size; size > 0; size = TrimmedSize(rest.data(), size)) {
    Limb digits = DivSmall(rest.data(), size, piece);
    if (base == 10) {  // division by a constant is a product
      for (size_t i = 0; i < each; ++i, digits /= 10)
        reversed.push_back(static_cast<char>('0' + digits % 10));
      continue;
    }
    for (size_t i = 0; i < each; ++i, digits /= static_cast<Limb>(base))
      reversed.push_back(kDigits[digits % static_cast<Limb>(base)]);
  }
  while (reversed.size() > width && reversed.back() == '0') reversed.pop_back();
  if (reversed.size() < width) reversed.append(width - reversed.size(), '0');
  out->append(reversed.rbegin(), reversed.rend());
  return true;
}

// Halves at powers 10**(19 * 2**k), powers[k].
bool AppendLong(Vm& vm, Value v, size_t width, size_t level, const Value* powers,
                std::string* out) {
  const Operand n(v);
  if (level == 0 || n.size <= kShortLimbs) return AppendShort(vm, n, 10, width, out);
  const size_t low_width = kPieceDigits << (level - 1);
  Value high, low;
  if (!IntDivMod(vm, v, powers[level - 1], &high, &low, "")) return false;
  if (width == 0 && IntSign(high) == 0) return AppendLong(vm, low, 0, level - 1, powers, out);
  return AppendLong(vm, high, width == 0 ? 0 : width - low_width, level - 1, powers, out) &&
         AppendLong(vm, low, low_width, level - 1, powers, out);
}

bool AppendDecimal(Vm& vm, Value v, std::string* out) {
  const Operand n(v);
  // 64 bits are 19.26 digits: the number of digits is known nearly before they are made.
  const size_t least = n.size <= 1 ? 0 : (n.size - 1) * 19;
  const auto limit = static_cast<size_t>(vm.max_int_digits);
  if (limit != 0 && least > limit + 64) return TooManyDigits(vm, 0, false);
  if (n.size <= 2) {
    if (!ChargeLimbs(vm, static_cast<int64_t>(n.size * n.size * 4))) return false;
    unsigned __int128 left = n.limbs[0];
    if (n.size == 2) left |= static_cast<unsigned __int128>(n.limbs[1]) << 64;
    char digits[40];
    char* at = digits + sizeof digits;
    for (; left >> 64 != 0; left /= kPiece) {
      auto piece = static_cast<Limb>(left % kPiece);
      for (size_t i = 0; i < kPieceDigits; ++i, piece /= 10)
        *--at = static_cast<char>('0' + piece % 10);
    }
    for (auto piece = static_cast<Limb>(left); piece != 0; piece /= 10)
      *--at = static_cast<char>('0' + piece % 10);
    out->append(at, digits + sizeof digits);
    return true;
  }
  const size_t start = out->size();
  Value powers[40];
  size_t level = 0;
  Value magnitude = n.negative ? IntNegate(vm, v) : v;
  if (magnitude.empty()) return false;
  if (n.size > kShortLimbs) {
    Value power = vm.NewUnsigned(kPiece);
    for (; !power.empty() && IntCompare(power, magnitude) <= 0; ++level) {
      powers[level] = power;
      if (Operand(power).size * 2 > n.size + 2) {
        ++level;
        break;
      }
      power = IntBinary(vm, static_cast<int>(Operator::kMul), power, power);
    }
    if (power.empty()) return false;
  }
  if (!AppendLong(vm, magnitude, 0, level, powers, out)) return false;
  if (limit == 0 || out->size() - start <= limit) return true;
  out->resize(start);
  return TooManyDigits(vm, 0, false);
}

int DigitOf(char c) {
  const char low = static_cast<char>(c | 0x20);
  return c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'z' ? low - 'a' + 10 : 99;
}

}  // namespace

bool AppendInt(Vm& vm, Value v, int base, std::string* out) {
  const Operand n(v);
  if (n.zero()) {
    out->push_back('0');
    return true;
  }
  if (n.negative) out->push_back('-');
  const bool binary = std::has_single_bit(static_cast<unsigned>(base));
  const int64_t work =
      static_cast<int64_t>(binary ? n.bits() / 4 : n.size);  // a digit is a quarter
  if (n.size > 1 && !ChargeLimbs(vm, work)) return false;
  if (binary) {
    AppendBinary(n, base, out);
    return true;
  }
  return base == 10 ? AppendDecimal(vm, v, out) : AppendShort(vm, n, base, 0, out);
}

std::string IntToText(Vm& vm, Value v, int base) {
  std::string out;
  return AppendInt(vm, v, base, &out) ? out : std::string();
}

Value ParseInt(Vm& vm, std::string_view digits, int base) {
  const std::string_view whole = digits;
  const bool negative = !digits.empty() && digits[0] == '-';
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  bool good = !digits.empty();
  for (size_t i = 0; i < digits.size() && good; ++i) good = DigitOf(digits[i]) < base;
  if (!good)
    return vm.Throw(Error::kValueError, "invalid literal for int() with base {}: '{}'", base,
                    whole);
  const bool binary = std::has_single_bit(static_cast<unsigned>(base));
  if (!binary && vm.max_int_digits != 0 && digits.size() > static_cast<size_t>(vm.max_int_digits)) {
    TooManyDigits(vm, digits.size(), true);
    return Value();
  }
  const auto bits = static_cast<size_t>(std::bit_width(static_cast<unsigned>(base - 1)));
  if (digits.size() > kMaxBigIntLimbs * 64 / bits) return vm.TooLarge();
  Scratch limbs(vm, digits.size() * bits / 64 + 2);
  if (limbs.failed()) return Value();
  size_t size = 0;
  for (size_t i = 0; i < digits.size();) {
    Limb factor = 1, term = 0;
    for (; i < digits.size() && factor <= ~Limb{0} / 36; ++i) {
      factor *= static_cast<Limb>(base);
      term = term * static_cast<Limb>(base) + static_cast<Limb>(DigitOf(digits[i]));
    }
    if (!ChargeLimbs(vm, static_cast<int64_t>(size))) return Value();
    const Limb above = MulAddSmall(limbs.data(), size, factor, term);
    if (above != 0) limbs.data()[size++] = above;
  }
  return IntOfLimbs(vm, limbs.data(), size, negative);
}

}  // namespace ferry::vm
