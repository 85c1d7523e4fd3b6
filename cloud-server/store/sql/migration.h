// One numbered step of a schema: what was released never changes.
#pragma once

#include <cstdint>

namespace ferry::server {

struct Migration {
  int64_t number;
  const char* name;
  const char* sql;
};

}  // namespace ferry::server
