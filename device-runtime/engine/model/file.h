// Ferry's own model file (.fm), version 2. All numbers little-endian:
//
//   offset  0  8 bytes "FERRYMDL"
//           8  u32 version, 2
//          12  u32 zero
//          16  u64 offset of the graph text, 64
//          24  u64 its length
//          32  u64 offset of the weights, a multiple of 64
//          40  u64 their length; the file ends there
//          48  u64 CRC-64 of the bytes 0 to 47, then the graph text
//          56  u64 CRC-64 of the weights
//
// The graph text is ir::Print's form, with constants (of bodies too) "at <offset>" into the
// weights; each begins at a multiple of 64, so a mapped file is ready to use. Constants of the same
// bytes lie there once; others do not overlap. Elements of 4 and 2 bits are packed
// (tensor/packing.h); texts are in the graph text.
//
// Version 1, still read, has zeros for the CRCs, and no two constants share bytes.
#pragma once

#include <memory>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/ir/graph.h"

namespace ferry::engine {

inline constexpr uint32_t kModelFileVersion = 2;
inline constexpr size_t kMaxGraphTextBytes = size_t{64} << 20;

// Where everything of a model file goes. The graph must outlive it and stay as it is.
class ModelFileWriter {
 public:
  // kLimitExceeded when the graph's text is too long.
  static Result<ModelFileWriter> Plan(const ir::Graph& graph);
  size_t size() const { return weights_offset_ + weights_size_; }
  // Fills all `size()` bytes of `out`.
  void Write(uint8_t* out) const;

 private:
  struct Weight {
    tensor::Tensor tensor;
    size_t offset;
  };
  std::string text_;
  std::vector<Weight> weights_;
  size_t weights_offset_ = 0;
  size_t weights_size_ = 0;
};

Result<Bytes> WriteModelFile(const ir::Graph& graph);

// Reads and validates a model file but for the weights' CRC: header, text, weights' places, the
// graph's rules, operators. Tensors view `bytes` (packed ones are copies) and hold `keep_alive`;
// `bytes` must be 64-byte aligned. kBadModel names the place.
Result<ir::Graph> ReadModelFile(ByteView bytes, std::shared_ptr<const void> keep_alive);

// Reads all weights and compares their CRC: kCorruptContent when it differs; kUnsupported for a
// file of version 1, which has none.
Status VerifyWeights(ByteView bytes);

}  // namespace ferry::engine
