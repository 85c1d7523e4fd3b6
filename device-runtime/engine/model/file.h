// Ferry's own model file (.fm), version 1. All numbers little-endian:
//
//   offset  0  8 bytes "FERRYMDL"
//           8  u32 version, 1
//          12  u32 zero
//          16  u64 offset of the graph text, 64
//          24  u64 its length
//          32  u64 offset of the weights, a multiple of 64
//          40  u64 their length; the file ends there
//          48  16 bytes zero
//
// The graph text is ir::Print's form, with constants "at <offset>" into the weights; each begins at
// a multiple of 64, so a mapped file is ready to use. Constants do not overlap.
#pragma once

#include <memory>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/ir/graph.h"

namespace ferry::engine {

inline constexpr uint32_t kModelFileVersion = 1;
inline constexpr size_t kMaxGraphTextBytes = size_t{64} << 20;

Bytes WriteModelFile(const ir::Graph& graph);

// Reads and validates all of a model file: header, text, weights' places, the graph's rules,
// operators. Tensors view `bytes` and hold `keep_alive`; `bytes` must be 64-byte aligned. kBadModel
// names the place.
Result<ir::Graph> ReadModelFile(ByteView bytes, std::shared_ptr<const void> keep_alive);

}  // namespace ferry::engine
