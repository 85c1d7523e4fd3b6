// Directories whose names survive a power cut.
#pragma once

#include <string>

#include "common/sys/filesystem.h"

namespace ferry::agent {

// Makes `path` and its parents, and syncs the parent of each one that was made.
Status MakeDurableDirectories(sys::FileSystem& fs, const std::string& path);

}  // namespace ferry::agent
