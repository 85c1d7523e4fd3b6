// Answers as they are written, and those that this server gives by itself.
#pragma once

#include <string>

#include "cloud-server/admin/http.h"

namespace ferry::server {

// The head of `response`. `chunked`: its body follows in chunks.
std::string HeadOf(const HttpResponse& response, bool keep_alive, bool chunked);

// An error whose HTTP status is not that of its code.
HttpResponse Refusal(int http_status, Code code, std::string text);

}  // namespace ferry::server
