#include "cloud-server/store/sql/batches/batches.h"
#include "cloud-server/store/sql/device_rows.h"
#include "cloud-server/store/sql/fleet/groups.h"
#include "cloud-server/store/sql/release_rows.h"

namespace ferry::server {
namespace {

using Texts = std::vector<std::string>;

Status ReadProfiles(Connection& sql, const Texts& ids, DeviceRows* rows) {
  FERRY_TRY(sql.Query(FERRY_DEVICE_READ(sql, "WHERE id = ANY(?1) ORDER BY id"), {ids},
                      [&](Row& row) -> Status {
                        FERRY_ASSIGN_OR_RETURN(DeviceRow device, ReadDevice(row));
                        rows->devices.push_back(std::move(device));
                        return OkStatus();
                      }));
  if (rows->devices.empty()) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const auto fleet, ReadFleetGroups(sql));
  for (DeviceRow& device : rows->devices) device.fleet.all = fleet;
  return OkStatus();
}

Status ReadBeside(Connection& sql, const Texts& ids, DeviceRows* rows) {
  FERRY_TRY(
      sql.Query("SELECT device, package, version, release, disabled FROM installed WHERE "
                "device = ANY(?1) ORDER BY device, package",
                {ids}, [&](Row& row) {
                  rows->installed.push_back(ReadInstalled(row));
                  return OkStatus();
                }));
  return sql.Query("SELECT device, change FROM personal_state WHERE device = ANY(?1)", {ids},
                   [&](Row& row) {
                     std::string device = row.NextText();
                     rows->personal[std::move(device)] = row.NextInt();
                     return OkStatus();
                   });
}

Status AddMember(Row& row, std::vector<MemberRow>* members) {
  FERRY_ASSIGN_OR_RETURN(MemberRow member, ReadMember(row));
  members->push_back(std::move(member));
  return OkStatus();
}

}  // namespace

Result<DeviceRows> ReadDevices(Connection& sql, const std::set<std::string>& ids) {
  const Texts list(ids.begin(), ids.end());
  DeviceRows rows;
  FERRY_TRY(ReadProfiles(sql, list, &rows));
  FERRY_TRY(ReadBeside(sql, list, &rows));
  FERRY_ASSIGN_OR_RETURN(rows.assignments, ReadAssignments(sql, ids));
  FERRY_TRY(
      sql.Query("SELECT " FERRY_MEMBER_COLUMNS
                " FROM member WHERE device = ANY(?1) ORDER BY device, offered_ms DESC, release "
                "DESC",
                {list}, [&](Row& row) { return AddMember(row, &rows.members); }));
  return rows;
}

Result<std::map<std::string, AssignmentRow>> ReadAssignments(Connection& sql,
                                                             const std::set<std::string>& devices) {
  std::map<std::string, AssignmentRow> rows;
  FERRY_TRY(sql.Query("SELECT " FERRY_ASSIGNMENT_COLUMNS " FROM assignment WHERE device = ANY(?1)",
                      {Texts(devices.begin(), devices.end())}, [&](Row& row) -> Status {
                        FERRY_ASSIGN_OR_RETURN(AssignmentRow assignment, ReadAssignment(row));
                        std::string device = assignment.device;
                        rows[std::move(device)] = std::move(assignment);
                        return OkStatus();
                      }));
  return rows;
}

Result<std::vector<MemberRow>> ReadMembers(Connection& sql, const std::string& release,
                                           const std::set<std::string>& devices) {
  std::vector<MemberRow> rows;
  FERRY_TRY(sql.Query("SELECT " FERRY_MEMBER_COLUMNS
                      " FROM member WHERE release = ?1 AND device = ANY(?2) ORDER BY device",
                      {release, Texts(devices.begin(), devices.end())},
                      [&](Row& row) { return AddMember(row, &rows); }));
  return rows;
}

}  // namespace ferry::server
