// What a Model holds. Inside the engine only.
#pragma once

#include <map>

#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/model/packed_cache.h"
#include "device-runtime/engine/split/uploads.h"
#include "device-runtime/ir/graph.h"

namespace ferry::engine {

struct Model::State {
  ir::Graph graph;
  std::vector<IoInfo> inputs, outputs;
  int64_t weight_bytes = 0;
  int64_t parameter_count = 0;
  ByteView file;  // what it was read from, if it was
  std::shared_ptr<const void> keep_alive;
  std::map<const uint8_t*, size_t> constants;  // the bytes of each, by address
  mutable PackedCache packed;
  mutable UploadCache uploads;

  // The bytes of the model's own constant that `data` lies in; empty when there is none. What is
  // packed from a constant of the model's own can be shared by its sessions.
  ByteView ConstantAt(const void* data) const {
    const auto* at = static_cast<const uint8_t*>(data);
    const auto after = constants.upper_bound(at);
    if (after == constants.begin()) return {};
    const auto& [begin, size] = *std::prev(after);
    return at < begin + size ? ByteView(begin, size) : ByteView();
  }
};

}  // namespace ferry::engine
