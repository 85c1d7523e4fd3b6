#include "policy/target/number.h"

#include <algorithm>
#include <limits>

namespace ferry::target {
namespace {

struct SizeUnit {
  std::string_view name;
  int64_t bytes;
};

constexpr SizeUnit kSizeUnits[] = {{"B", 1},
                                   {"KiB", int64_t{1} << 10},
                                   {"MiB", int64_t{1} << 20},
                                   {"GiB", int64_t{1} << 30},
                                   {"TiB", int64_t{1} << 40},
                                   {"KB", 1'000},
                                   {"MB", 1'000'000},
                                   {"GB", 1'000'000'000},
                                   {"TB", 1'000'000'000'000}};
constexpr size_t kBinaryUnits = 5;  // the first rows, by size
constexpr size_t kMaxSizeDecimals = 6;

const SizeUnit* FindSizeUnit(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSizeUnits), std::end(kSizeUnits),
                                   [name](const SizeUnit& unit) { return unit.name == name; });
  return found == std::end(kSizeUnits) ? nullptr : found;
}

bool AllDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Status NoNumber(std::string_view text, std::string_view why) {
  return Status::Of(Code::kBadRule, "\"{}\" is no number: {}", text.substr(0, kMaxNumberBytes),
                    why);
}

Status NoSize(std::string_view text, std::string_view why) {
  return Status::Of(Code::kBadRule, "\"{}\" is no size: {}", text.substr(0, kMaxNumberBytes), why);
}

std::strong_ordering CompareMagnitude(const Number& a, const Number& b) {
  if (a.whole.size() != b.whole.size()) return a.whole.size() <=> b.whole.size();
  if (const int order = a.whole.compare(b.whole); order != 0) return order <=> 0;
  // Without trailing zeros, a fraction that begins with the other one is the larger.
  return a.fraction.compare(b.fraction) <=> 0;
}

}  // namespace

Result<Number> ParseNumber(std::string_view text) {
  if (text.size() > kMaxNumberBytes)
    return NoNumber(text, fmt::format("longer than {} bytes", kMaxNumberBytes));
  Number out;
  std::string_view rest = text;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    out.negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  const size_t dot = rest.find('.');
  const std::string_view whole = rest.substr(0, dot);
  if (!AllDigits(whole)) return NoNumber(text, "no decimal digits");
  out.whole = whole.substr(std::min(whole.find_first_not_of('0'), whole.size()));
  if (dot != std::string_view::npos) {
    const std::string_view fraction = rest.substr(dot + 1);
    if (!AllDigits(fraction)) return NoNumber(text, "no decimal digits after the point");
    out.fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  }
  if (out.whole.empty() && out.fraction.empty()) out.negative = false;
  return out;
}

std::strong_ordering Compare(const Number& a, const Number& b) {
  if (a.negative != b.negative)
    return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.negative ? CompareMagnitude(b, a) : CompareMagnitude(a, b);
}

bool IsSizeUnit(std::string_view name) {
  return FindSizeUnit(name) != nullptr;
}

Result<int64_t> ParseSize(std::string_view text) {
  const size_t blank = text.find(' ');
  const SizeUnit* unit =
      blank == std::string_view::npos ? nullptr : FindSizeUnit(text.substr(blank + 1));
  if (unit == nullptr)
    return NoSize(text, "it needs a unit: B, KiB, MiB, GiB, TiB, KB, MB, GB, TB");
  auto number = ParseNumber(text.substr(0, blank));
  if (!number.ok()) return number.status();
  if (number->negative) return NoSize(text, "below zero");
  if (number->fraction.size() > kMaxSizeDecimals)
    return NoSize(text, fmt::format("more than {} decimals", kMaxSizeDecimals));
  // 19 + 6 digits times a unit stay far below 128 bits.
  constexpr size_t kMaxWholeDigits = 19;
  if (number->whole.size() > kMaxWholeDigits) return NoSize(text, "too large");
  unsigned __int128 scaled = 0;
  std::string decimals = number->fraction;
  decimals.resize(kMaxSizeDecimals, '0');
  for (const char c : number->whole + decimals)
    scaled = scaled * 10 + static_cast<unsigned>(c - '0');
  const unsigned __int128 bytes = scaled * static_cast<uint64_t>(unit->bytes) / 1'000'000;
  if (bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return NoSize(text, "too large");
  return static_cast<int64_t>(bytes);
}

std::string PrintSize(int64_t bytes) {
  size_t unit = kBinaryUnits - 1;
  while (unit > 0 && bytes < kSizeUnits[unit].bytes) --unit;
  const int64_t size = kSizeUnits[unit].bytes;
  const int64_t rest = bytes % size;
  std::string out = fmt::format("{}", bytes / size);
  const auto hundredths = static_cast<int64_t>(static_cast<__int128>(rest) * 100 / size);
  if (hundredths > 0) {
    out += fmt::format(".{:02}", hundredths);
    if (out.back() == '0') out.pop_back();
  }
  return fmt::format("{} {}", out, kSizeUnits[unit].name);
}

}  // namespace ferry::target
