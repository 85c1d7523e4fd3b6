// What a file is and what it holds.
#pragma once

#include <string>

#include "tools/ferry/command.h"

namespace ferry::cli {

struct InspectRequest {
  std::string file;
  std::string root;     // checks metadata against this root document
  std::string targets;  // finds a sealed file in this targets document
  bool graph = false;   // a model's graph as one JSON object, instead of what it holds in short
  std::string model;    // of a package with several: the path of the one whose graph is meant
  std::string profile;  // what `ferry bench --explain --json` printed of it; empty: none
};

// Packages, models (.onnx, .fm), signed metadata, bundles, sealed artefacts. A sealed artefact has
// no mark of its own: it is known by its hash in --targets.
Result<Output> Inspect(const InspectRequest& request);
// What Inspect gives with `graph`: the JSON of tools/model_graph, as text too. inspect_graph.cc.
Result<Output> InspectGraph(const InspectRequest& request);

}  // namespace ferry::cli
