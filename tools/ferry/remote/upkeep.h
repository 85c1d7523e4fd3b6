// What a server says of its size and age, as text for people.
#pragma once

#include <string>

#include "common/base/json.h"

namespace ferry::cli {

// Sizes, rows by stream, and what expires, of the status; what a server leaves out is left out.
std::string UpkeepText(const Json& status);
// What went, or would go, of the answer to a collect.
std::string CollectText(const Json& answer);

}  // namespace ferry::cli
