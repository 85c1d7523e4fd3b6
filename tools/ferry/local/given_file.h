// Files that a command line names.
#pragma once

#include <string>

#include "common/base/status.h"

namespace ferry::cli {

// kNotFound says that `path` does not exist, and what of nearly that name is in its folder, or that
// there is no such folder.
Status CheckGiven(const std::string& path);

}  // namespace ferry::cli
