// Many rows, one call each: what lists must come to, and as fast where statements take no way.
#include "cloud-server/store/sql/batches/batches.h"

namespace ferry::server {
namespace {

// What is read where none is stored.
AssignmentRow NoAssignment(const std::string& device) {
  AssignmentRow row;
  row.device = device;
  return row;
}

class BatchesOfCalls : public BatchRepository {
 public:
  explicit BatchesOfCalls(Transaction& tx) : tx_(tx) {}

  Result<DeviceRows> Devices(const std::set<std::string>& ids) override {
    DeviceRows rows;
    for (const std::string& id : ids) {
      Result<DeviceRow> device = tx_.devices().Get(id);
      if (device.code() == Code::kNotFound) continue;
      FERRY_TRY(device);
      rows.devices.push_back(std::move(*device));
      FERRY_ASSIGN_OR_RETURN(const std::vector<InstalledRow> installed,
                             tx_.devices().Installed(id));
      rows.installed.insert(rows.installed.end(), installed.begin(), installed.end());
      FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> members,
                             tx_.releases().MembersOfDevice(id));
      rows.members.insert(rows.members.end(), members.begin(), members.end());
      FERRY_ASSIGN_OR_RETURN(const int64_t change, tx_.personal().Change(id));
      if (change != 0) rows.personal[id] = change;
    }
    FERRY_ASSIGN_OR_RETURN(rows.assignments, Assignments(ids));
    return rows;
  }

  Result<std::vector<MemberRow>> Members(const std::string& release,
                                         const std::set<std::string>& devices) override {
    std::vector<MemberRow> rows;
    for (const std::string& device : devices) {
      FERRY_ASSIGN_OR_RETURN(std::optional<MemberRow> row, tx_.releases().Member(release, device));
      if (row) rows.push_back(std::move(*row));
    }
    return rows;
  }

  Result<std::map<std::string, AssignmentRow>> Assignments(
      const std::set<std::string>& devices) override {
    std::map<std::string, AssignmentRow> rows;
    for (const std::string& device : devices) {
      FERRY_ASSIGN_OR_RETURN(AssignmentRow row, tx_.devices().Assignment(device));
      if (row != NoAssignment(device)) rows[device] = std::move(row);
    }
    return rows;
  }

  Result<std::vector<bool>> AddReports(const std::vector<ReportRow>& rows) override {
    std::vector<bool> fresh;
    for (const ReportRow& row : rows) {
      FERRY_ASSIGN_OR_RETURN(const bool is_new, tx_.reports().Add(row));
      fresh.push_back(is_new);
    }
    return fresh;
  }

  Status PutDevices(const std::vector<DeviceRow>& rows) override {
    for (const DeviceRow& row : rows) FERRY_TRY(tx_.devices().Put(row));
    return OkStatus();
  }

  Status PutHeard(const std::vector<HeardRow>& rows) override {
    for (const HeardRow& row : rows) {
      const Status heard =
          tx_.devices().PutHeard(row.device, row.report_seq, row.seen_ms, row.root_version);
      if (heard.code() != Code::kNotFound) FERRY_TRY(heard);
    }
    return OkStatus();
  }

  Status PutVersions(const std::vector<InstalledRow>& rows) override {
    for (const InstalledRow& row : rows) FERRY_TRY(tx_.devices().PutVersion(row));
    return OkStatus();
  }

  Status PutMembers(const std::vector<MemberRow>& rows) override {
    for (const MemberRow& row : rows) FERRY_TRY(tx_.releases().PutMember(row));
    return OkStatus();
  }

  Status PutReported(const std::vector<MemberRow>& rows) override {
    for (const MemberRow& row : rows) FERRY_TRY(tx_.releases().PutReported(row));
    return OkStatus();
  }

  Status PutAssignments(const std::vector<AssignmentRow>& rows) override {
    for (const AssignmentRow& row : rows) FERRY_TRY(tx_.devices().PutAssignment(row));
    return OkStatus();
  }

  Result<std::set<std::string>> SettleAssignments(const std::set<std::string>& devices) override {
    std::set<std::string> settled;
    for (const std::string& device : devices) {
      FERRY_ASSIGN_OR_RETURN(const bool is_settled, tx_.devices().SettleAssignment(device));
      if (is_settled) settled.insert(device);
    }
    return settled;
  }

 private:
  Transaction& tx_;
};

}  // namespace

std::unique_ptr<BatchRepository> MakeBatchesOfCalls(Transaction& tx) {
  return std::make_unique<BatchesOfCalls>(tx);
}

}  // namespace ferry::server
