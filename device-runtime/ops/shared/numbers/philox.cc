#include "device-runtime/ops/shared/numbers/philox.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "device-runtime/ops/random.h"

namespace ferry::ops {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53;
constexpr uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9;
constexpr uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

// 53 bits of two words.
double Fraction(uint32_t high, uint32_t low) {
  const uint64_t bits = (uint64_t{high} << 32 | low) >> 11;
  return static_cast<double>(bits) * 0x1p-53;
}

}  // namespace

Result<Philox> Philox::Of(const NodeContext& c) {
  if (!c.Has("seed")) return Philox(CurrentRandom().Next64());
  FERRY_ASSIGN_OR_RETURN(float seed, c.Float("seed", 0));
  return Philox(std::bit_cast<uint32_t>(seed));
}

Result<std::optional<uint64_t>> Philox::KeyOf(const NodeContext& c) {
  if (!c.Has("seed")) return std::optional<uint64_t>();
  FERRY_ASSIGN_OR_RETURN(float seed, c.Float("seed", 0));
  return std::optional<uint64_t>(std::bit_cast<uint32_t>(seed));
}

std::array<uint32_t, 4> Philox::Block(uint64_t counter) const {
  std::array<uint32_t, 4> x = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                               0, 0};
  auto key0 = static_cast<uint32_t>(key_);
  auto key1 = static_cast<uint32_t>(key_ >> 32);
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t a = uint64_t{kMultiplier0} * x[0];
    const uint64_t b = uint64_t{kMultiplier1} * x[2];
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ key0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ key1, static_cast<uint32_t>(a)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return x;
}

double Philox::Uniform(uint64_t i) const {
  const auto x = Block(i / 2);
  return i % 2 == 0 ? Fraction(x[0], x[1]) : Fraction(x[2], x[3]);
}

double Philox::Normal(uint64_t i) const {
  const auto x = Block(i / 2);
  const double radius = std::sqrt(-2 * std::log(1 - Fraction(x[0], x[1])));
  const double angle = 2 * std::numbers::pi * Fraction(x[2], x[3]);
  return radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

}  // namespace ferry::ops
