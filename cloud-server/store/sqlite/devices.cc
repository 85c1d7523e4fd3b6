#include <algorithm>

#include "cloud-server/store/sqlite/repositories.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

#define FERRY_DEVICE_COLUMNS                                                                 \
  "id, tenant, identity_public, seal_public, blocked, os, app_version, device_class, tags, " \
  "extra, "                                                                                  \
  "runtime_version, enrolled_ms, last_seen_ms, report_seq, row_version"
#define FERRY_ASSIGNMENT_COLUMNS \
  "device, counter, release, action, targets, exclusive, done, made_ms"

Result<std::map<std::string, std::string>> ReadExtra(const std::string& json) {
  FERRY_ASSIGN_OR_RETURN(Json parsed, ParseJson(json).Context("a stored profile"));
  std::map<std::string, std::string> extra;
  for (const auto& [key, value] : parsed.items()) {
    const auto* text = value.get_ptr<const std::string*>();
    if (text == nullptr) return Status(Code::kInternal, "a stored profile holds no text");
    extra[key] = *text;
  }
  return extra;
}

Result<DeviceRow> ReadDevice(Row& row) {
  DeviceRow device;
  device.id = row.NextText();
  device.tenant = row.NextText();
  device.identity_public = row.NextBytes();
  device.seal_public = row.NextBytes();
  device.blocked = row.NextBool();
  device.os = row.NextText();
  device.app_version = row.NextText();
  device.device_class = row.NextText();
  FERRY_ASSIGN_OR_RETURN(device.tags, ReadTexts(row.NextText()));
  FERRY_ASSIGN_OR_RETURN(device.extra, ReadExtra(row.NextText()));
  device.runtime_version = row.NextText();
  device.enrolled_ms = row.NextInt();
  device.last_seen_ms = row.NextInt();
  device.report_seq = row.NextUint();
  device.row_version = row.NextInt();
  return device;
}

Result<AssignmentRow> ReadAssignment(Row& row) {
  AssignmentRow assignment;
  assignment.device = row.NextText();
  assignment.counter = row.NextInt();
  assignment.release = row.NextText();
  assignment.action = row.NextText();
  FERRY_ASSIGN_OR_RETURN(assignment.targets, ReadTexts(row.NextText()));
  FERRY_ASSIGN_OR_RETURN(assignment.exclusive, ReadTexts(row.NextText()));
  assignment.done = row.NextBool();
  assignment.made_ms = row.NextInt();
  return assignment;
}

class Devices : public DeviceRepository {
 public:
  explicit Devices(Database& database) : database_(database) {}

  Result<DeviceRow> Get(const std::string& id) override {
    FERRY_ASSIGN_OR_RETURN(
        std::vector<DeviceRow> rows,
        Select("SELECT " FERRY_DEVICE_COLUMNS " FROM device WHERE id = ?1", {id}));
    if (rows.empty()) return Missing("device", id);
    return std::move(rows[0]);
  }

  Status Put(const DeviceRow& row) override {
    const std::string tags = WriteTexts(row.tags), extra = WriteJson(Json(row.extra));
    FERRY_TRY(database_.Run(
        "INSERT INTO device (" FERRY_DEVICE_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15 + 1) "
        "ON CONFLICT (id) DO UPDATE SET tenant = ?2, identity_public = ?3, seal_public = ?4, "
        "blocked = ?5, os = ?6, app_version = ?7, device_class = ?8, tags = ?9, extra = ?10, "
        "runtime_version = ?11, enrolled_ms = ?12, last_seen_ms = ?13, report_seq = ?14, "
        "row_version = row_version + 1 WHERE row_version = ?15",
        {row.id, row.tenant, row.identity_public, row.seal_public, row.blocked, row.os,
         row.app_version, row.device_class, tags, extra, row.runtime_version, row.enrolled_ms,
         row.last_seen_ms, row.report_seq, row.row_version}));
    if (database_.changes() == 1) return OkStatus();
    return Status::Of(Code::kConflict, "device {} was changed in between", row.id);
  }

  Result<std::vector<DeviceRow>> List(const std::string& after, size_t limit) override {
    return Select("SELECT " FERRY_DEVICE_COLUMNS " FROM device WHERE id > ?1 ORDER BY id LIMIT ?2",
                  {after, uint64_t{std::min(limit, kMaxPageRows)}});
  }

  Result<std::vector<DeviceRow>> All(const std::string& tenant) override {
    return Select("SELECT " FERRY_DEVICE_COLUMNS " FROM device WHERE tenant = ?1 ORDER BY id",
                  {tenant});
  }

  Result<int64_t> Count() override {
    int64_t count = 0;
    FERRY_TRY(database_.Query("SELECT count(*) FROM device", {}, [&](Row& row) {
      count = row.NextInt();
      return OkStatus();
    }));
    return count;
  }

  Result<AssignmentRow> Assignment(const std::string& device) override {
    AssignmentRow found;
    found.device = device;
    FERRY_TRY(database_.Query("SELECT " FERRY_ASSIGNMENT_COLUMNS
                              " FROM assignment WHERE device = ?1",
                              {device}, [&](Row& row) -> Status {
                                FERRY_ASSIGN_OR_RETURN(found, ReadAssignment(row));
                                return OkStatus();
                              }));
    return found;
  }

  Result<std::vector<AssignmentRow>> Assignments() override {
    std::vector<AssignmentRow> rows;
    FERRY_TRY(database_.Query("SELECT " FERRY_ASSIGNMENT_COLUMNS " FROM assignment ORDER BY device",
                              {}, [&](Row& row) -> Status {
                                FERRY_ASSIGN_OR_RETURN(AssignmentRow assignment,
                                                       ReadAssignment(row));
                                rows.push_back(std::move(assignment));
                                return OkStatus();
                              }));
    return rows;
  }

  Status PutAssignment(const AssignmentRow& row) override {
    const std::string targets = WriteTexts(row.targets), exclusive = WriteTexts(row.exclusive);
    FERRY_TRY(database_.Run(
        "INSERT INTO assignment (" FERRY_ASSIGNMENT_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (device) DO UPDATE SET "
        "counter = ?2, release = ?3, action = ?4, targets = ?5, exclusive = ?6, done = ?7, "
        "made_ms = ?8 WHERE counter <= ?2",
        {row.device, row.counter, row.release, row.action, targets, exclusive, row.done,
         row.made_ms}));
    if (database_.changes() == 1) return OkStatus();
    return Status::Of(Code::kConflict, "device {} has a newer assignment than {}", row.device,
                      row.counter);
  }

 private:
  Result<std::vector<DeviceRow>> Select(const char* sql, std::initializer_list<Value> values) {
    std::vector<DeviceRow> rows;
    FERRY_TRY(database_.Query(sql, values, [&](Row& row) -> Status {
      FERRY_ASSIGN_OR_RETURN(DeviceRow device, ReadDevice(row));
      rows.push_back(std::move(device));
      return OkStatus();
    }));
    return rows;
  }

  Database& database_;
};

}  // namespace

std::unique_ptr<DeviceRepository> MakeDeviceRepository(Database& database) {
  return std::make_unique<Devices>(database);
}

}  // namespace ferry::server
