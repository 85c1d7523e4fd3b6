#include <algorithm>

#include "cloud-server/store/sql/device_rows.h"
#include "cloud-server/store/sql/fleet/groups.h"
#include "cloud-server/store/sql/repositories.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

class Devices : public DeviceRepository {
 public:
  explicit Devices(Connection& sql) : sql_(sql) {}

  Result<DeviceRow> Get(const std::string& id) override {
    FERRY_ASSIGN_OR_RETURN(std::vector<DeviceRow> rows,
                           Select(FERRY_DEVICE_READ(sql_, "WHERE id = ?1"), {id}));
    if (rows.empty()) return Missing("device", id);
    return std::move(rows[0]);
  }

  Status Put(const DeviceRow& row) override {
    const std::string tags = WriteTexts(row.tags), extra = WriteJson(Json(row.extra));
    const std::string operator_tags = WriteTexts(row.operator_tags), isa = WriteTexts(row.isa);
    const std::string user = WriteJson(Json(row.user));
    FERRY_TRY(sql_.Run(
        "INSERT INTO device (" FERRY_DEVICE_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15 + 1, ?16, "
        "?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28) "
        "ON CONFLICT (id) DO UPDATE SET tenant = ?2, identity_public = ?3, seal_public = ?4, "
        "blocked = ?5, os = ?6, app_version = ?7, device_class = ?8, tags = ?9, extra = ?10, "
        "runtime_version = ?11, enrolled_ms = ?12, last_seen_ms = ?13, report_seq = ?14, "
        "row_version = device.row_version + 1, operator_tags = ?16, memory_bytes = ?17, free_bytes "
        "= ?18, "
        "isa = ?19, measured_class = ?20, user_attributes = ?21, reads_desired = ?22, "
        "reads_when = ?23, utc_offset_minutes = ?24, at_rest = ?25, "
        "observes = ?26, new_keys_ms = ?27, reads_bins = ?28 "
        "WHERE device.row_version = ?15",
        {row.id,
         row.tenant,
         row.identity_public,
         row.seal_public,
         row.blocked,
         row.os,
         row.app_version,
         row.device_class,
         tags,
         extra,
         row.runtime_version,
         row.enrolled_ms,
         row.last_seen_ms,
         row.report_seq,
         row.row_version,
         operator_tags,
         row.memory_bytes,
         row.free_bytes,
         isa,
         row.measured_class,
         user,
         row.reads_desired,
         row.reads_when,
         row.utc_offset_minutes,
         row.at_rest,
         row.observes,
         row.new_keys_ms,
         row.reads_bins}));
    if (sql_.changes() == 1) return OkStatus();
    return Status::Of(Code::kConflict, "device {} was changed in between", row.id);
  }

  Status PutHeard(const std::string& id, uint64_t report_seq, int64_t seen_ms,
                  int64_t root_version) override {
    // A statement that names an indexed column writes its index anew: roots are not always said.
    constexpr const char* kHeard =
        "UPDATE device SET report_seq = CASE WHEN report_seq > ?2 THEN report_seq ELSE ?2 END, "
        "last_seen_ms = CASE WHEN last_seen_ms > ?3 THEN last_seen_ms ELSE ?3 END, "
        "row_version = row_version + 1 WHERE id = ?1";
    constexpr const char* kHeardWithRoot =
        "UPDATE device SET report_seq = CASE WHEN report_seq > ?2 THEN report_seq ELSE ?2 END, "
        "last_seen_ms = CASE WHEN last_seen_ms > ?3 THEN last_seen_ms ELSE ?3 END, "
        "root_version = CASE WHEN root_version > ?4 THEN root_version ELSE ?4 END, "
        "row_version = row_version + 1 WHERE id = ?1";
    if (root_version == 0) {
      FERRY_TRY(sql_.Run(kHeard, {id, report_seq, seen_ms}));
    } else {
      FERRY_TRY(sql_.Run(kHeardWithRoot, {id, report_seq, seen_ms, root_version}));
    }
    return sql_.changes() == 1 ? OkStatus() : Missing("device", id);
  }

  Result<std::vector<DeviceRow>> List(const std::string& after, size_t limit) override {
    return Select(FERRY_DEVICE_READ(sql_, "WHERE id > ?1 ORDER BY id LIMIT ?2"),
                  {after, uint64_t{std::min(limit, kMaxPageRows)}});
  }

  Result<std::vector<DeviceRow>> All(const std::string& tenant) override {
    return Select(FERRY_DEVICE_READ(sql_, "WHERE tenant = ?1 ORDER BY id"), {tenant});
  }

  Result<int64_t> Count() override {
    int64_t count = 0;
    FERRY_TRY(sql_.Query("SELECT count(*) FROM device", {}, [&](Row& row) {
      count = row.NextInt();
      return OkStatus();
    }));
    return count;
  }

  Result<std::vector<std::string>> AskForKeys(const std::string& tenant, const std::string& after,
                                              size_t limit, int64_t now_ms) override {
    std::vector<std::string> ids;
    FERRY_TRY(sql_.Query("SELECT id FROM device WHERE tenant = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
                         {tenant, after, uint64_t{std::min(limit, kMaxPageRows)}}, [&](Row& row) {
                           ids.push_back(row.NextText());
                           return OkStatus();
                         }));
    for (const std::string& id : ids)
      FERRY_TRY(
          sql_.Run("UPDATE device SET new_keys_ms = ?2, row_version = row_version + 1 "
                   "WHERE id = ?1",
                   {id, now_ms}));
    return ids;
  }

  Result<int64_t> CountAskedForKeys(const std::string& tenant) override {
    int64_t count = 0;
    FERRY_TRY(sql_.Query("SELECT count(*) FROM device WHERE tenant = ?1 AND new_keys_ms <> 0",
                         {tenant}, [&](Row& row) {
                           count = row.NextInt();
                           return OkStatus();
                         }));
    return count;
  }

  Result<int64_t> CountBelowRoot(const std::string& tenant, int64_t version) override {
    int64_t count = 0;
    FERRY_TRY(sql_.Query(
        "SELECT count(*) FROM device WHERE tenant = ?1 AND root_version < ?2 AND blocked = 0",
        {tenant, version}, [&](Row& row) {
          count = row.NextInt();
          return OkStatus();
        }));
    return count;
  }

  Result<int64_t> CountObserving(const std::string& tenant) override {
    int64_t count = 0;
    FERRY_TRY(sql_.Query("SELECT count(*) FROM device WHERE tenant = ?1 AND observes = 1", {tenant},
                         [&](Row& row) {
                           count = row.NextInt();
                           return OkStatus();
                         }));
    return count;
  }

  Result<int64_t> CountWithoutBins() override {
    int64_t count = 0;
    FERRY_TRY(sql_.Query("SELECT count(*) FROM device WHERE reads_bins = 0 AND blocked = 0", {},
                         [&](Row& row) {
                           count = row.NextInt();
                           return OkStatus();
                         }));
    return count;
  }

  Result<AssignmentRow> Assignment(const std::string& device) override {
    AssignmentRow found;
    found.device = device;
    FERRY_TRY(sql_.Query("SELECT " FERRY_ASSIGNMENT_COLUMNS " FROM assignment WHERE device = ?1",
                         {device}, [&](Row& row) -> Status {
                           FERRY_ASSIGN_OR_RETURN(found, ReadAssignment(row));
                           return OkStatus();
                         }));
    return found;
  }

  Status PutAssignment(const AssignmentRow& row) override {
    const std::string targets = WriteTexts(row.targets), exclusive = WriteTexts(row.exclusive);
    FERRY_TRY(sql_.Run(
        "INSERT INTO assignment (" FERRY_ASSIGNMENT_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (device) DO UPDATE SET "
        "counter = ?2, release = ?3, action = ?4, targets = ?5, exclusive = ?6, done = ?7, "
        "made_ms = ?8, desired = ?9, personal = ?10 WHERE assignment.counter <= ?2",
        {row.device, row.counter, row.release, row.action, targets, exclusive, row.done,
         row.made_ms, row.desired_json, row.personal}));
    if (sql_.changes() == 1) return OkStatus();
    return Status::Of(Code::kConflict, "device {} has a newer assignment than {}", row.device,
                      row.counter);
  }

  Result<bool> SettleAssignment(const std::string& device) override {
    FERRY_TRY(sql_.Run(
        "UPDATE assignment SET done = 1 WHERE device = ?1 AND done = 0 AND "
        "NOT EXISTS (SELECT 1 FROM member WHERE member.device = ?1 AND member.done = 0) AND "
        "EXISTS (SELECT 1 FROM device WHERE id = ?1 AND reads_desired = 1)",
        {device}));
    return sql_.changes() == 1;
  }

  Result<std::vector<InstalledRow>> Installed(const std::string& device) override {
    std::vector<InstalledRow> rows;
    FERRY_TRY(sql_.Query(
        "SELECT device, package, version, release, disabled FROM installed WHERE device = ?1 "
        "ORDER BY package",
        {device}, [&](Row& row) {
          rows.push_back(ReadInstalled(row));
          return OkStatus();
        }));
    return rows;
  }

  Result<std::vector<VersionCount>> InstalledVersions() override {
    std::vector<VersionCount> rows;
    FERRY_TRY(
        sql_.Query("SELECT package, version, count(*) FROM installed GROUP BY package, version "
                   "ORDER BY package, count(*) DESC, version",
                   {}, [&](Row& row) {
                     VersionCount& count = rows.emplace_back();
                     count.package = row.NextText();
                     count.version = row.NextText();
                     count.devices = row.NextInt();
                     return OkStatus();
                   }));
    return rows;
  }

  Status PutInstalled(const InstalledRow& row) override {
    if (row.version.empty())
      return sql_.Run("DELETE FROM installed WHERE device = ?1 AND package = ?2",
                      {row.device, row.package});
    return sql_.Run(
        "INSERT INTO installed (device, package, version, release, disabled) "
        "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (device, package) DO UPDATE SET "
        "version = ?3, release = ?4, disabled = ?5",
        {row.device, row.package, row.version, row.release, row.disabled});
  }

  Status PutVersion(const InstalledRow& row) override {
    return sql_.Run(
        "INSERT INTO installed (device, package, version, release, disabled) "
        "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (device, package) DO UPDATE SET "
        "version = ?3, release = ?4, disabled = ?5 WHERE installed.version <> ?3",
        {row.device, row.package, row.version, row.release, row.disabled});
  }

  Result<std::vector<ProfileRow>> Profiles(const std::string& tenant) override {
    std::vector<ProfileRow> rows;
    FERRY_TRY(sql_.Query(
        "SELECT tenant, os, app_version, device_class, runtime_version, tags, operator_tags, "
        "extra, memory_bytes, isa, measured_class, devices FROM profile WHERE tenant = ?1",
        {tenant}, [&](Row& row) -> Status {
          ProfileRow& profile = rows.emplace_back();
          profile.sample.tenant = row.NextText();
          profile.sample.os = row.NextText();
          profile.sample.app_version = row.NextText();
          profile.sample.device_class = row.NextText();
          profile.sample.runtime_version = row.NextText();
          FERRY_ASSIGN_OR_RETURN(profile.sample.tags, ReadTexts(row.NextText()));
          FERRY_ASSIGN_OR_RETURN(profile.sample.operator_tags, ReadTexts(row.NextText()));
          FERRY_ASSIGN_OR_RETURN(profile.sample.extra, ReadTextMap(row.NextText()));
          profile.sample.memory_bytes = row.NextInt();
          FERRY_ASSIGN_OR_RETURN(profile.sample.isa, ReadTexts(row.NextText()));
          profile.sample.measured_class = row.NextText();
          profile.devices = row.NextInt();
          return OkStatus();
        }));
    return rows;
  }

  Result<int64_t> CountInProfiles(const std::string& tenant) override {
    int64_t count = 0;
    FERRY_TRY(sql_.Query(
        "SELECT CAST(COALESCE(SUM(devices), 0) AS BIGINT) FROM profile WHERE tenant = ?1", {tenant},
        [&](Row& row) {
          count = row.NextInt();
          return OkStatus();
        }));
    return count;
  }

  Result<std::vector<std::string>> Starts(const std::string& device) override {
    std::vector<std::string> starts;
    FERRY_TRY(sql_.Query(
        "SELECT start_id FROM device_start WHERE device = ?1 ORDER BY number DESC LIMIT ?2",
        {device, uint64_t{kMaxDeviceStarts}}, [&](Row& row) {
          starts.push_back(row.NextText());
          return OkStatus();
        }));
    return starts;
  }

  Status PutStart(const std::string& device, const std::string& start_id,
                  int64_t seen_ms) override {
    FERRY_TRY(sql_.Run("DELETE FROM device_start WHERE device = ?1 AND start_id = ?2",
                       {device, start_id}));
    FERRY_TRY(sql_.Run("INSERT INTO device_start (device, start_id, seen_ms) VALUES (?1, ?2, ?3)",
                       {device, start_id, seen_ms}));
    return sql_.Run(
        "DELETE FROM device_start WHERE device = ?1 AND number NOT IN (SELECT number FROM "
        "device_start WHERE device = ?1 ORDER BY number DESC LIMIT ?2)",
        {device, uint64_t{kMaxDeviceStarts}});
  }

  Result<std::optional<DeviceStateRow>> State(const std::string& device) override {
    std::optional<DeviceStateRow> found;
    FERRY_TRY(sql_.Query("SELECT device, state, noted_ms FROM device_state WHERE device = ?1",
                         {device}, [&](Row& row) {
                           found.emplace();
                           found->device = row.NextText();
                           found->state = row.NextText();
                           found->noted_ms = row.NextInt();
                           return OkStatus();
                         }));
    return found;
  }

  Status PutState(const DeviceStateRow& row) override {
    return sql_.Run(
        "INSERT INTO device_state VALUES (?1, ?2, ?3) "
        "ON CONFLICT (device) DO UPDATE SET state = ?2, noted_ms = ?3",
        {row.device, row.state, row.noted_ms});
  }

 private:
  Result<std::vector<DeviceRow>> Select(const char* sql, std::initializer_list<Value> values) {
    std::vector<DeviceRow> rows;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) -> Status {
      FERRY_ASSIGN_OR_RETURN(DeviceRow device, ReadDevice(row));
      rows.push_back(std::move(device));
      return OkStatus();
    }));
    if (rows.empty()) return rows;
    FERRY_ASSIGN_OR_RETURN(const auto fleet, ReadFleetGroups(sql_));
    for (DeviceRow& device : rows) device.fleet.all = fleet;
    return rows;
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<DeviceRepository> MakeDeviceRepository(Connection& sql) {
  return std::make_unique<Devices>(sql);
}

}  // namespace ferry::server
