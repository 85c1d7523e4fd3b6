// The fleet's groups, as rules ask for them. Private to sqlite/.
#pragma once

#include <memory>

#include "cloud-server/store/sql/connection.h"
#include "policy/target/groups.h"

namespace ferry::server {

// All groups with their rules. One whose rule is not understood (a newer server wrote it) is left
// out: rules that name it then match nobody, and devices can still be read.
Result<std::shared_ptr<const target::Groups>> ReadFleetGroups(Connection& sql);

}  // namespace ferry::server
