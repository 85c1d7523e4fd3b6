// A stored half-precision number: a type of its own, as bfloat16 has uint16_t.
#pragma once

#include <cstdint>

namespace ferry::kernels {

struct Half {
  uint16_t bits;
};

}  // namespace ferry::kernels
