// Statements of releases.cc about rates and retries. Private to sqlite/.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/store/sql/connection.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

Result<PaceRow> ReadPace(Connection& sql, const std::string& release);
Status WritePace(Connection& sql, const PaceRow& row);
Result<std::vector<MemberRow>> ReadRetryDue(Connection& sql, const std::string& release,
                                            int64_t attempt, int64_t before_ms, size_t limit);

}  // namespace ferry::server
