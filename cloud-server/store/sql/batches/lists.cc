// Many rows by one statement: their columns come as arrays.
#include <tuple>

#include "cloud-server/store/sql/batches/batches.h"
#include "cloud-server/store/sql/batches/columns.h"
#include "cloud-server/store/sql/device_rows.h"
#include "cloud-server/store/sql/release_rows.h"
#include "cloud-server/store/sql/report_rows.h"
#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

constexpr auto kNothing = [](Row&) { return OkStatus(); };
constexpr auto kOfMember = [](const MemberRow& row) {
  return std::tuple<std::string_view, std::string_view>(row.release, row.device);
};

// Subqueries that stand for one value are asked by row: as EXISTS they may become a look at all
// members there are.
constexpr char kSettle[] =
    "UPDATE assignment SET done = 1 WHERE device = ANY(?1) AND done = 0 AND "
    "(SELECT count(*) FROM member WHERE member.device = assignment.device AND member.done = 0) = 0 "
    "AND (SELECT reads_desired FROM device WHERE id = assignment.device) = 1 RETURNING device";

class BatchesOfLists : public BatchRepository {
 public:
  explicit BatchesOfLists(Connection& sql) : sql_(sql) {}

  Result<DeviceRows> Devices(const std::set<std::string>& ids) override {
    return ReadDevices(sql_, ids);
  }
  Result<std::vector<MemberRow>> Members(const std::string& release,
                                         const std::set<std::string>& devices) override {
    return ReadMembers(sql_, release, devices);
  }

  Result<std::map<std::string, AssignmentRow>> Assignments(
      const std::set<std::string>& devices) override {
    return ReadAssignments(sql_, devices);
  }

  Result<std::vector<bool>> AddReports(const std::vector<ReportRow>& rows) override {
    if (rows.empty()) return std::vector<bool>();
    Columns columns;
    for (const ReportRow& row : rows)
      columns.Add({row.device, row.seq, row.release, row.epoch, row.step, row.package, row.version,
                   row.error_code, row.error_text, row.time_ms, row.received_ms, row.bytes_pulled,
                   row.was_delta, row.by_push, row.previous_version, WriteNumbers(row.metrics)});
    std::set<std::pair<std::string, uint64_t>> added;
    FERRY_TRY(sql_.QueryList(
        "INSERT INTO report (" FERRY_REPORT_COLUMNS
        ") SELECT * FROM unnest(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
        "?16) ON CONFLICT (device, seq) DO NOTHING RETURNING device, seq",
        columns.values(), [&](Row& row) {
          std::string device = row.NextText();
          added.emplace(std::move(device), row.NextUint());
          return OkStatus();
        }));
    std::vector<bool> fresh;  // of two of one number the first
    for (const ReportRow& row : rows) fresh.push_back(added.erase({row.device, row.seq}) == 1);
    return fresh;
  }

  Status PutDevices(const std::vector<DeviceRow>& rows) override {
    const auto key = [](const DeviceRow& row) { return std::string_view(row.id); };
    return InParts(rows, key, [&](const std::vector<const DeviceRow*>& part) {
      return WriteDevices(sql_, part);
    });
  }

  Status PutHeard(const std::vector<HeardRow>& rows) override {
    const auto key = [](const HeardRow& row) { return std::string_view(row.device); };
    return InParts(rows, key, [&](const std::vector<const HeardRow*>& part) {
      Columns columns;
      for (const HeardRow* row : part)
        columns.Add({row->device, row->report_seq, row->seen_ms, row->root_version});
      return sql_.QueryList(
          "UPDATE device SET report_seq = GREATEST(device.report_seq, heard.report_seq), "
          "last_seen_ms = GREATEST(device.last_seen_ms, heard.seen_ms), "
          "root_version = GREATEST(device.root_version, heard.root_version), "
          "row_version = device.row_version + 1 "
          "FROM unnest(?1, ?2, ?3, ?4) AS heard (id, report_seq, seen_ms, root_version) "
          "WHERE device.id = heard.id",
          columns.values(), kNothing);
    });
  }

  Status PutVersions(const std::vector<InstalledRow>& rows) override {
    const auto key = [](const InstalledRow& row) {
      return std::tuple<std::string_view, std::string_view>(row.device, row.package);
    };
    return InParts(rows, key, [&](const std::vector<const InstalledRow*>& part) {
      Columns columns;
      for (const InstalledRow* row : part)
        columns.Add({row->device, row->package, row->version, row->release, row->disabled});
      return sql_.QueryList(
          "INSERT INTO installed (device, package, version, release, disabled) "
          "SELECT * FROM unnest(?1, ?2, ?3, ?4, ?5) ON CONFLICT (device, package) DO UPDATE SET "
          "version = excluded.version, release = excluded.release, disabled = excluded.disabled "
          "WHERE installed.version <> excluded.version",
          columns.values(), kNothing);
    });
  }

  Status PutMembers(const std::vector<MemberRow>& rows) override {
    return InParts(rows, kOfMember,
                   [&](const std::vector<const MemberRow*>& part) { return PutMembersOnce(part); });
  }

  Status PutReported(const std::vector<MemberRow>& rows) override {
    return InParts(rows, kOfMember, [&](const std::vector<const MemberRow*>& part) {
      return PutReportedOnce(part);
    });
  }

  Status PutAssignments(const std::vector<AssignmentRow>& rows) override {
    const auto key = [](const AssignmentRow& row) { return std::string_view(row.device); };
    return InParts(rows, key, [&](const std::vector<const AssignmentRow*>& part) {
      return PutAssignmentsOnce(part);
    });
  }

  Result<std::set<std::string>> SettleAssignments(const std::set<std::string>& devices) override {
    std::set<std::string> settled;
    FERRY_TRY(sql_.Query(kSettle, {std::vector<std::string>(devices.begin(), devices.end())},
                         [&](Row& row) {
                           settled.insert(row.NextText());
                           return OkStatus();
                         }));
    return settled;
  }

 private:
  Status PutMembersOnce(const std::vector<const MemberRow*>& rows) {
    Columns columns;
    for (const MemberRow* row : rows)
      columns.Add({row->release,
                   row->device,
                   row->stage,
                   row->offered_ms,
                   NameOf(row->outcome),
                   row->overdue,
                   row->done,
                   row->back,
                   row->step,
                   row->step_ms,
                   row->error_code,
                   row->error_text,
                   row->os,
                   row->app_version,
                   row->device_class,
                   row->bytes_pulled,
                   row->was_delta,
                   row->by_push,
                   row->control,
                   row->attempt,
                   row->told,
                   row->had_version,
                   WriteNumbers(row->metrics),
                   static_cast<int64_t>(row->window)});
    return sql_.QueryList(
        "INSERT INTO member (" FERRY_MEMBER_COLUMNS
        ") SELECT * FROM unnest(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
        "?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24) ON CONFLICT (release, device) DO UPDATE SET "
        "stage = excluded.stage, offered_ms = excluded.offered_ms, outcome = excluded.outcome, "
        "overdue = excluded.overdue, done = excluded.done, back = excluded.back, "
        "step = excluded.step, step_ms = excluded.step_ms, error_code = excluded.error_code, "
        "error_text = excluded.error_text, bytes_pulled = excluded.bytes_pulled, "
        "was_delta = excluded.was_delta, by_push = excluded.by_push, control = excluded.control, "
        "attempt = excluded.attempt, told = excluded.told, had_version = excluded.had_version, "
        "metrics = excluded.metrics, \"window\" = excluded.\"window\"",
        columns.values(), kNothing);
  }

  Status PutReportedOnce(const std::vector<const MemberRow*>& rows) {
    Columns columns;
    for (const MemberRow* row : rows)
      columns.Add({row->release, row->device, NameOf(row->outcome), row->overdue, row->done,
                   row->step, row->step_ms, row->error_code, row->error_text, row->bytes_pulled,
                   row->was_delta, row->by_push, WriteNumbers(row->metrics)});
    return sql_.QueryList(
        "UPDATE member SET outcome = said.outcome, overdue = said.overdue, done = said.done, "
        "step = said.step, step_ms = said.step_ms, error_code = said.error_code, "
        "error_text = said.error_text, bytes_pulled = said.bytes_pulled, "
        "was_delta = said.was_delta, by_push = said.by_push, metrics = said.metrics "
        "FROM unnest(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) AS said (release, "
        "device, outcome, overdue, done, step, step_ms, error_code, error_text, bytes_pulled, "
        "was_delta, by_push, metrics) "
        "WHERE member.release = said.release AND member.device = said.device",
        columns.values(), kNothing);
  }

  Status PutAssignmentsOnce(const std::vector<const AssignmentRow*>& rows) {
    Columns columns;
    for (const AssignmentRow* row : rows)
      columns.Add({row->device, row->counter, row->release, row->action, WriteTexts(row->targets),
                   WriteTexts(row->exclusive), row->done, row->made_ms, row->desired_json,
                   row->personal});
    FERRY_TRY(sql_.QueryList(
        "INSERT INTO assignment (" FERRY_ASSIGNMENT_COLUMNS
        ") SELECT * FROM unnest(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (device) DO "
        "UPDATE SET counter = excluded.counter, release = excluded.release, "
        "action = excluded.action, targets = excluded.targets, exclusive = excluded.exclusive, "
        "done = excluded.done, made_ms = excluded.made_ms, desired = excluded.desired, "
        "personal = excluded.personal WHERE assignment.counter <= excluded.counter",
        columns.values(), kNothing));
    if (sql_.changes() == static_cast<int64_t>(rows.size())) return OkStatus();
    return Status::Of(Code::kConflict, "one of {} devices has a newer assignment", rows.size());
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<BatchRepository> MakeBatchesOfLists(Connection& sql) {
  return std::make_unique<BatchesOfLists>(sql);
}

Status AddTalliesByLists(Connection& sql, const Tallies& increments) {
  if (increments.empty()) return OkStatus();
  Columns columns;
  for (const auto& [key, counts] : increments)
    columns.Add({key.release, key.stage, key.control, key.slice, counts.pending, counts.healthy,
                 counts.failed, counts.overdue, counts.device_cause, counts.told_back,
                 counts.returned, counts.first_ms, counts.closed, counts.closed_failed});
  return sql.QueryList(
      "INSERT INTO tally SELECT * FROM unnest(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
      "?13, ?14) ON CONFLICT (release, stage, control, slice) DO UPDATE SET "
      "pending = tally.pending + excluded.pending, healthy = tally.healthy + excluded.healthy, "
      "failed = tally.failed + excluded.failed, overdue = tally.overdue + excluded.overdue, "
      "device_cause = tally.device_cause + excluded.device_cause, "
      "told_back = tally.told_back + excluded.told_back, "
      "returned = tally.returned + excluded.returned, closed = tally.closed + excluded.closed, "
      "closed_failed = tally.closed_failed + excluded.closed_failed, "
      "first_ms = CASE WHEN tally.first_ms = 0 OR (excluded.first_ms <> 0 AND "
      "excluded.first_ms < tally.first_ms) THEN excluded.first_ms ELSE tally.first_ms END",
      columns.values(), kNothing);
}

}  // namespace ferry::server
