// The console's pages, built into the program. Source: own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ferry::server {

struct ConsolePage {
  std::string_view content_type;  // "text/html; charset=utf-8"
  std::string_view body;          // lives for ever
};

// The page at `path` ("/", "/app.js"); nullopt when there is none. Any thread.
std::optional<ConsolePage> ContentOf(std::string_view path);

}  // namespace ferry::server
