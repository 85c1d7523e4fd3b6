#include "pipeline/store/pairs.h"

namespace ferry::store {
namespace {

// Above all that begin with `prefix`; empty: nothing is.
std::string EndOf(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<uint8_t>(end.back()) == 255) end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<uint8_t>(end.back()) + 1);
  return end;
}

}  // namespace

Status Pairs::Load(sqlite3* db) {
  statements_ = std::make_unique<Statements>();
  Statements& s = *statements_;
  FERRY_TRY(s.size.Prepare(db, "SELECT length(value) FROM pair WHERE key = ?"));
  FERRY_TRY(s.put.Prepare(db, "INSERT OR REPLACE INTO pair VALUES (?, ?)"));
  FERRY_TRY(s.remove.Prepare(db, "DELETE FROM pair WHERE key = ?"));
  FERRY_TRY(s.read.Prepare(
      db,
      "SELECT key, value FROM pair WHERE key >= ?1 AND (length(?2) = 0 OR key < ?2) ORDER BY key"));
  FERRY_TRY(s.weigh.Prepare(db,
                            "SELECT count(*), coalesce(sum(length(key) + length(value)), 0) "
                            "FROM pair WHERE key >= ?1 AND (length(?2) = 0 OR key < ?2)"));
  FERRY_TRY(s.remove_range.Prepare(
      db, "DELETE FROM pair WHERE key >= ?1 AND (length(?2) = 0 OR key < ?2)"));
  s.weigh.BindBlob(1, AsBytes(""));
  s.weigh.BindBlob(2, AsBytes(""));
  FERRY_ASSIGN_OR_RETURN(const bool row, s.weigh.Step());
  if (row) {
    pairs_ = pairs_next_ = s.weigh.Int(0);
    bytes_ = bytes_next_ = s.weigh.Int(1);
  }
  s.weigh.Reset();
  return OkStatus();
}

Status Pairs::Set(std::string_view key, const std::optional<std::string>& value) {
  Statements& s = *statements_;
  s.size.BindBlob(1, AsBytes(key));
  FERRY_ASSIGN_OR_RETURN(const bool there, s.size.Step());
  if (there) {
    --pairs_next_;
    bytes_next_ -= s.size.Int(0) + static_cast<int64_t>(key.size());
  }
  s.size.Reset();
  if (!value) {
    if (!there) return OkStatus();
    s.remove.BindBlob(1, AsBytes(key));
    return s.remove.Run();
  }
  ++pairs_next_;
  bytes_next_ += static_cast<int64_t>(key.size() + value->size());
  s.put.BindBlob(1, AsBytes(key));
  s.put.BindBlob(2, AsBytes(*value));
  return s.put.Run();
}

Status Pairs::RemovePrefix(std::string_view prefix) {
  Statements& s = *statements_;
  const std::string end = EndOf(prefix);
  for (sqlite::Statement* one : {&s.weigh, &s.remove_range}) {
    one->BindBlob(1, AsBytes(prefix));
    one->BindBlob(2, AsBytes(end));
  }
  FERRY_ASSIGN_OR_RETURN(const bool row, s.weigh.Step());
  if (row) {
    pairs_next_ -= s.weigh.Int(0);
    bytes_next_ -= s.weigh.Int(1);
  }
  s.weigh.Reset();
  return s.remove_range.Run();
}

Status Pairs::Write(const StateChanges& changes) {
  for (const std::string& prefix : changes.prefixes()) FERRY_TRY(RemovePrefix(prefix));
  for (const auto& [key, value] : changes.changes()) FERRY_TRY(Set(key, value));
  return OkStatus();
}

Status Pairs::Clear(sqlite3* db) {
  pairs_next_ = bytes_next_ = 0;
  return sqlite::Execute(db, "DELETE FROM pair");
}

void Pairs::Settle(bool committed) {
  if (committed) {
    pairs_ = pairs_next_;
    bytes_ = bytes_next_;
  } else {
    pairs_next_ = pairs_;
    bytes_next_ = bytes_;
  }
}

Result<std::vector<StatePair>> Pairs::Read(std::string_view prefix) {
  sqlite::Statement& read = statements_->read;
  const std::string begin(prefix), end = EndOf(prefix);
  read.BindBlob(1, AsBytes(begin));
  read.BindBlob(2, AsBytes(end));
  std::vector<StatePair> out;
  while (true) {
    FERRY_ASSIGN_OR_RETURN(const bool more, read.Step());
    if (!more) break;
    out.emplace_back(read.Text(0), read.Text(1));
  }
  read.Reset();
  return out;
}

}  // namespace ferry::store
