// What tells one log from another and keeps its key, in two files with the same content. Internal
// to the room.
#pragma once

#include <optional>
#include <string>

#include "common/crypto/secret.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"

namespace ferry::log {

struct Identity {
  std::string log_id;                       // kLogIdBytes
  uint64_t version = 0;                     // grows with each writing
  uint64_t first_segment = 1;               // segments below are erased
  uint64_t next = 1;                        // the least number of the next event
  std::optional<crypto::Secret32> log_key;  // sealed: of all segments since the last erasing
};

// Both copies; of two different ones the newer, and the other is written again. nullopt when
// neither can be read. kWrongKey.
Result<std::optional<Identity>> LoadIdentity(sys::FileSystem& fs, const std::string& directory,
                                             const std::optional<crypto::Secret32>& app_key,
                                             sys::Random& random);
// Writes both, each in one step, with the next version.
Status SaveIdentity(sys::FileSystem& fs, const std::string& directory,
                    const std::optional<crypto::Secret32>& app_key, sys::Random& random,
                    Identity* identity);

}  // namespace ferry::log
