// The calls of ferry.h on tables of the collective storage.
#include "common/base/json.h"
#include "common/sys/clock.h"
#include "device-runtime/api/ferry.h"
#include "device-runtime/api/runtime/connected_agent.h"
#include "device-runtime/api/runtime/runtime.h"
#include "device-runtime/api/runtime/runtime_handle.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/table/tables.h"

namespace ferry::api {

Result<std::shared_ptr<store::Outbox>> RuntimeCore::OutboxOf(const std::string& package) {
  const auto connected = agent();
  const bool local = package.empty() ? outbox_ != nullptr : opened_->Find(package) != nullptr;
  if (!local && connected != nullptr)
    return std::shared_ptr<store::Outbox>(connected, &connected->outbox());
  if (!local && !package.empty())
    return Status::Of(Code::kNotFound, "no package {} is open or installed", package);
  if (outbox_ == nullptr)
    return Status(Code::kUnavailable, "no tables are kept: the runtime has no outbox_path");
  // The core outlives the call.
  return std::shared_ptr<store::Outbox>(std::shared_ptr<void>(), outbox_.get());
}

namespace {

struct Place {
  std::shared_ptr<store::Outbox> outbox;
  std::string table;
};

Result<Place> PlaceOf(ferry_runtime* runtime, const char* package, const char* table) {
  std::shared_ptr<ferry_runtime> self;
  FERRY_TRY(Find(runtime, "runtime", &self));
  if (table == nullptr) return Status(Code::kInvalidArgument, "table is NULL");
  FERRY_ASSIGN_OR_RETURN(auto outbox, self->runtime->OutboxOf(TextOf(package)));
  return Place{std::move(outbox), table};
}

Result<Json> Argument(const char* json, std::string_view what) {
  if (json == nullptr) return Status::Of(Code::kInvalidArgument, "{} is NULL", what);
  return ParseJson(json).Context("{}", what);
}

Result<std::vector<Json>> KeyArgument(const char* json, std::string_view what) {
  FERRY_ASSIGN_OR_RETURN(const Json key, Argument(json, what));
  if (!key.is_array()) return Status::Of(Code::kMalformed, "{}: a list of values", what);
  return std::vector<Json>(key.begin(), key.end());
}

Result<table::RangeQuery> QueryArgument(const char* json) {
  table::RangeQuery query;
  if (json == nullptr) return query;
  FERRY_ASSIGN_OR_RETURN(const Json given, Argument(json, "query_json"));
  if (!given.is_object()) return Status(Code::kMalformed, "query_json: a JSON object");
  for (const auto& [name, value] : given.items())
    if (name != "prefix" && name != "limit" && name != "descending")
      return Status::Of(Code::kMalformed, "query_json: there is no member \"{}\"", name);
  FERRY_ASSIGN_OR_RETURN(const Json* prefix, GetArrayOrNull(given, "prefix"));
  if (prefix != nullptr) query.prefix.assign(prefix->begin(), prefix->end());
  FERRY_ASSIGN_OR_RETURN(const int64_t limit,
                         GetIntOr(given, "limit", static_cast<int64_t>(table::kMaxRangeRows)));
  if (limit < 0) return Status(Code::kInvalidArgument, "query_json: limit is a number from 0");
  query.limit = static_cast<size_t>(limit);
  FERRY_ASSIGN_OR_RETURN(query.descending, GetBoolOr(given, "descending", false));
  return query;
}

// What the app writes is a commit of its own.
Status Commit(const Place& place, table::Batch& batch) {
  table::Batch* const batches[] = {&batch};
  return place.outbox->Commit(
      store::Changes{.tables = batches, .now_ms = sys::SystemClock().NowUnixMs()});
}

Status GetRow(ferry_runtime* runtime, const char* package, const char* table, const char* key_json,
              Json* out) {
  FERRY_ASSIGN_OR_RETURN(const Place place, PlaceOf(runtime, package, table));
  FERRY_ASSIGN_OR_RETURN(const auto key, KeyArgument(key_json, "key_json"));
  table::Batch batch(place.outbox->tables());
  FERRY_ASSIGN_OR_RETURN(*out, batch.Get(place.table, key));
  return OkStatus();
}

Status PutRow(ferry_runtime* runtime, const char* package, const char* table,
              const char* row_json) {
  FERRY_ASSIGN_OR_RETURN(const Place place, PlaceOf(runtime, package, table));
  FERRY_ASSIGN_OR_RETURN(const Json row, Argument(row_json, "row_json"));
  table::Batch batch(place.outbox->tables());
  FERRY_TRY(batch.Put(place.table, row));
  return Commit(place, batch);
}

Status DeleteRow(ferry_runtime* runtime, const char* package, const char* table,
                 const char* key_json) {
  FERRY_ASSIGN_OR_RETURN(const Place place, PlaceOf(runtime, package, table));
  FERRY_ASSIGN_OR_RETURN(const auto key, KeyArgument(key_json, "key_json"));
  table::Batch batch(place.outbox->tables());
  FERRY_TRY(batch.Delete(place.table, key));
  return Commit(place, batch);
}

Status RangeOfRows(ferry_runtime* runtime, const char* package, const char* table,
                   const char* query_json, Json* out) {
  FERRY_ASSIGN_OR_RETURN(const Place place, PlaceOf(runtime, package, table));
  FERRY_ASSIGN_OR_RETURN(const table::RangeQuery query, QueryArgument(query_json));
  table::Batch batch(place.outbox->tables());
  FERRY_ASSIGN_OR_RETURN(const std::vector<Json> rows, batch.Range(place.table, query));
  *out = rows;
  return OkStatus();
}

int ReturnText(const Status& status, const Json& value, char** out) {
  if (!status.ok()) return Return(status);
  *out = Copy(WriteJson(value));
  return Return(*out != nullptr ? OkStatus() : Status(Code::kOutOfMemory, "table"));
}

}  // namespace
}  // namespace ferry::api

extern "C" {

int ferry_table_get(ferry_runtime* runtime, const char* package, const char* table,
                    const char* key_json, char** row_json) {
  if (row_json == nullptr) return ferry::api::Missing("row_json");
  *row_json = nullptr;
  ferry::Json row;
  const auto status = ferry::api::GetRow(runtime, package, table, key_json, &row);
  return ferry::api::ReturnText(status, row, row_json);
}

int ferry_table_put(ferry_runtime* runtime, const char* package, const char* table,
                    const char* row_json) {
  return ferry::api::Return(ferry::api::PutRow(runtime, package, table, row_json));
}

int ferry_table_delete(ferry_runtime* runtime, const char* package, const char* table,
                       const char* key_json) {
  return ferry::api::Return(ferry::api::DeleteRow(runtime, package, table, key_json));
}

int ferry_table_range(ferry_runtime* runtime, const char* package, const char* table,
                      const char* query_json, char** rows_json) {
  if (rows_json == nullptr) return ferry::api::Missing("rows_json");
  *rows_json = nullptr;
  ferry::Json rows;
  const auto status = ferry::api::RangeOfRows(runtime, package, table, query_json, &rows);
  return ferry::api::ReturnText(status, rows, rows_json);
}

}  // extern "C"
