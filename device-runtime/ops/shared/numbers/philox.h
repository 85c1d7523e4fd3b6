// Random numbers by position: element i of a stream depends on its key and i alone, so that nothing
// depends on order or threads. Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3" (2011).
#pragma once

#include <array>
#include <cstdint>

#include "device-runtime/ops/node_context.h"

namespace ferry::ops {

class Philox {
 public:
  explicit Philox(uint64_t key) : key_(key) {}
  // The key of attribute `seed` where it is given (the same numbers with each run), else a new one
  // from CurrentRandom().
  static Result<Philox> Of(const NodeContext& c);
  // The key of attribute `seed`; none: a new one each run.
  static Result<std::optional<uint64_t>> KeyOf(const NodeContext& c);

  std::array<uint32_t, 4> Block(uint64_t counter) const;
  // Uniform in [0, 1), 53 bits.
  double Uniform(uint64_t i) const;
  // Of mean 0 and variance 1 (Box and Muller, 1958).
  double Normal(uint64_t i) const;

 private:
  uint64_t key_;
};

}  // namespace ferry::ops
