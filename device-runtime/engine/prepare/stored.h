// Products with matrices of 8 and 4 bits.
#pragma once

#include "device-runtime/engine/prepare/prepare.h"

namespace ferry::engine {

// The input of a product that says its right side is stored in few bits
// (ops/defs/stored_mat_mul.cc); its zero points come behind it.
inline constexpr size_t kStoredScale = 4;

Result<PreparedStep> PrepareStored(Preparer& p, const ir::MatMulPrim& prim, const ir::Step& step);

}  // namespace ferry::engine
