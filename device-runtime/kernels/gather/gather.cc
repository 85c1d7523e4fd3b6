#include "device-runtime/kernels/gather/gather.h"

#include <cstring>

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {

bool Gather(sys::Parallel& parallel, int element_bytes, int64_t outer, int64_t size, int64_t inner,
            int64_t count, const int64_t* indices, const void* x, void* y) {
  for (int64_t i = 0; i < count; ++i) {
    if (indices[i] < -size || indices[i] >= size) return false;
  }
  const int64_t bytes = inner * element_bytes;
  if (bytes == 0) return true;
  const char* from = static_cast<const char*>(x);
  char* to = static_cast<char*>(y);
  ForPieces(parallel, outer * count, bytes / 32 + 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t index = indices[i % count];
      if (index < 0) index += size;
      std::memcpy(to + i * bytes, from + (i / count * size + index) * bytes,
                  static_cast<size_t>(bytes));
    }
  });
  return true;
}

}  // namespace ferry::kernels
