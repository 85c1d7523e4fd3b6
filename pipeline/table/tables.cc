#include "pipeline/table/tables.h"

#include <algorithm>

#include "pipeline/table/tables_state.h"

namespace ferry::table {
namespace {

constexpr char kSchema[] = R"(
  CREATE TABLE IF NOT EXISTS collective(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL,
    expired INTEGER NOT NULL, resets INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS collective_row(collective INTEGER NOT NULL, key BLOB NOT NULL,
    json TEXT NOT NULL, written INTEGER NOT NULL, written_ms INTEGER NOT NULL,
    PRIMARY KEY (collective, key)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS collective_row_written ON collective_row(collective, written);
  CREATE TABLE IF NOT EXISTS collective_fill(collective INTEGER NOT NULL, source TEXT NOT NULL,
    digest TEXT NOT NULL, PRIMARY KEY (collective, source)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS collective_brought(collective INTEGER NOT NULL, key BLOB NOT NULL,
    source TEXT NOT NULL, written INTEGER NOT NULL, PRIMARY KEY (collective, key)) WITHOUT ROWID;
)";

// Added columns keep what is there; everything else does not.
bool Keeps(const Definition& before, const Definition& now) {
  if (before.key != now.key) return false;
  return std::all_of(before.columns.begin(), before.columns.end(), [&](const Column& column) {
    const Column* same = now.Find(column.name);
    return same != nullptr && same->type == column.type;
  });
}

// Above all keys that begin with `prefix`; empty: there is nothing above.
std::string AboveAll(std::string prefix) {
  while (!prefix.empty() && static_cast<uint8_t>(prefix.back()) == 255) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(static_cast<uint8_t>(prefix.back()) + 1);
  return prefix;
}

}  // namespace

Json Whole(const Definition& definition, Json row) {
  for (const Column& column : definition.columns) {
    Json& value = row[column.name];
    if (column.type == Type::kFloat && value.is_number()) value = value.get<double>();
  }
  return row;
}

Tables::Tables() : state_(std::make_unique<State>()) {}
Tables::~Tables() = default;

Status Tables::Load(sqlite3* db, std::recursive_mutex* lock) {
  State& s = *state_;
  s.db = db;
  s.lock = lock;
  FERRY_TRY(Execute(db, kSchema));
  s.statements = std::make_unique<Statements>();
  Statements& q = *s.statements;
  FERRY_TRY(q.get.Prepare(db, "SELECT json FROM collective_row WHERE collective = ? AND key = ?"));
  FERRY_TRY(q.put.Prepare(db, "INSERT OR REPLACE INTO collective_row VALUES (?, ?, ?, ?, ?)"));
  FERRY_TRY(q.remove.Prepare(db, "DELETE FROM collective_row WHERE collective = ? AND key = ?"));
  constexpr std::string_view kRange =
      "SELECT key, json FROM collective_row WHERE collective = ? AND key >= ? "
      "AND (length(?3) = 0 OR key < ?3) ORDER BY key {} LIMIT ?4";
  FERRY_TRY(q.up.Prepare(db, fmt::format(fmt::runtime(kRange), "ASC")));
  FERRY_TRY(q.down.Prepare(db, fmt::format(fmt::runtime(kRange), "DESC")));
  FERRY_TRY(q.oldest.Prepare(db,
                             "SELECT key, written_ms FROM collective_row WHERE collective = ? "
                             "ORDER BY written LIMIT 1"));
  FERRY_TRY(q.save.Prepare(db,
                           "INSERT OR REPLACE INTO collective(name, definition, rows, bytes, "
                           "expired, resets, id) VALUES (?, ?, ?, ?, ?, ?, ?)"));
  Statement all, last;
  FERRY_TRY(last.Prepare(db,
                         "SELECT coalesce(max(written), 0) FROM (SELECT written FROM "
                         "collective_row UNION ALL SELECT written FROM collective_brought)"));
  FERRY_ASSIGN_OR_RETURN(const bool any, last.Step());
  if (any) s.written = last.Int(0);
  FERRY_TRY(all.Prepare(db, "SELECT id, definition, rows, bytes, expired, resets FROM collective"));
  while (true) {
    FERRY_ASSIGN_OR_RETURN(const bool more, all.Step());
    if (!more) return OkStatus();
    Table table;
    table.id = all.Int(0);
    FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(all.Text(1)));
    FERRY_ASSIGN_OR_RETURN(table.definition, DefinitionFromJson(json));
    table.stats = {table.definition.name, all.Int(2), all.Int(3), all.Int(4), all.Int(5)};
    s.tables[table.definition.name] = std::move(table);
  }
}

Result<bool> Tables::Declare(const Definition& definition) {
  State& s = *state_;
  const std::lock_guard lock(*s.lock);
  Table table;
  Table* const known = s.Find(definition.name);
  if (known == nullptr && s.tables.size() >= kMaxTables)
    return Status::Of(Code::kLimitExceeded, "table {}: there are {} tables already",
                      definition.name, kMaxTables);
  if (known != nullptr) table = *known;
  for (const auto& [name, other] : s.tables)
    if (known == nullptr) table.id = std::max(table.id, other.id);
  if (known == nullptr) ++table.id;
  const bool anew = known != nullptr && !Keeps(known->definition, definition);
  table.definition = definition;
  table.stats.name = definition.name;
  if (anew) ++table.stats.resets;
  FERRY_TRY(sqlite::Transact(s.db, [&]() -> Status {
    if (anew) FERRY_TRY(s.Clear(&table));
    return s.Save(table);
  }));
  s.tables[definition.name] = std::move(table);
  return anew;
}

Status Tables::Drop(std::string_view name) {
  State& s = *state_;
  const std::lock_guard lock(*s.lock);
  Table* const table = s.Find(name);
  if (table == nullptr) return NoTable(name);
  FERRY_TRY(sqlite::Transact(s.db, [&]() -> Status {
    Table cleared = *table;
    FERRY_TRY(s.Clear(&cleared));
    Statement remove;
    FERRY_TRY(remove.Prepare(s.db, "DELETE FROM collective WHERE id = ?"));
    remove.Bind(1, cleared.id);
    return remove.Run();
  }));
  s.tables.erase(s.tables.find(name));
  return OkStatus();
}

Result<Definition> Tables::Find(std::string_view name) const {
  const std::lock_guard lock(*state_->lock);
  const Table* const table = state_->Find(name);
  if (table == nullptr) return NoTable(name);
  return table->definition;
}

std::vector<TableStats> Tables::stats() const {
  const std::lock_guard lock(*state_->lock);
  std::vector<TableStats> out;
  for (const auto& [name, table] : state_->tables) out.push_back(table.stats);
  return out;
}

int64_t Tables::bytes() const {
  const std::lock_guard lock(*state_->lock);
  int64_t bytes = 0;
  for (const auto& [name, table] : state_->tables) bytes += table.stats.bytes;
  return bytes;
}

Status Tables::Apply(std::span<Batch* const> batches, int64_t now_ms) {
  if (batches.empty()) return OkStatus();
  State& s = *state_;
  s.before = s.tables;
  s.changing = true;
  bool changed = false;
  for (const Batch* batch : batches) {
    for (const auto& [name, changes] : batch->changes_) {
      Table* const table = s.Find(name);
      if (table == nullptr) continue;  // dropped since
      for (const auto& [key, change] : changes)
        FERRY_TRY(s.Write(table, key, change.row, now_ms).Context("table {}", name));
      changed = true;
      FERRY_TRY(s.Expire(table, now_ms));
      FERRY_TRY(s.Save(*table));
    }
  }
  if (changed && bytes() > kMaxTablesBytes)
    return Status::Of(Code::kLimitExceeded, "tables of {} bytes, the limit is {}", bytes(),
                      kMaxTablesBytes);
  return OkStatus();
}

Result<int64_t> Tables::ClearAll() {
  State& s = *state_;
  s.before = s.tables;
  s.changing = true;
  int64_t rows = 0;
  for (auto& [name, table] : s.tables) {
    rows += table.stats.rows;
    FERRY_TRY(s.Clear(&table));
    FERRY_TRY(s.Save(table));
  }
  return rows;
}

void Tables::Settle(bool committed) {
  if (state_->changing && !committed) state_->tables = std::move(state_->before);
  state_->before.clear();
  state_->changing = false;
}

// A batch of a definition that began anew since holds rows of another shape; they are checked again
// where they are read.
Result<Json> Batch::Get(std::string_view name, const std::vector<Json>& key) {
  Tables::State& s = *tables_.state_;
  const std::lock_guard lock(*s.lock);
  const Table* const table = s.Find(name);
  if (table == nullptr) return NoTable(name);
  if (key.size() != table->definition.key.size())
    return Status::Of(Code::kInvalidArgument, "table {}: {} values for a key of {}", name,
                      key.size(), table->definition.key.size());
  FERRY_ASSIGN_OR_RETURN(const std::string bytes, EncodeKey(table->definition, key));
  std::optional<std::string> row;
  const auto mine = changes_.find(name);
  const Change* change = nullptr;
  if (mine != changes_.end())
    if (const auto at = mine->second.find(bytes); at != mine->second.end()) change = &at->second;
  if (change != nullptr) {
    row = change->row;
  } else {
    FERRY_ASSIGN_OR_RETURN(row, s.Get(*table, bytes));
  }
  if (!row) return Json();
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(*row));
  return Whole(table->definition, std::move(json));
}

Status Batch::Put(std::string_view name, const Json& row) {
  FERRY_ASSIGN_OR_RETURN(const Definition definition, tables_.Find(name));
  FERRY_TRY(CheckRow(definition, row));
  FERRY_ASSIGN_OR_RETURN(std::string key, EncodeKey(definition, KeyOf(definition, row)));
  std::string json = WriteJson(Whole(definition, row));
  if (json.size() > kMaxTableRowBytes)
    return Status::Of(Code::kLimitExceeded, "table {}: a row of {} bytes, the limit is {}", name,
                      json.size(), kMaxTableRowBytes);
  return Add(name, std::move(key), std::move(json));
}

Status Batch::Delete(std::string_view name, const std::vector<Json>& key) {
  FERRY_ASSIGN_OR_RETURN(const Definition definition, tables_.Find(name));
  if (key.size() != definition.key.size())
    return Status::Of(Code::kInvalidArgument, "table {}: {} values for a key of {}", name,
                      key.size(), definition.key.size());
  FERRY_ASSIGN_OR_RETURN(std::string bytes, EncodeKey(definition, key));
  return Add(name, std::move(bytes), std::nullopt);
}

Status Batch::Add(std::string_view name, std::string key, std::optional<std::string> row) {
  const size_t more = key.size() + (row ? row->size() : 0);
  if (bytes_ + more > kMaxBatchBytes)
    return Status::Of(Code::kLimitExceeded,
                      "table {}: changes of {} bytes in one run, the limit is {}", name,
                      bytes_ + more, kMaxBatchBytes);
  bytes_ += more;
  changes_[std::string(name)][std::move(key)].row = std::move(row);
  return OkStatus();
}

void Batch::Clear() {
  changes_.clear();
  bytes_ = 0;
}

Result<std::vector<Json>> Batch::Range(std::string_view name, const RangeQuery& query) {
  Tables::State& s = *tables_.state_;
  const std::lock_guard lock(*s.lock);
  const Table* const table = s.Find(name);
  if (table == nullptr) return NoTable(name);
  FERRY_ASSIGN_OR_RETURN(const std::string from, EncodeKey(table->definition, query.prefix));
  const std::string to = AboveAll(from);
  const size_t limit = std::min(query.limit, kMaxRangeRows);
  // One's own changes in the range stand before those of the disk.
  Changes own;
  if (const auto mine = changes_.find(name); mine != changes_.end())
    for (auto at = mine->second.lower_bound(from); at != mine->second.end(); ++at) {
      if (!to.empty() && at->first >= to) break;
      own.insert(*at);
    }
  std::map<std::string, std::string> rows;
  Statement& select = query.descending ? s.statements->down : s.statements->up;
  select.Bind(1, table->id);
  select.BindBlob(2, AsBytes(from));
  select.BindBlob(3, AsBytes(to));
  select.Bind(4, static_cast<int64_t>(limit + own.size()));
  while (true) {
    FERRY_ASSIGN_OR_RETURN(const bool more, select.Step());
    if (!more) break;
    rows[select.Text(0)] = select.Text(1);
  }
  select.Reset();
  for (const auto& [key, change] : own) {
    if (change.row) rows[key] = *change.row;
    if (!change.row) rows.erase(key);
  }
  std::vector<Json> out;
  const auto take = [&](const std::string& text) -> Status {
    FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(text));
    out.push_back(Whole(table->definition, std::move(json)));
    return OkStatus();
  };
  auto up = rows.begin();
  auto down = rows.rbegin();
  for (size_t k = std::min(limit, rows.size()); k > 0; --k)
    FERRY_TRY(take(query.descending ? (down++)->second : (up++)->second));
  return out;
}

}  // namespace ferry::table
