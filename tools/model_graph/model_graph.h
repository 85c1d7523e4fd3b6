// A model as one JSON object: nodes, values, edges, estimated cost, quantisation. README.md shows
// it.
#pragma once

#include <memory>
#include <string>

#include "common/base/bytes.h"
#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/package/reader.h"
#include "device-runtime/ir/graph.h"

namespace ferry::model_graph {

inline constexpr int kGraphFormat = 1;
inline constexpr size_t kMaxGraphNodes = 20'000;    // listed; the rest is counted
inline constexpr size_t kMaxGraphBytes = 12 << 20;  // of the nodes' and values' text; the same
inline constexpr size_t kMaxGraphEdges = 100'000;   // the same
inline constexpr size_t kMaxGraphNameBytes = 200;   // of a name; longer ones are cut
inline constexpr size_t kMaxListedAttributes = 48;  // of a node
inline constexpr size_t kMaxAttributeBytes = 160;   // of one attribute's text
inline constexpr size_t kMaxListedValues = 256;     // inputs or outputs of one node
inline constexpr size_t kMaxListedShape = 16;       // dimensions

// Never fails: what cannot be told is null or left out. `graph` must be verified.
Json GraphToJson(const ir::Graph& graph);
// Of a model file (.fm), which is read in place. kBadModel names the place.
Result<Json> GraphOfModelFile(ByteView bytes, std::shared_ptr<const void> keep_alive);
// Of a .fm file of a package; `model` empty: of the only one. kNotFound names what the package has,
// kUnsupported a language model, which is no graph, kCorruptContent a file that was changed.
Result<Json> GraphOfPackage(const package::Package& package, const std::string& model);

}  // namespace ferry::model_graph
