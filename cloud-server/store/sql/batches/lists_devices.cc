#include "cloud-server/store/sql/batches/batches.h"
#include "cloud-server/store/sql/batches/columns.h"
#include "cloud-server/store/sql/device_rows.h"
#include "cloud-server/store/sql/repositories.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

// The row's version is that which the row gets: excluded.row_version is one above what was read.
constexpr char kPut[] =
    "INSERT INTO device (" FERRY_DEVICE_COLUMNS
    ") SELECT * FROM unnest(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
    "?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28) ON CONFLICT (id) DO UPDATE SET "
    "tenant = excluded.tenant, identity_public = excluded.identity_public, "
    "seal_public = excluded.seal_public, blocked = excluded.blocked, os = excluded.os, "
    "app_version = excluded.app_version, device_class = excluded.device_class, "
    "tags = excluded.tags, extra = excluded.extra, runtime_version = excluded.runtime_version, "
    "enrolled_ms = excluded.enrolled_ms, last_seen_ms = excluded.last_seen_ms, "
    "report_seq = excluded.report_seq, row_version = excluded.row_version, "
    "operator_tags = excluded.operator_tags, memory_bytes = excluded.memory_bytes, "
    "free_bytes = excluded.free_bytes, isa = excluded.isa, "
    "measured_class = excluded.measured_class, user_attributes = excluded.user_attributes, "
    "reads_desired = excluded.reads_desired, reads_when = excluded.reads_when, "
    "utc_offset_minutes = excluded.utc_offset_minutes, at_rest = excluded.at_rest, "
    "observes = excluded.observes, new_keys_ms = excluded.new_keys_ms, "
    "reads_bins = excluded.reads_bins WHERE device.row_version = excluded.row_version - 1";

}  // namespace

Status WriteDevices(Connection& sql, const std::vector<const DeviceRow*>& rows) {
  Columns columns;
  for (const DeviceRow* row : rows)
    columns.Add({row->id,
                 row->tenant,
                 row->identity_public,
                 row->seal_public,
                 row->blocked,
                 row->os,
                 row->app_version,
                 row->device_class,
                 WriteTexts(row->tags),
                 WriteJson(Json(row->extra)),
                 row->runtime_version,
                 row->enrolled_ms,
                 row->last_seen_ms,
                 row->report_seq,
                 row->row_version + 1,
                 WriteTexts(row->operator_tags),
                 row->memory_bytes,
                 row->free_bytes,
                 WriteTexts(row->isa),
                 row->measured_class,
                 WriteJson(Json(row->user)),
                 row->reads_desired,
                 row->reads_when,
                 row->utc_offset_minutes,
                 row->at_rest,
                 row->observes,
                 row->new_keys_ms,
                 row->reads_bins});
  FERRY_TRY(sql.QueryList(kPut, columns.values(), [](Row&) { return OkStatus(); }));
  if (sql.changes() == static_cast<int64_t>(rows.size())) return OkStatus();
  return Status::Of(Code::kConflict, "one of {} devices was changed in between", rows.size());
}

}  // namespace ferry::server
