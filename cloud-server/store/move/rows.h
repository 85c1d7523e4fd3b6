// Rows of any table: read one after the other, written, and summed. Private to this room.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cloud-server/store/move/catalogue.h"

namespace ferry::server {

// One value of a row that outlives the answer it came with.
struct MoveCell {
  Value::Kind kind = Value::Kind::kNumber;
  int64_t number = 0;
  std::string text;
  Bytes bytes;
  Value value() const;
};
using MoveRow = std::vector<MoveCell>;

// Texts of statements, which a connection knows by their address: they live as long as it.
class Statements {
 public:
  const char* Keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

 private:
  std::deque<std::string> texts_;
};

// A connection, with the statements that were made for it.
struct MoveSide {
  std::unique_ptr<Statements> statements = std::make_unique<Statements>();
  std::unique_ptr<Connection> sql;
  std::string shown;  // where it is, as messages may say it
};

// Calls `each` for every row, in no order; few of them are in memory at a time. Inside a
// transaction.
Status ForEachRow(MoveSide& side, const MoveTable& table,
                  const std::function<Status(const MoveRow&)>& each);

// Puts rows into a table of the other side, several at once where each statement is a way to the
// server and back.
class RowWriter {
 public:
  RowWriter(MoveSide& side, const MoveTable& table);
  Status Add(const MoveRow& row);
  Status Finish();

 private:
  Status Flush(size_t rows, const char* statement);
  MoveSide& side_;
  const MoveTable& table_;
  const size_t batch_;
  const char* const many_;
  const char* const one_;
  std::vector<MoveRow> waiting_;
};

// A checksum of a table's rows in whatever order: the sum of their SHA-256, modulo 2^256. Texts
// count as PostgreSQL stores them.
class TableSum {
 public:
  void Add(const MoveRow& row);
  int64_t rows() const { return rows_; }
  std::string Hex() const;
  bool operator==(const TableSum&) const = default;

 private:
  std::array<uint64_t, 4> sum_{};  // the lowest part first
  int64_t rows_ = 0;
};

Result<TableSum> SumOf(MoveSide& side, const MoveTable& table);

}  // namespace ferry::server
