// What a file is and what it holds.
#pragma once

#include <string>

#include "tools/ferry/command.h"

namespace ferry::cli {

struct InspectRequest {
  std::string file;
  std::string root;     // checks metadata against this root document
  std::string targets;  // finds a sealed file in this targets document
};

// Packages, models (.onnx, .fm), signed metadata, bundles, sealed artefacts. A sealed artefact has
// no mark of its own: it is known by its hash in --targets.
Result<Output> Inspect(const InspectRequest& request);

}  // namespace ferry::cli
