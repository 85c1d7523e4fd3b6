// Primitives that take strides on data that a copy brings: they read its source, or write its
// destination, themselves.
#pragma once

#include "device-runtime/ir/program.h"

namespace ferry::passes {

// Makes a map, a product or an attention read input `input`, which is what `copy` writes, from the
// copy's source: only strides and offsets change. False, and nothing changes, when it cannot.
bool ReadInPlace(ir::Step& step, size_t input, const ir::Region& copy);

// Makes an attention write what `copy`, which reads all of its result, makes of that.
bool WriteInPlace(ir::AttentionPrim& attention, const ir::Region& copy);

}  // namespace ferry::passes
