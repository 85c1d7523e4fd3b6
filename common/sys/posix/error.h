// errno to Status. For posix/ only.
#pragma once

#include <string>

#include "common/base/status.h"

namespace ferry::sys {

// "<what> <path>: <text of error>", with the code that the callers of FileSystem tell apart.
Status StatusOfErrno(int error, const char* what, const std::string& path);

// The same of a file or folder that is to be there: kNotFound says that it does not exist.
Status StatusOfPath(int error, const char* what, const std::string& path);

}  // namespace ferry::sys
