// A head that was parsed: what this server does not serve, whoever asks, and the call it makes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cloud-server/admin/http/line.h"

namespace ferry::server {

// The answer to a request that HTTP allows and this server does not: too many fields, another
// server's name, a page of another origin, a compressed body, one that is too large.
std::optional<HttpResponse> CheckHead(const Parser& parser, const std::vector<std::string>& names);

// The answer to what is no HTTP.
HttpResponse RefusalOf(NetError error);

// Who asks: the line's peer, or where that is one of `proxies`, the client that it names.
std::string ClientOf(const Line& line, const std::vector<std::string>& proxies);

// The call of the line's request; `read_body` borrows the line.
HttpRequest RequestOf(Line& line, std::string client);

}  // namespace ferry::server
