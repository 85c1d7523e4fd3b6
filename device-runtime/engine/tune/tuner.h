// The measured mode: candidates of a primitive timed on this device, or found in the cache.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/explain/report.h"
#include "device-runtime/engine/tune/cache.h"

namespace ferry::engine {

// One session's.
class Tuner {
 public:
  // `where` stands before all keys: instruction set and threads.
  Tuner(const TuningOptions& options, std::string device, std::string where, sys::FileSystem& fs);

  // Prepares candidate `i` and returns what runs it once; an empty function leaves it out.
  using Prepare = std::function<std::function<void()>(size_t)>;
  // The candidate to take of those that are ordered as the search does (admissible first, then by
  // predicted cost; the first is admissible), and the times that are known. It is the first where
  // nothing is known and there is no time to measure.
  size_t Pick(const std::string& key, std::span<CandidateReport> candidates,
              const Prepare& prepare);

  // Writes new findings to the cache file, if there is one; a failure is a warning.
  void Save();

 private:
  // Those worth measuring: the best of several algorithms rather than many tiles of one.
  std::vector<size_t> WorthTrying(std::span<const CandidateReport> candidates) const;
  // Times all of `tried`, in turns.
  void Measure(std::span<CandidateReport> candidates, std::span<const size_t> tried,
               const Prepare& prepare);

  const TuningOptions options_;
  const std::string device_;
  const std::string where_;
  sys::FileSystem& fs_;
  TuningCache cache_;
  double seconds_left_;
  bool has_new_ = false;
};

}  // namespace ferry::engine
