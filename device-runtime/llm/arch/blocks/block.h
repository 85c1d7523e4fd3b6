// What networks are made of: a block takes the rows of a pass and gives rows of the same width.
// One file a kind of block, one row in list.inc. An accelerator is another set of them.
#pragma once

#include <memory>

#include "device-runtime/kernels/table.h"
#include "device-runtime/llm/arch/blocks/positions.h"
#include "device-runtime/llm/arch/network.h"
#include "device-runtime/llm/workspace.h"

namespace ferry::llm {

// Rows of a pass: `count` tokens of all chunks, one after another, unless said otherwise.
struct Rows {
  const kernels::KernelTable& table;
  const ForwardPass& pass;
  int64_t count = 0;
  bool adapted = false;  // whether any chunk has adapters
  // Of each row its place in workspace.places: first + row, or gathered[row].
  int64_t first = 0;
  const int64_t* gathered = nullptr;

  const AdapterSet* AdaptersOf(int64_t row) const {
    const RowPlace& place =
        pass.workspace.places[gathered == nullptr ? first + row : gathered[row]];
    return pass.chunks[static_cast<size_t>(place.chunk)].adapters;
  }
};

// Immutable; any number of passes at once.
class Block {
 public:
  virtual ~Block() = default;
  // Floats of the workspace's scratch that Run uses, for each row.
  virtual int64_t scratch() const = 0;
  // Bytes of the workspace's `quantized` that Run uses, for each row.
  virtual int64_t quantized_bytes() const = 0;
  // What the cache keeps for it.
  virtual KvLayer kv() const { return {}; }
  // out = block(in) (+ add, or null), all [count][hidden]; `out` may be `add`, and is not `in`. A
  // row's bits are those it would have alone. Allocates nothing.
  virtual void Run(const Rows& rows, const float* in, const float* add, float* out) const = 0;
};

// What a block is built from; all outlive it.
struct BlockParts {
  const Description& description;
  const LayerDescription& layer;
  int64_t index = 0;  // of the layer
  const Weights& weights;
  const PositionTables& positions;
  bool exact = false;  // LoadOptions

  const llm::Matrix& Matrix(std::string_view name, int64_t expert = 0) const {
    return weights.Matrix(TensorName(name, index, expert));
  }
  const float* Vector(std::string_view name, int64_t expert = 0) const {
    return weights.Vector(TensorName(name, index, expert));
  }
  const float* Bias(std::string_view name, bool has, int64_t expert = 0) const {
    return has ? Vector(BiasName(name), expert) : nullptr;
  }
};

#define FERRY_BLOCK(Name) std::unique_ptr<Block> Make##Name##Block(const BlockParts& parts);
#include "device-runtime/llm/arch/blocks/list.inc"
#undef FERRY_BLOCK

}  // namespace ferry::llm
