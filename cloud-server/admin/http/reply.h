// Answers as they are written, and those that this server gives by itself.
#pragma once

#include <string>

#include "cloud-server/admin/http.h"

namespace ferry::server {

// The head of `response`. `chunked`: its body follows in chunks.
std::string HeadOf(const HttpResponse& response, bool keep_alive, bool chunked);

// "Fri, 27 Nov 2026 12:00:00 GMT", for the field Date (RFC 9110, section 5.6.7), by which callers
// see that a clock is wrong. From 1970 on.
std::string HttpDate(int64_t unix_ms);

// An error whose HTTP status is not that of its code.
HttpResponse Refusal(int http_status, Code code, std::string text);

}  // namespace ferry::server
