#include "pipeline/operator/value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "common/base/bytes.h"

namespace ferry::operators {
namespace {

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

// A number as sign and magnitude where it is whole and fits 64 bits, else as a double.
struct ExactNumber {
  bool whole = true;
  bool negative = false;
  uint64_t magnitude = 0;
  double value = 0;
};

ExactNumber ReadNumber(const Json& json) {
  if (const auto* u = json.get_ptr<const Json::number_unsigned_t*>())
    return {true, false, *u, static_cast<double>(*u)};
  if (const auto* i = json.get_ptr<const Json::number_integer_t*>()) {
    const auto bits = static_cast<uint64_t>(*i);
    return {true, *i < 0, *i < 0 ? 0 - bits : bits, static_cast<double>(*i)};
  }
  const auto* d = json.get_ptr<const Json::number_float_t*>();
  if (d == nullptr) return {};
  const bool whole = *d == std::trunc(*d) && *d >= -kTwo63 && *d < kTwo64;
  if (!whole) return {false, *d < 0, 0, *d};
  return {true, *d < 0, static_cast<uint64_t>(std::fabs(*d)), *d};
}

Json FromExact(const ExactNumber& number) {
  if (!number.whole) return number.value;
  if (number.negative) return static_cast<int64_t>(0 - number.magnitude);
  if (number.magnitude <= INT64_MAX) return static_cast<int64_t>(number.magnitude);
  return number.magnitude;
}

// Multiply and fold, as wyhash does.
inline uint64_t Fold(uint64_t a, uint64_t b) {
  const unsigned __int128 product =
      static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xe7037ed1a0b428db);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// The lowest byte first, on every machine.
inline uint64_t LoadU64(const uint8_t* at) {
  if constexpr (std::endian::native != std::endian::little) return GetU64(at);
  uint64_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

}  // namespace

Json Canonical(const Json& value) {
  if (value.is_number_float()) return FromExact(ReadNumber(value));
  if (!value.is_structured()) return value;
  Json out = value;
  for (Json& item : out) item = Canonical(item);
  return out;
}

bool IsCanonical(const Json& value) {
  if (value.is_number_float()) return !ReadNumber(value).whole;
  if (!value.is_structured()) return true;
  for (const Json& item : value)
    if (!IsCanonical(item)) return false;
  return true;
}

uint64_t MixHash(uint64_t a, uint64_t b) {
  return Fold(a, b);
}

uint64_t HashBytes(std::string_view bytes, uint64_t seed) {
  uint64_t hash = Fold(seed, bytes.size());
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) hash = Fold(hash, LoadU64(at));
  if (left == 0) return hash;
  uint64_t last = 0;
  for (size_t k = 0; k < left; ++k) last |= uint64_t{at[k]} << (8 * k);
  return Fold(hash, last);
}

uint64_t HashValue(const Json& value) {
  switch (value.type()) {
    case Json::value_t::string:
      return HashBytes(*value.get_ptr<const std::string*>(), 1);
    case Json::value_t::number_unsigned:
    case Json::value_t::number_integer:
    case Json::value_t::number_float: {
      const ExactNumber number = ReadNumber(value);
      if (!number.whole) return MixHash(3, std::bit_cast<uint64_t>(number.value));
      return MixHash(number.negative ? 4 : 5, number.magnitude);
    }
    case Json::value_t::boolean:
      return MixHash(6, *value.get_ptr<const bool*>() ? 1 : 0);
    case Json::value_t::array:
    case Json::value_t::object:
      return HashBytes(WriteJson(Canonical(value)), 7);
    default:
      return MixHash(8, 0);
  }
}

bool SameValue(const Json& a, const Json& b) {
  if (a.is_number()) return b.is_number() && CompareNumbers(a, b) == 0;
  if (const auto* text = a.get_ptr<const std::string*>()) {
    const auto* other = b.get_ptr<const std::string*>();
    return other != nullptr && *text == *other;
  }
  if (!a.is_structured()) return a == b;
  return a.type() == b.type() && WriteJson(Canonical(a)) == WriteJson(Canonical(b));
}

namespace {

void AppendBytes(char tag, const void* bytes, size_t count, std::string* out) {
  std::array<char, 9> piece{tag};
  std::memcpy(&piece[1], bytes, count);
  out->append(piece.data(), 1 + count);
}

void AppendText(char tag, std::string_view text, std::string* out) {
  const auto size = static_cast<uint32_t>(text.size());
  const size_t at = out->size();
  out->resize(at + 1 + sizeof(size) + text.size());
  char* const to = out->data() + at;
  to[0] = tag;
  std::memcpy(to + 1, &size, sizeof(size));
  std::memcpy(to + 1 + sizeof(size), text.data(), text.size());
}

// A text that JSON writes as it is.
bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
}

void AppendJson(const Json& value, std::string* out) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text != nullptr && IsPlain(*text))
    out->append("\"").append(*text).append("\"");
  else if (const auto* u = value.get_ptr<const Json::number_unsigned_t*>())
    out->append(std::to_string(*u));
  else if (const auto* i = value.get_ptr<const Json::number_integer_t*>())
    out->append(std::to_string(*i));
  else
    out->append(WriteJson(value));
}

}  // namespace

void AppendCode(const Json& value, std::string* out) {
  switch (value.type()) {
    case Json::value_t::string:
      return AppendText('s', *value.get_ptr<const std::string*>(), out);
    case Json::value_t::number_unsigned:
    case Json::value_t::number_integer:
    case Json::value_t::number_float: {
      const ExactNumber number = ReadNumber(value);
      if (!number.whole) return AppendBytes('d', &number.value, sizeof(number.value), out);
      const char tag = number.negative && number.magnitude > 0 ? '-' : '+';
      return AppendBytes(tag, &number.magnitude, sizeof(number.magnitude), out);
    }
    case Json::value_t::boolean:
      return out->push_back(*value.get_ptr<const bool*>() ? 't' : 'f');
    case Json::value_t::array:
    case Json::value_t::object:
      return AppendText('j', WriteJson(Canonical(value)), out);
    default:
      return out->push_back('0');
  }
}

std::string WriteKey(const Json& list) {
  std::string out = "[";
  for (const Json& item : list) {
    if (out.size() > 1) out += ',';
    AppendJson(item, &out);
  }
  return out += ']';
}

int CompareNumbers(const Json& a, const Json& b) {
  if (a.is_number_float() && b.is_number_float()) {
    const double left = *a.get_ptr<const Json::number_float_t*>();
    const double right = *b.get_ptr<const Json::number_float_t*>();
    return left < right ? -1 : left > right ? 1 : 0;
  }
  const ExactNumber x = ReadNumber(a), y = ReadNumber(b);
  if (x.whole && y.whole) {
    if (x.magnitude == 0 && y.magnitude == 0) return 0;
    if (x.negative != y.negative) return x.negative ? -1 : 1;
    if (x.magnitude == y.magnitude) return 0;
    return (x.magnitude < y.magnitude) != x.negative ? -1 : 1;
  }
  // One is a fraction or beyond 64 bits. Rounding keeps the order; a whole number that rounds to
  // the other's value has less than its 64 bits or more.
  if (x.value != y.value) return x.value < y.value ? -1 : 1;
  if (x.whole == y.whole) return 0;
  return x.whole == x.negative ? 1 : -1;
}

bool ValueLess(const Json& a, const Json& b) {
  return WriteJson(Canonical(a)) < WriteJson(Canonical(b));
}

}  // namespace ferry::operators
