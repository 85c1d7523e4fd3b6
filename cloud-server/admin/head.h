// The parts of a request's head that this server reads: target, Host, Origin. Pure.
// Sources: RFC 3986 (percent encoding), RFC 9110 section 7.2 (Host), RFC 6454 (Origin).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// Path and query of a target, percent decoded ('+' is a space in the query only).
void SplitTarget(std::string_view target, std::string* path,
                 std::map<std::string, std::string>* query);

// Whether `host` (the header, with or without a port) may be this server: an address, "localhost"
// or one of `names`. A name of a stranger's that resolves to this machine (DNS rebinding) is not.
bool IsOwnHost(std::string_view host, const std::vector<std::string>& names);

// Whether a page of `origin` is this server's own, which was called as `host`.
bool IsOwnOrigin(std::string_view origin, std::string_view host);

}  // namespace ferry::server
