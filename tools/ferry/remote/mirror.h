// A folder that any static web server can serve as a mirror of content: content/<sha256> below it.
// ---- mirror.cc
#pragma once

#include <string>

#include "tools/ferry/remote/api.h"

namespace ferry::cli {

struct MirrorOutcome {
  int64_t files = 0;    // that the server's packages name
  int64_t fetched = 0;  // of them, now
  uint64_t bytes = 0;   // fetched
  int64_t removed = 0;
};

// Fetches what lacks below `folder`, each file whole or not at all and only when its hash is its
// name; with `remove`, what no package names goes. Safe beside a web server that reads there.
Result<MirrorOutcome> SyncMirror(const Api& api, const std::string& folder, bool remove);

}  // namespace ferry::cli
