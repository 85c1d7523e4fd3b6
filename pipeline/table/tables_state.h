// The inside of Tables, for its files only.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pipeline/sqlite/sqlite.h"
#include "pipeline/table/tables.h"

namespace ferry::table {

using sqlite::Execute;
using sqlite::Statement;

inline Status NoTable(std::string_view name) {
  return Status::Of(Code::kNotFound, "there is no table {}", name);
}

// All columns stand in a row, in the form of their types.
Json Whole(const Definition& definition, Json row);

struct Statements {
  Statement get, put, remove, up, down, oldest, save;
};

struct Table {
  int64_t id = 0;
  Definition definition;
  TableStats stats;
};

struct Tables::State {
  sqlite3* db = nullptr;
  std::recursive_mutex* lock = nullptr;
  std::unique_ptr<Statements> statements;
  std::map<std::string, Table, std::less<>> tables;
  std::map<std::string, Table, std::less<>> before;  // of the transaction that runs
  bool changing = false;
  int64_t written = 0;  // numbers of writes, in order

  Table* Find(std::string_view name) {
    const auto at = tables.find(name);
    return at == tables.end() ? nullptr : &at->second;
  }

  Result<std::optional<std::string>> Get(const Table& table, std::string_view key) {
    Statement& get = statements->get;
    get.Bind(1, table.id);
    get.BindBlob(2, AsBytes(key));
    FERRY_ASSIGN_OR_RETURN(const bool row, get.Step());
    std::optional<std::string> out;
    if (row) out = get.Text(0);
    get.Reset();
    return out;
  }

  static int64_t Weigh(std::string_view key, std::string_view json) {
    return static_cast<int64_t>(key.size() + json.size());
  }

  Status Write(Table* table, const std::string& key, const std::optional<std::string>& json,
               int64_t now_ms) {
    FERRY_ASSIGN_OR_RETURN(const auto old, Get(*table, key));
    if (old) {
      --table->stats.rows;
      table->stats.bytes -= Weigh(key, *old);
    }
    if (!json) {
      statements->remove.Bind(1, table->id);
      statements->remove.BindBlob(2, AsBytes(key));
      return statements->remove.Run();
    }
    ++table->stats.rows;
    table->stats.bytes += Weigh(key, *json);
    Statement& put = statements->put;
    put.Bind(1, table->id);
    put.BindBlob(2, AsBytes(key));
    put.Bind(3, *json);
    put.Bind(4, ++written);
    put.Bind(5, now_ms);
    return put.Run();
  }

  // The rows that were written first go.
  Status Expire(Table* table, int64_t now_ms) {
    const Definition& definition = table->definition;
    const int64_t age = definition.max_age_ms;
    while (table->stats.rows > 0) {
      Statement& oldest = statements->oldest;
      oldest.Bind(1, table->id);
      FERRY_ASSIGN_OR_RETURN(const bool row, oldest.Step());
      const bool old = row && age > 0 && oldest.Int(1) < now_ms - age;
      const std::string key = row ? oldest.Text(0) : "";
      oldest.Reset();
      if (!row || (!old && table->stats.rows <= definition.max_rows)) break;
      FERRY_TRY(Write(table, key, std::nullopt, now_ms));
      ++table->stats.expired;
    }
    return OkStatus();
  }

  Status Save(const Table& table) {
    Statement& save = statements->save;
    save.Bind(1, table.definition.name);
    const std::string text = WriteJson(DefinitionToJson(table.definition));
    save.Bind(2, text);
    save.Bind(3, table.stats.rows);
    save.Bind(4, table.stats.bytes);
    save.Bind(5, table.stats.expired);
    save.Bind(6, table.stats.resets);
    save.Bind(7, table.id);
    return save.Run();
  }

  Status Clear(Table* table) {
    for (const char* what : {"collective_row", "collective_fill", "collective_brought"}) {
      Statement clear;
      FERRY_TRY(clear.Prepare(db, fmt::format("DELETE FROM {} WHERE collective = ?", what)));
      clear.Bind(1, table->id);
      FERRY_TRY(clear.Run());
    }
    table->stats.rows = table->stats.bytes = 0;
    return OkStatus();
  }
};

}  // namespace ferry::table
