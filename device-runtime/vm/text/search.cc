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

}  // namespace

bool FindText(Vm& vm, std::string_view s, std::string_view what, size_t from, bool last,
              size_t* at) {
  *at = std::string_view::npos;
  if (from > s.size() || what.size() > s.size() - from) return true;
  if (what.empty()) {
    *at = last ? s.size() : from;
    return true;
  }
  Work work{vm};
  size_t low = from, high = s.size() - what.size() + 1;  // candidates
  while (low < high) {
    const void* found = last ? memrchr(s.data() + low, what[0], high - low)
                             : std::memchr(s.data() + low, what[0], high - low);
    if (found == nullptr) return work.Add(high - low);
    const auto place = static_cast<size_t>(static_cast<const char*>(found) - s.data());
    const size_t same = Matching(s.data() + place, what.data(), what.size());
    if (!work.Add((last ? high - place : place + 1 - low) + same)) return false;
    if (same == what.size()) {
      *at = place;
      return true;
    }
    (last ? high : low) = last ? place : place + 1;
  }
  return true;
}

}  // namespace ferry::vm
