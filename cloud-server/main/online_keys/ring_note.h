// Which key ring a node's directory has seen last, in ring.json: {"sealed_ms"}.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/status.h"

namespace ferry::server {

inline constexpr const char* kRingNoteFile = "ring.json";

Result<std::optional<int64_t>> ReadRingNote(const std::string& directory);  // nullopt: none
Status WriteRingNote(const std::string& directory, int64_t sealed_ms);

}  // namespace ferry::server
