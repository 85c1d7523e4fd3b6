// Files in memory for SQLite. Its own "memdb" keeps a file in one allocation, which SQLite limits
// to 2 GiB and doubles as it grows: a fleet of a million devices does not fit.
#pragma once

namespace ferry::server {

// The name under which SQLite knows it, from the first call on; any thread. A file is seen by the
// connection that opens it alone and ends with it; it holds what memory there is.
const char* MemoryVfs();

}  // namespace ferry::server
