#include <bit>
#include <cmath>

#include "pipeline/log/block/column.h"

namespace ferry::log {
namespace {

constexpr double kTens[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
constexpr uint8_t kRawDoubles = 255;
constexpr double kLargestWhole = 9007199254740992;  // 2^53

bool AllWhole(const std::vector<double>& values, double ten, std::vector<int64_t>* out) {
  out->clear();
  for (const double value : values) {
    const double scaled = std::nearbyint(value * ten);
    if (!(std::abs(scaled) <= kLargestWhole)) return false;
    const auto whole = static_cast<int64_t>(scaled);
    if (std::bit_cast<uint64_t>(static_cast<double>(whole) / ten) != std::bit_cast<uint64_t>(value))
      return false;
    out->push_back(whole);
  }
  return true;
}

}  // namespace

void EncodeDoubles(const std::vector<double>& values, ByteWriter* out) {
  std::vector<int64_t> whole;
  for (uint8_t scale = 0; scale < uint8_t{std::size(kTens)}; ++scale) {
    if (!AllWhole(values, kTens[scale], &whole)) continue;
    out->U8(scale);
    return EncodeInts(whole, out);
  }
  out->U8(kRawDoubles);
  // The like bytes of all values stand together, for zstd.
  for (int byte = 7; byte >= 0; --byte)
    for (const double value : values)
      out->U8(static_cast<uint8_t>(std::bit_cast<uint64_t>(value) >> (8 * byte)));
}

std::vector<double> DecodeDoubles(size_t count, ByteReader* in) {
  const uint8_t scale = in->U8();
  std::vector<double> values;
  if (scale < std::size(kTens)) {
    for (const int64_t whole : DecodeInts(count, in))
      values.push_back(static_cast<double>(whole) / kTens[scale]);
    return values;
  }
  if (scale != kRawDoubles) in->Fail();
  const std::string_view bytes = in->Raw(8 * uint64_t{count});
  if (!in->ok()) return values;
  for (size_t k = 0; k < count; ++k) {
    uint64_t bits = 0;
    for (size_t byte = 0; byte < 8; ++byte)
      bits = bits << 8 | static_cast<uint8_t>(bytes[byte * count + k]);
    values.push_back(std::bit_cast<double>(bits));
  }
  return values;
}

}  // namespace ferry::log
