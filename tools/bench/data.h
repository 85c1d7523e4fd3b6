// Seeded numbers for benchmarks, and memory that lives as long as the case that captured it.
#pragma once

#include <cstdint>
#include <memory>
#include <random>

#include "common/base/check.h"
#include "common/base/memory.h"

namespace ferry::bench {

// Aligned as the engine's memory is.
using Floats = std::shared_ptr<float[]>;

inline Floats RandomFloats(size_t count) {
  auto* data = static_cast<float*>(TryAllocate((count + 1) * sizeof(float)));
  CHECK(data != nullptr) << "out of memory";
  std::minstd_rand engine(static_cast<uint32_t>(count) + 1);
  std::uniform_real_distribution<float> one(-1.0f, 1.0f);
  for (size_t i = 0; i < count; ++i) data[i] = one(engine);
  return Floats(data, [](float* p) { Deallocate(p); });
}

}  // namespace ferry::bench
