// Carries all rows of a store from SQLite to PostgreSQL and back, table by table, each compared
// by a checksum afterwards. No server may run on either side meanwhile: that of PostgreSQL is
// looked for here, that of a directory is locked out by its caller.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// Settings that tell a server at its start that the rows it opens are not the truth: they are the
// beginning of a move that did not end, or were moved elsewhere.
inline constexpr const char* kMovingSetting = "cluster.moving";
inline constexpr const char* kMovedSetting = "cluster.moved";

struct MovedTable {
  std::string name;
  int64_t rows = 0;
  std::string sum;  // hex; the same for equal rows on both databases
};

struct MoveDone {
  std::vector<MovedTable> tables;  // by name
  bool was_there = false;          // by a move that ended before its caller heard of it
};

struct MoveOptions {
  // Hears each table before it is copied; may be null.
  std::function<void(const std::string& table)> begun;
  // The target is whole and durable, the source is not marked yet: the moment to note where the
  // rows are from now on. Ends before it, here or by a power cut, are repaired by the same call.
  std::function<Status()> committed;
  // For tests: an error ends the move behind this table's rows.
  std::function<Status(const std::string& table)> copied;
};

// `from` and `to` are places of OpenStore, one of each kind. The target is a new file or a database
// without rows (of devices, users, packages, anything): kAlreadyExists otherwise, unless the same
// rows are there. What ends early leaves a target that refuses to be served, and to which the same
// call may be made again; the source is as it was. kFailedPrecondition while a server runs on
// PostgreSQL, or when the source was moved; kUnsupported for schemas that differ or are not this
// program's. A source on PostgreSQL is marked as moved, a file is left for the caller to put aside.
Result<MoveDone> MoveRows(const std::string& from, const std::string& to,
                          const MoveOptions& options = {});

// Copies the rows of a database of PostgreSQL as they are at one moment into the new file `to`,
// beside servers that write; neither side is marked. Errors as above.
Status CopyPostgresRows(const std::string& from, const std::string& to, const MoveOptions& options);

}  // namespace ferry::server
