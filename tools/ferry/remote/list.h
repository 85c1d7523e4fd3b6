// Lists of a server that it gives in pages.
// ---- list.cc
#pragma once

#include <string>

#include "tools/ferry/remote/api.h"

namespace ferry::cli {

// GET `path` (without a query) with the items of all pages in `member`; older servers give one.
Result<Json> GetList(const Api& api, const std::string& path, const char* member);

}  // namespace ferry::cli
