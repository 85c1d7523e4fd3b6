// FERRY_DISK_LIMIT_BYTES: a full disk for tests of whole programs.
#pragma once

#include <string>

#include "common/base/status.h"

namespace ferry::sys {

// Counts `bytes` that are about to be written; kDiskFull once the process is past the limit.
Status CountWritten(uint64_t bytes, const std::string& path);

}  // namespace ferry::sys
