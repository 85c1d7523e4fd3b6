// What a Model holds. Inside the engine only.
#pragma once

#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/model/packed_cache.h"
#include "device-runtime/ir/graph.h"

namespace ferry::engine {

struct Model::State {
  ir::Graph graph;
  std::vector<IoInfo> inputs, outputs;
  int64_t weight_bytes = 0;
  int64_t parameter_count = 0;
  ByteView file;  // the model's weights lie in it
  std::shared_ptr<const void> keep_alive;
  mutable PackedCache packed;

  // Whether a constant is the model's own, so that what is packed from it can be shared.
  bool Owns(const void* data) const {
    const auto* at = static_cast<const uint8_t*>(data);
    return at >= file.data() && at < file.data() + file.size();
  }
};

}  // namespace ferry::engine
