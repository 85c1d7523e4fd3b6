// The one number of the paged KV cache that kernels of every instruction set know.
#pragma once

#include <cstdint>

namespace ferry::kernels {

inline constexpr int64_t kPagePositions = 16;  // positions that one page of a KV cache holds

}  // namespace ferry::kernels
