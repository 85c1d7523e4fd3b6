// Rows that packages bring. Beside a row that was brought stands the number of its write: as long
// as the row has that number, nobody else has written it.
#include "pipeline/table/tables_state.h"

namespace ferry::table {
namespace {

struct Brought {
  std::string key, json;
};

Result<std::vector<Brought>> Encode(const Definition& definition, std::span<const Json> rows) {
  if (static_cast<int64_t>(rows.size()) > definition.max_rows)
    return Status::Of(Code::kLimitExceeded, "table {}: {} rows to fill it with, it keeps {}",
                      definition.name, rows.size(), definition.max_rows);
  std::vector<Brought> out;
  out.reserve(rows.size());
  for (const Json& row : rows) {
    FERRY_TRY(CheckRow(definition, row));
    FERRY_ASSIGN_OR_RETURN(std::string key, EncodeKey(definition, KeyOf(definition, row)));
    out.push_back({std::move(key), WriteJson(Whole(definition, row))});
    if (out.back().json.size() > kMaxTableRowBytes)
      return Status::Of(Code::kLimitExceeded, "table {}: a row of {} bytes, the limit is {}",
                        definition.name, out.back().json.size(), kMaxTableRowBytes);
  }
  return out;
}

Result<std::string> DigestOf(sqlite3* db, int64_t id, std::string_view source) {
  Statement select;
  FERRY_TRY(
      select.Prepare(db, "SELECT digest FROM collective_fill WHERE collective = ? AND source = ?"));
  select.Bind(1, id);
  select.Bind(2, source);
  FERRY_ASSIGN_OR_RETURN(const bool row, select.Step());
  return row ? select.Text(0) : std::string();
}

// Keys of rows that the source's last fill brought and nobody has written since.
Result<std::vector<std::string>> Untouched(sqlite3* db, int64_t id, std::string_view source) {
  Statement select;
  FERRY_TRY(select.Prepare(db,
                           "SELECT r.key FROM collective_brought b JOIN collective_row r ON "
                           "r.collective = b.collective AND r.key = b.key AND r.written = "
                           "b.written WHERE b.collective = ? AND b.source = ?"));
  select.Bind(1, id);
  select.Bind(2, source);
  std::vector<std::string> out;
  while (true) {
    FERRY_ASSIGN_OR_RETURN(const bool more, select.Step());
    if (!more) return out;
    out.push_back(select.Text(0));
  }
}

Status Forget(sqlite3* db, int64_t id, std::string_view source) {
  Statement remove;
  FERRY_TRY(
      remove.Prepare(db, "DELETE FROM collective_brought WHERE collective = ? AND source = ?"));
  remove.Bind(1, id);
  remove.Bind(2, source);
  return remove.Run();
}

Status NoteDigest(sqlite3* db, int64_t id, std::string_view source, std::string_view digest) {
  Statement note;
  FERRY_TRY(note.Prepare(db, "INSERT OR REPLACE INTO collective_fill VALUES (?, ?, ?)"));
  note.Bind(1, id);
  note.Bind(2, source);
  note.Bind(3, digest);
  return note.Run();
}

}  // namespace

Result<bool> Tables::IsFilled(std::string_view name, std::string_view source,
                              std::string_view digest) const {
  const std::lock_guard lock(*state_->lock);
  const Table* const table = state_->Find(name);
  if (table == nullptr) return NoTable(name);
  FERRY_ASSIGN_OR_RETURN(const std::string last, DigestOf(state_->db, table->id, source));
  return last == digest;
}

Result<FillCounts> Tables::Fill(std::string_view name, std::string_view source,
                                std::string_view digest, std::span<const Json> rows,
                                int64_t now_ms) {
  State& s = *state_;
  const std::lock_guard lock(*s.lock);
  Table* const table = s.Find(name);
  if (table == nullptr) return NoTable(name);
  FillCounts counts;
  FERRY_ASSIGN_OR_RETURN(const std::string last, DigestOf(s.db, table->id, source));
  if (last == digest) {
    counts.same = true;
    return counts;
  }
  FERRY_ASSIGN_OR_RETURN(const std::vector<Brought> brought, Encode(table->definition, rows));
  const Table before = *table;
  const Status status = sqlite::Transact(s.db, [&]() -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto old, Untouched(s.db, table->id, source));
    for (const std::string& key : old) FERRY_TRY(s.Write(table, key, std::nullopt, now_ms));
    counts.removed = static_cast<int64_t>(old.size());
    FERRY_TRY(Forget(s.db, table->id, source));
    Statement note;
    FERRY_TRY(note.Prepare(s.db, "INSERT OR REPLACE INTO collective_brought VALUES (?, ?, ?, ?)"));
    for (const Brought& row : brought) {
      FERRY_ASSIGN_OR_RETURN(const auto there, s.Get(*table, row.key));
      if (there) {
        ++counts.kept;
        continue;
      }
      FERRY_TRY(s.Write(table, row.key, row.json, now_ms));
      ++counts.brought;
      note.Bind(1, table->id);
      note.BindBlob(2, AsBytes(row.key));
      note.Bind(3, source);
      note.Bind(4, s.written);
      FERRY_TRY(note.Run());
    }
    FERRY_TRY(s.Expire(table, now_ms));
    FERRY_TRY(NoteDigest(s.db, table->id, source, digest));
    FERRY_TRY(s.Save(*table));
    if (bytes() > kMaxTablesBytes)
      return Status::Of(Code::kLimitExceeded, "tables of {} bytes, the limit is {}", bytes(),
                        kMaxTablesBytes);
    return OkStatus();
  });
  if (!status.ok()) {
    *table = before;
    return status;
  }
  return counts;
}

}  // namespace ferry::table
