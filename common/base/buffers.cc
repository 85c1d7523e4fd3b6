#include "common/base/buffers.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace ferry {

size_t BufferBytes(size_t normal) {
  static const size_t limit = [] {
    const char* text = std::getenv("FERRY_BUFFER_BYTES");
    const long long value = text != nullptr ? std::atoll(text) : 0;
    return value > 0 ? static_cast<size_t>(value) : SIZE_MAX;
  }();
  return std::min(normal, limit);
}

}  // namespace ferry
