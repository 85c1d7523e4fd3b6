// The name Json for headers that only pass values on. Whoever makes, reads or holds one includes
// common/base/json.h: parsing nlohmann/json costs more than most files that include such a header.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

namespace ferry {

using Json = nlohmann::json;

// What ParseJson takes.
inline constexpr size_t kMaxJsonBytes = 16 << 20;
inline constexpr int kMaxJsonDepth = 64;

}  // namespace ferry
