// The server at a glance; also sent live. Private to admin.
#pragma once

#include "cloud-server/admin/admin.h"
#include "common/base/json.h"

namespace ferry::server {

inline constexpr const char* kServerVersion = "0.1.0";

// What this server can beyond its first version, sorted.
Json Features(const AdminOptions& admin);
Result<Json> StatusToJson(const AdminOptions& admin);

}  // namespace ferry::server
