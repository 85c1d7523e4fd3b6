#include "pipeline/store/erasure.h"

#include "common/base/json.h"

namespace ferry::store {

Json ErasedToJson(const ErasedCounts& counts, int64_t erased_ms) {
  return {{"records", counts.records},
          {"state_pairs", counts.state_pairs},
          {"table_rows", counts.table_rows},
          {"bytes", counts.bytes},
          {"erased_ms", erased_ms}};
}

Json ErasureToJson(const Erasure& erasure) {
  if (erasure.number == 0) return nullptr;
  const auto receipt = [](const std::string& text) {
    auto json = ParseJson(text);
    return json.ok() ? std::move(*json) : Json();
  };
  return {{"number", erasure.number},
          {"asked", erasure.asked},
          {"asked_ms", erasure.asked_ms},
          {"device", receipt(erasure.device)},
          {"cloud", receipt(erasure.cloud)}};
}

Status Erasures::Load(sqlite3* db) {
  db_ = db;
  sqlite::Statement select;
  FERRY_TRY(select.Prepare(db, "SELECT number, asked_ms, asked, device, cloud FROM erasure"));
  FERRY_ASSIGN_OR_RETURN(const bool any, select.Step());
  if (!any) return OkStatus();
  last_.number = static_cast<uint64_t>(select.Int(0));
  last_.asked_ms = select.Int(1);
  last_.asked = select.Text(2);
  last_.device = select.Text(3);
  last_.cloud = select.Text(4);
  return OkStatus();
}

Status Erasures::Write(const Erasure& erasure) {
  sqlite::Statement write;
  FERRY_TRY(write.Prepare(db_, "INSERT OR REPLACE INTO erasure VALUES (1, ?, ?, ?, ?, ?)"));
  write.Bind(1, static_cast<int64_t>(erasure.number));
  write.Bind(2, erasure.asked_ms);
  write.Bind(3, erasure.asked);
  write.Bind(4, erasure.device);
  write.Bind(5, erasure.cloud);
  return write.Run();
}

Status WipeFile(sqlite3* db) {
  // The file is written anew without its free pages, and the log, which has pages of before, ends
  // empty.
  FERRY_TRY(sqlite::Execute(db, "VACUUM"));
  return sqlite::Execute(db, "PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace ferry::store
