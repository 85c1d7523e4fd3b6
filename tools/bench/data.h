// Seeded numbers for benchmarks, and memory that lives as long as the case that captured it.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace ferry::bench {

using Floats = std::shared_ptr<std::vector<float>>;

inline Floats RandomFloats(size_t count) {
  auto v = std::make_shared<std::vector<float>>(count);
  std::minstd_rand engine(static_cast<uint32_t>(count) + 1);
  std::uniform_real_distribution<float> one(-1.0f, 1.0f);
  for (float& x : *v) x = one(engine);
  return v;
}

}  // namespace ferry::bench
