#include "tools/fuzz/mutate.h"

#include <algorithm>
#include <cstring>

namespace ferry::fuzz {
namespace {

constexpr uint64_t kEdges[] = {0,          1,          127,         128,     255,
                               256,        0x7fff,     0xffff,      1 << 20, 0x7fffffff,
                               0x80000000, 0xffffffff, ~uint64_t{0}};

size_t Below(size_t limit, std::mt19937& random) {
  return limit == 0 ? 0 : random() % limit;
}

void Overwrite(Bytes& bytes, std::mt19937& random) {
  if (bytes.empty()) return;
  const size_t at = Below(bytes.size(), random);
  switch (random() % 3) {
    case 0:
      bytes[at] ^= static_cast<uint8_t>(1u << random() % 8);
      return;
    case 1:
      bytes[at] = static_cast<uint8_t>(random());
      return;
    default: {
      const uint64_t edge = kEdges[random() % std::size(kEdges)];
      std::memcpy(bytes.data() + at, &edge,
                  std::min<size_t>(size_t{1} << random() % 4, bytes.size() - at));
    }
  }
}

// A run of `from` put in the place of a run of `bytes`; either may be empty.
void Splice(Bytes& bytes, const Bytes& from, std::mt19937& random) {
  const size_t begin = Below(from.size() + 1, random);
  const size_t count = Below(std::min<size_t>(from.size() - begin, 64) + 1, random);
  const Bytes run(from.begin() + static_cast<ptrdiff_t>(begin),
                  from.begin() + static_cast<ptrdiff_t>(begin + count));
  const size_t at = Below(bytes.size() + 1, random);
  const size_t cut = random() % 2 ? Below(std::min<size_t>(bytes.size() - at, 64) + 1, random) : 0;
  const auto place = bytes.begin() + static_cast<ptrdiff_t>(at);
  bytes.insert(bytes.erase(place, place + static_cast<ptrdiff_t>(cut)), run.begin(), run.end());
}

}  // namespace

Bytes Mutate(Bytes bytes, std::span<const Bytes> inputs, size_t max_bytes, std::mt19937& random) {
  for (uint32_t changes = 1 + random() % 4; changes > 0; --changes) {
    if (random() % 2 == 0) {
      Overwrite(bytes, random);
    } else {
      const Bytes other = random() % 2 ? bytes : inputs[random() % inputs.size()];
      Splice(bytes, other, random);
    }
  }
  if (bytes.size() > max_bytes) bytes.resize(max_bytes);
  return bytes;
}

}  // namespace ferry::fuzz
