// The verifier of language models, also sent live. Private to admin.
#pragma once

#include "cloud-server/admin/admin.h"
#include "common/base/json.h"

namespace ferry::server {

// Targets and sessions together.
Json VerifyToJson(const AdminOptions& admin);

}  // namespace ferry::server
