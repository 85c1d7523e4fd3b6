// Randomness as an interface: cryptographic on a machine, seeded in simulations.
#pragma once

#include <cstdint>
#include <span>

namespace ferry::sys {

class Random {
 public:
  virtual ~Random() = default;
  virtual void Fill(std::span<uint8_t> out) = 0;
  uint64_t Next64();
  // Uniform in [0, bound), without modulo bias; bound > 0.
  uint64_t Below(uint64_t bound);
  // Uniform in [0, 1) with 53 bits.
  double NextDouble();
};

// The operating system's generator (getrandom); any thread; lives for ever.
Random& SystemRandom();

// Deterministic (xoshiro256**); one thread at a time.
class SeededRandom : public Random {
 public:
  explicit SeededRandom(uint64_t seed);
  void Fill(std::span<uint8_t> out) override;

 private:
  uint64_t state_[4];
};

}  // namespace ferry::sys
