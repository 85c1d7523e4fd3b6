// What the measured mode found on this device, in a text file:
//
//   ferry tuning 1
//   device x86-64 AuthenticAMD 25-17-1
//   avx512 t2 conv 1x56x56x64 ...<tab>winograd4 12x2 512 192K<tab>612.5
//   end 1 0123456789abcdef
//
// One line a primitive at its sizes, the latest last: instruction set, threads and sizes, then the
// fastest candidate and its microseconds; the last line has their count and the CRC-64 of all
// before it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/sys/filesystem.h"

namespace ferry::engine {

inline constexpr int kTuningVersion = 1;
inline constexpr size_t kMaxFindings = 4096;  // the oldest go first
inline constexpr size_t kMaxFindingText = 200;
inline constexpr size_t kMaxTuningBytes = 2 << 20;

struct Finding {
  std::string key;
  std::string choice;
  double us = 0;
};

// One thread at a time.
class TuningCache {
 public:
  explicit TuningCache(std::string device) : device_(std::move(device)) {}

  // kMalformed for damaged text, kUnsupported for another version, kInvalidArgument for findings
  // of another device.
  static Result<TuningCache> Parse(std::string_view text, std::string device);
  std::string Print() const;

  const Finding* Find(std::string_view key) const;
  // Replaces the finding of the same key. Texts with tabs or line ends, empty or longer than
  // kMaxFindingText are not kept.
  void Put(Finding finding);
  // Takes over the findings of `other` that it lacks, as older than its own.
  void Merge(const TuningCache& other);

  size_t size() const { return findings_.size(); }

 private:
  std::string device_;
  std::vector<Finding> findings_;  // the oldest first
};

// The findings of the file, none when it is not there. What is damaged, foreign or of another
// version is ignored with a warning; `is_foreign` tells that the file must not be replaced.
TuningCache LoadTuning(sys::FileSystem& fs, const std::string& path, const std::string& device,
                       bool* is_foreign);
// Writes atomically, together with what others wrote since: of two processes that write at the same
// moment one may lose its findings, and the file is never torn.
Status SaveTuning(sys::FileSystem& fs, const std::string& path, const std::string& device,
                  TuningCache& cache);

}  // namespace ferry::engine
