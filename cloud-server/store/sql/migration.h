// One numbered step of a schema: what was released never changes.
//
// Programs of several releases may serve from one database of PostgreSQL. `serves` is the oldest
// schema whose programs can go on when the step is done: an additive one (a table, a column with a
// default, an index, a trigger that keeps what older programs write right) leaves it where it was;
// one that takes away what an older program reads or writes raises it, and is released when no
// program of the release before it needs that any more.
#pragma once

#include <cstdint>

namespace ferry::server {

struct Migration {
  int64_t number;
  const char* name;
  const char* sql;
  int64_t serves = 0;  // 0: its own number
};

}  // namespace ferry::server
