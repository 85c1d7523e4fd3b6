// The console's static pages, compiled in. They hold no data and no secret: everything they show
// comes from the admin REST with the operator's token.
#pragma once

#include <string_view>

namespace ferry::server::console {

struct Page {
  std::string_view path;  // "/app.js"
  std::string_view mime;  // with the character set
  std::string_view body;
};

// The page at `path`, "/" being the index; nullptr when there is none. Pages live for ever. Any
// thread.
const Page* ContentOf(std::string_view path);

}  // namespace ferry::server::console
