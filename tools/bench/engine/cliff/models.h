// Small networks whose shapes change, with random weights.
#pragma once

#include <cstdint>
#include <memory>

#include "device-runtime/engine/engine.h"

namespace ferry::bench {

// Nodes of a block of a transformer as exporters spell it: normalisation and GELU as arithmetic,
// heads cut by Shape, Reshape and Transpose.
inline constexpr int kBlockNodes = 50;

// One block on x f32 [n, width] -> y of the same shape.
Result<std::shared_ptr<const engine::Model>> BlockModel(int64_t width);
// The block in the body of a Loop: inputs steps i64 [], x f32 [n, width]; each step appends the
// block's last row to x -> y f32 [n + steps, width].
Result<std::shared_ptr<const engine::Model>> LoopModel(int64_t width);
// The block behind NonZero: x f32 [n, width], keep f32 [n] -> the block of the rows that are kept.
Result<std::shared_ptr<const engine::Model>> ChosenRowsModel(int64_t width);
// A product of constants, [200, 256] x [256, 256], added to x f32 [200, 256].
Result<ir::Graph> FoldedProduct();

}  // namespace ferry::bench
