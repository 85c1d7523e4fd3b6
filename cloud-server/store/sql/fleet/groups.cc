#include "cloud-server/store/sql/fleet/groups.h"

#include <algorithm>

#include "cloud-server/store/sql/repositories.h"
#include "policy/text/rule_text.h"

namespace ferry::server {
namespace {

#define FERRY_GROUP_COLUMNS "name, rule, created_ms, row_version"

GroupRow ReadGroup(Row& row) {
  GroupRow group;
  group.name = row.NextText();
  group.rule = row.NextText();
  group.created_ms = row.NextInt();
  group.row_version = row.NextInt();
  return group;
}

class DeviceGroups : public GroupRepository {
 public:
  explicit DeviceGroups(Connection& sql) : sql_(sql) {}

  Result<GroupRow> Get(const std::string& name) override {
    std::optional<GroupRow> found;
    FERRY_TRY(sql_.Query("SELECT " FERRY_GROUP_COLUMNS " FROM device_group WHERE name = ?1", {name},
                         [&](Row& row) {
                           found = ReadGroup(row);
                           return OkStatus();
                         }));
    if (!found) return Missing("group", name);
    return *std::move(found);
  }

  Status Put(const GroupRow& row) override {
    FERRY_TRY(sql_.Run("INSERT INTO device_group (" FERRY_GROUP_COLUMNS
                       ") VALUES (?1, ?2, ?3, ?4 + 1) ON CONFLICT (name) DO UPDATE SET "
                       "rule = ?2, created_ms = ?3, row_version = device_group.row_version + 1 "
                       "WHERE device_group.row_version = ?4",
                       {row.name, row.rule, row.created_ms, row.row_version}));
    if (sql_.changes() == 1) return OkStatus();
    return Status::Of(Code::kConflict, "group {} was changed in between", row.name);
  }

  Status Remove(const std::string& name) override {
    FERRY_TRY(sql_.Run("DELETE FROM device_group WHERE name = ?1", {name}));
    return sql_.changes() == 1 ? OkStatus() : Missing("group", name);
  }

  Result<std::vector<GroupRow>> All() override { return ReadGroups(sql_); }

  Result<int64_t> Count(const std::string& group) override {
    int64_t count = 0;
    FERRY_TRY(sql_.Query("SELECT count(*) FROM group_device WHERE group_name = ?1", {group},
                         [&](Row& row) {
                           count = row.NextInt();
                           return OkStatus();
                         }));
    return count;
  }

  Result<std::vector<std::string>> Devices(const std::string& group, const std::string& after,
                                           size_t limit) override {
    std::vector<std::string> devices;
    FERRY_TRY(sql_.Query(
        "SELECT device FROM group_device WHERE group_name = ?1 AND device > ?2 ORDER BY device "
        "LIMIT ?3",
        {group, after, uint64_t{std::min(limit, kMaxPageRows)}}, [&](Row& row) {
          devices.push_back(row.NextText());
          return OkStatus();
        }));
    return devices;
  }

  Result<bool> AddDevice(const std::string& group, const std::string& device) override {
    bool known = false;
    FERRY_TRY(sql_.Query(
        "SELECT 1 FROM device, device_group WHERE device.id = ?2 AND device_group.name = ?1",
        {group, device}, [&](Row&) {
          known = true;
          return OkStatus();
        }));
    if (!known) return Missing("device", device);
    FERRY_TRY(sql_.Run("INSERT INTO group_device VALUES (?2, ?1) ON CONFLICT DO NOTHING",
                       {group, device}));
    return sql_.changes() == 1;
  }

  Result<bool> RemoveDevice(const std::string& group, const std::string& device) override {
    FERRY_TRY(sql_.Run("DELETE FROM group_device WHERE group_name = ?1 AND device = ?2",
                       {group, device}));
    return sql_.changes() == 1;
  }

 private:
  static Result<std::vector<GroupRow>> ReadGroups(Connection& sql) {
    std::vector<GroupRow> groups;
    FERRY_TRY(sql.Query("SELECT " FERRY_GROUP_COLUMNS " FROM device_group ORDER BY name", {},
                        [&](Row& row) {
                          groups.push_back(ReadGroup(row));
                          return OkStatus();
                        }));
    return groups;
  }

  Connection& sql_;
};

}  // namespace

Result<std::shared_ptr<const target::Groups>> ReadFleetGroups(Connection& sql) {
  std::map<std::string, std::optional<target::Rule>, std::less<>> groups;
  FERRY_TRY(sql.Query("SELECT name, rule FROM device_group", {}, [&](Row& row) {
    const std::string name = row.NextText(), text = row.NextText();
    std::optional<target::Rule> rule;
    if (!text.empty()) {
      auto parsed = text::ParseRule(text);
      if (!parsed.ok()) return OkStatus();
      rule = *std::move(parsed);
    }
    groups.emplace(name, std::move(rule));
    return OkStatus();
  }));
  return target::Groups::Make(std::move(groups));
}

std::unique_ptr<GroupRepository> MakeGroupRepository(Connection& sql) {
  return std::make_unique<DeviceGroups>(sql);
}

}  // namespace ferry::server
