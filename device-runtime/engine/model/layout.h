// Sizes in model files (file.h). For their reader and writer only.
#pragma once

#include <cstddef>

namespace ferry::engine {

inline constexpr size_t kHeaderBytes = 64;
inline constexpr size_t kCheckedHeaderBytes = 48;
inline constexpr char kMagic[] = "FERRYMDL";

constexpr size_t Aligned(size_t size) {
  return (size + 63) / 64 * 64;
}

}  // namespace ferry::engine
