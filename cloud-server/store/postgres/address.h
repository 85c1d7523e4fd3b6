// Where a database of PostgreSQL is: "postgres://user:password@host:port/name?option=value", or the
// same with postgresql://. It may name several hosts, "one:5432,two:5432": a primary and standbys.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// Whether a place of the store is such an address and no path.
bool IsPostgresAddress(std::string_view place);

// The address as messages and logs may show it: user, hosts, ports and name. kInvalidArgument, with
// nothing of the text in it, which may hold a password.
Result<std::string> ShownAddress(const std::string& url);

using PostgresHost = std::pair<std::string, std::string>;  // and its port, as libpq takes them

// Each host of such an address; empty for what is none.
std::vector<PostgresHost> HostsOf(const std::string& url);

// `text` as PostgreSQL stores it: no NUL and nothing but UTF-8; what else it holds becomes U+FFFD.
// Gives `text` itself where it needs no change, and `copy` otherwise.
std::string_view StorableText(std::string_view text, std::string* copy);

}  // namespace ferry::server
