#include "device-runtime/vm/text/search.h"

#include <algorithm>
#include <cstring>

namespace ferry::vm {
namespace {

constexpr size_t kBytesPerStep = 64;

// Counts bytes that were looked at.
struct Work {
  Vm& vm;
  size_t bytes = 0;
  bool Add(size_t more) {
    bytes += more;
    if (bytes < 64 * kBytesPerStep) return true;
    const bool ok = vm.ChargeSteps(static_cast<int64_t>(bytes / kBytesPerStep));
    bytes %= kBytesPerStep;
    return ok;
  }
};

size_t Matching(const char* a, const char* b, size_t size) {
  return static_cast<size_t>(std::mismatch(a, a + size, b).first - a);
}

// Sixteen bytes at once, in the compiler's own vectors.
using Block = unsigned char __attribute__((vector_size(16)));

Block Load(const char* from) {
  Block block;
  std::memcpy(&block, from, sizeof block);
  return block;
}

// Where `what` (two bytes at least) begins in `text`, or nullptr: looks for its first and its last
// byte together.
const char* FindFew(std::string_view text, std::string_view what) {
  const char* const data = text.data();
  const size_t tail = what.size() - 1;
  const Block first = Block{} + static_cast<unsigned char>(what[0]);
  const Block last = Block{} + static_cast<unsigned char>(what[tail]);
  size_t at = 0, wasted = 0;
  for (; at + tail + sizeof(Block) <= text.size(); at += sizeof(Block)) {
    const auto both = (Load(data + at) == first) & (Load(data + at + tail) == last);
    uint64_t halves[2];
    std::memcpy(halves, &both, sizeof halves);
    for (size_t h = 0; h < 2; ++h) {
      while (halves[h] != 0) {
        const size_t place = static_cast<size_t>(__builtin_ctzll(halves[h])) / 8;
        const char* const found = data + at + 8 * h + place;
        if (std::memcmp(found, what.data(), tail) == 0) return found;
        wasted += what.size();
        halves[h] &= ~(uint64_t{0xFF} << (8 * place));
      }
    }
    // Text that repeats itself: by the way that is linear always.
    if (wasted > 1024 + 4 * at) break;
  }
  const size_t left = text.size() - at;
  if (left < 2 * sizeof(Block)) {
    for (const char* from = data + at; from + tail < data + text.size(); ++from)
      if (from[0] == what[0] && from[tail] == what[tail] &&
          std::memcmp(from, what.data(), tail) == 0)
        return from;
    return nullptr;
  }
  return static_cast<const char*>(memmem(data + at, left, what.data(), what.size()));
}

// From the left, in windows: the deadline is looked at between them.
bool FindFirst(Work& work, std::string_view s, std::string_view what, size_t from, size_t* at) {
  constexpr size_t kWindow = 1 << 20;
  for (size_t low = from; low + what.size() <= s.size(); low += kWindow) {
    const size_t size = std::min(kWindow + what.size() - 1, s.size() - low);
    const void* found = what.size() == 1 ? std::memchr(s.data() + low, what[0], size)
                                         : FindFew(s.substr(low, size), what);
    if (found == nullptr) {
      if (!work.Add(size)) return false;
      continue;
    }
    *at = static_cast<size_t>(static_cast<const char*>(found) - s.data());
    return work.Add(*at - low + what.size());
  }
  return true;
}

}  // namespace

size_t CountByte(std::string_view text, char c) {
  const Block wanted = Block{} + static_cast<unsigned char>(c);
  size_t count = 0, at = 0;
  while (at + sizeof(Block) <= text.size()) {
    Block sums{};
    for (int turns = 0; turns < 255 && at + sizeof(Block) <= text.size(); ++turns) {
      sums -= reinterpret_cast<Block>(Load(text.data() + at) == wanted);
      at += sizeof(Block);
    }
    for (size_t i = 0; i < sizeof(Block); ++i) count += sums[i];
  }
  for (; at < text.size(); ++at) count += text[at] == c;
  return count;
}

bool FindText(Vm& vm, std::string_view s, std::string_view what, size_t from, bool last,
              size_t* at) {
  *at = std::string_view::npos;
  if (from > s.size() || what.size() > s.size() - from) return true;
  if (what.empty()) {
    *at = last ? s.size() : from;
    return true;
  }
  Work work{vm};
  if (!last) return FindFirst(work, s, what, from, at);
  size_t low = from, high = s.size() - what.size() + 1;  // candidates
  while (low < high) {
    const void* found = memrchr(s.data() + low, what[0], high - low);
    if (found == nullptr) return work.Add(high - low);
    const auto place = static_cast<size_t>(static_cast<const char*>(found) - s.data());
    const size_t same = Matching(s.data() + place, what.data(), what.size());
    if (!work.Add(high - place + same)) return false;
    if (same == what.size()) {
      *at = place;
      return true;
    }
    high = place;
  }
  return true;
}

}  // namespace ferry::vm
