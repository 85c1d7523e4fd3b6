// The graphs of published models. The server reads no model itself: a file that somebody made is
// parsed by `ferry-device graph` in a confined child, as the simulation gate runs it.
#pragma once

#include <memory>
#include <string>

#include "cloud-server/core/rows.h"
#include "cloud-server/rollout/simulator.h"

namespace ferry::server {

inline constexpr int64_t kGraphTimeoutMs = 20'000;
inline constexpr size_t kMaxGraphOutput = 16 << 20;              // bytes of the child's output
inline constexpr uint64_t kMaxGraphPackage = uint64_t{2} << 30;  // bytes of the plain package
inline constexpr size_t kMaxGraphsKept = 32 << 20;               // bytes of graphs in memory
inline constexpr int64_t kGraphWaitMs = 10'000;                  // for other graphs to be made

// May be called from any thread; blocks while a graph is made. One is made at a time, and the
// latest stay in memory: what a version holds never changes.
class Graphs {
 public:
  virtual ~Graphs() = default;
  // JSON of tools/model_graph as text. `model`: which file of the package; empty: the only one.
  // kNotFound where it has no such model, kFailedPrecondition for a package that cannot be opened,
  // a language model or a model that cannot be read, kUnavailable when others are asked for
  // meanwhile, kLimitExceeded, kDeadlineExceeded.
  virtual Result<std::shared_ptr<const std::string>> Read(const PackageRow& row,
                                                          const std::string& model) = 0;
};

// Opens the package by escrow into the scratch folder of `options` for the time of the run. Of the
// options' limits only that of memory is used.
std::unique_ptr<Graphs> MakeChildGraphs(Registry& registry, sys::FileSystem& fs,
                                        ChildOptions options);

// The same for any program and file: what follows opening. For tests.
Result<std::string> RunGraphChild(const ChildOptions& options, const std::string& fpk,
                                  const std::string& model);

}  // namespace ferry::server
