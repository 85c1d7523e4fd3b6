// What tables a store's database has, by its own catalogue, and what it does by itself when rows
// come: so that a table of a later schema moves without a word here. Private to this room.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cloud-server/store/sql/connection.h"

namespace ferry::server {

struct MoveColumn {
  std::string name;
  Value::Kind kind = Value::Kind::kText;
  bool operator==(const MoveColumn&) const = default;
};

struct MoveTable {
  std::string name;
  std::vector<MoveColumn> columns;   // by name
  std::vector<std::string> parents;  // tables that its rows point to; SQLite says them alone
};

// By name, without what only one of the databases has: PostgreSQL its schema's steps, the row that
// writers lock and the hash by which profiles are found.
Result<std::vector<MoveTable>> ReadCatalogue(Connection& sql);
// The tables of `lite`, which names parents, each behind those that it points to. kUnsupported
// names the first table or column that is not in both.
Result<std::vector<MoveTable>> TablesInBoth(const std::vector<MoveTable>& lite,
                                            const std::vector<MoveTable>& postgres);
// `name` as statements have it: columns are called "rows" and "set".
std::string Quoted(const std::string& name);

// The last numbers that the database gave to rows of a table by itself, which it must not give
// again though the rows are gone.
using LastNumbers = std::map<std::string, int64_t>;
Result<LastNumbers> ReadLastNumbers(Connection& sql);
// After the rows: later ones are numbered above them and above `last`.
Status RaiseLastNumbers(Connection& sql, const LastNumbers& last);

// Triggers count rows and log changes: rows that are moved are counted and logged already.
class StillTriggers {
 public:
  StillTriggers(Connection& sql, const std::vector<MoveTable>& tables)
      : sql_(sql), tables_(tables) {}
  // Both inside the transaction that moves the rows.
  Status Stop();
  Status Resume();

 private:
  Status Alter(const char* how);
  Connection& sql_;
  const std::vector<MoveTable>& tables_;
  std::vector<std::string> dropped_;  // SQLite has no switch: they are made again
};

}  // namespace ferry::server
