#include <algorithm>
#include <bit>

#include "pipeline/log/block/column.h"

namespace ferry::log {
namespace {

enum IntForm : uint8_t { kFromLeast = 0, kNeighbours = 1, kDistinct = 2 };

// Values with the difference to the least as bits.
struct Packed {
  int64_t least = 0;
  int width = 0;  // bits of a value
};

uint64_t Minus(int64_t a, int64_t b) {
  return static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
}
int64_t Plus(int64_t a, uint64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + b);
}

Packed Measure(const std::vector<int64_t>& values) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, static_cast<int>(std::bit_width(Minus(*most, *least)))};
}

size_t Bits(const Packed& packed, size_t count) {
  return 24 + static_cast<size_t>(packed.width) * count;
}

void Pack(const std::vector<int64_t>& values, const Packed& packed, ByteWriter* out) {
  out->Signed(packed.least);
  out->U8(static_cast<uint8_t>(packed.width));
  unsigned __int128 bits = 0;
  int filled = 0;
  for (const int64_t value : values) {
    bits |= static_cast<unsigned __int128>(Minus(value, packed.least)) << filled;
    filled += packed.width;
    for (; filled >= 8; filled -= 8, bits >>= 8) out->U8(static_cast<uint8_t>(bits));
  }
  if (filled > 0) out->U8(static_cast<uint8_t>(bits));
}

std::vector<int64_t> Unpack(size_t count, ByteReader* in) {
  const int64_t least = in->Signed();
  const int width = in->U8();
  if (width > 64) in->Fail();
  const std::string_view bytes = in->Raw((count * static_cast<size_t>(width) + 7) / 8);
  if (!in->ok()) return {};
  const uint64_t mask = width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
  std::vector<int64_t> values(count);
  unsigned __int128 bits = 0;
  int filled = 0;
  size_t at = 0;
  for (int64_t& value : values) {
    for (; filled < width; filled += 8)
      bits |= static_cast<unsigned __int128>(static_cast<uint8_t>(bytes[at++])) << filled;
    value = Plus(least, static_cast<uint64_t>(bits) & mask);
    bits >>= width;
    filled -= width;
  }
  return values;
}

std::vector<int64_t> Differences(const std::vector<int64_t>& values) {
  std::vector<int64_t> out;
  for (size_t k = 1; k < values.size(); ++k)
    out.push_back(static_cast<int64_t>(Minus(values[k], values[k - 1])));
  return out;
}

std::vector<int64_t> Distinct(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

void EncodeInts(const std::vector<int64_t>& values, ByteWriter* out) {
  const Packed plain = Measure(values);
  const size_t plain_bits = Bits(plain, values.size());
  if (values.size() > 2 && plain.width > 0) {
    const std::vector<int64_t> steps = Differences(values);
    const Packed packed = Measure(steps);
    const size_t step_bits = Bits(packed, steps.size()) + 24;
    const std::vector<int64_t> distinct = Distinct(values);
    const std::vector<int64_t> jumps = Differences(distinct);
    const Packed list = Measure(jumps);
    const Packed places{0, static_cast<int>(std::bit_width(distinct.size() - 1))};
    const size_t distinct_bits = Bits(list, jumps.size()) + 48 + Bits(places, values.size());
    if (distinct_bits < std::min(plain_bits, step_bits)) {
      out->U8(kDistinct);
      out->Varint(distinct.size());
      out->Signed(distinct[0]);
      Pack(jumps, list, out);
      std::vector<int64_t> at;
      for (const int64_t value : values)
        at.push_back(std::lower_bound(distinct.begin(), distinct.end(), value) - distinct.begin());
      return Pack(at, places, out);
    }
    if (step_bits < plain_bits) {
      out->U8(kNeighbours);
      out->Signed(values[0]);
      return Pack(steps, packed, out);
    }
  }
  out->U8(kFromLeast);
  Pack(values, plain, out);
}

std::vector<int64_t> DecodeInts(size_t count, ByteReader* in) {
  const uint8_t form = in->U8();
  if (form == kFromLeast) return Unpack(count, in);
  if (count < 3 || form > kDistinct) in->Fail();
  const uint64_t listed = form == kDistinct ? in->Varint() : count;
  if (listed == 0 || listed > count) in->Fail();
  const int64_t first = in->Signed();
  if (!in->ok()) return {};
  const std::vector<int64_t> steps = Unpack(listed - 1, in);
  if (!in->ok()) return {};
  std::vector<int64_t> values = {first};
  for (const int64_t step : steps)
    values.push_back(Plus(values.back(), static_cast<uint64_t>(step)));
  if (form == kNeighbours) return values;
  std::vector<int64_t> out = Unpack(count, in);
  for (int64_t& value : out) {
    if (static_cast<uint64_t>(value) >= values.size()) {
      in->Fail();
      return {};
    }
    value = values[static_cast<size_t>(value)];
  }
  return out;
}

}  // namespace ferry::log
