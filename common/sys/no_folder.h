// What a write says whose folder is missing.
#pragma once

#include <string>

#include "common/base/status.h"

namespace ferry::sys {

// kNotFound with the path and its folder.
Status NoFolderFor(const std::string& path);

}  // namespace ferry::sys
