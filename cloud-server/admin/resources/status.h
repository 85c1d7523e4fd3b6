// The server at a glance; also sent live. Private to admin.
#pragma once

#include "cloud-server/admin/admin.h"
#include "common/base/json.h"

namespace ferry::server {

inline constexpr const char* kServerVersion = "0.1.0";

Result<Json> StatusToJson(const AdminOptions& admin);

}  // namespace ferry::server
