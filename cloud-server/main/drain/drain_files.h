// What `ferry-server drain` and a running node say to each other, as files of the server's
// directory: whoever may write there may end the node anyway.
// ---- drain_files.cc
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/sys/filesystem.h"

namespace ferry::server {

// drain.json: from the command. A node that starts forgets what was asked of the one before.
struct DrainOrder {
  int64_t asked_ms = 0;  // tells one order from another
  int64_t within_ms = 0;
  bool operator==(const DrainOrder&) const = default;
};
// draining.json: how far the node is.
struct DrainProgress {
  int64_t asked_ms = 0;  // the order that it follows
  int64_t devices = 0;   // when it began
  int64_t left = 0;
  int64_t transfers = 0;  // of content, under way
  int64_t ends_ms = 0;    // when the last one goes
  bool done = false;  // a transfer that is left goes on at another node when this one is stopped
};

inline constexpr int64_t kMaxDrainMs = 24 * int64_t{3'600'000};

Status WriteOrder(sys::FileSystem& fs, const std::string& directory, const DrainOrder& order);
// Nothing where there is none; kMalformed.
Result<std::optional<DrainOrder>> ReadOrder(sys::FileSystem& fs, const std::string& directory);
Status WriteProgress(sys::FileSystem& fs, const std::string& directory,
                     const DrainProgress& progress);
Result<std::optional<DrainProgress>> ReadProgress(sys::FileSystem& fs,
                                                  const std::string& directory);
// Both files go.
Status ForgetDrain(sys::FileSystem& fs, const std::string& directory);

}  // namespace ferry::server
