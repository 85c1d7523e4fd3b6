// What a group of reports changes. Rows of a release are loaded once for all reports about it, and
// its gates are asked once.
#include <algorithm>

#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/rows.h"

namespace ferry::server {
namespace {

constexpr int64_t kMsOfUseDay = 86'400'000;

// What devices have after a step that says so.
Status NoteInstalled(Transaction& tx, const std::vector<ReportRow>& reports) {
  std::vector<InstalledRow> rows;
  for (const ReportRow& report : reports) {
    const bool runs =
        report.step == "confirmed" || report.step == "healthy" || report.step == "rolled_back";
    if (runs && !report.package.empty())
      rows.push_back({report.device, report.package, report.version, report.release, false});
  }
  return tx.batches().PutVersions(rows);
}

// One way back may lead over several releases: the answer is one to all of them.
Status SettleAllBack(Transaction& tx, const MemberRow& answer, const std::string& package) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> members,
                         tx.releases().MembersOfDevice(answer.device));
  Tallies increments;
  for (const MemberRow& before : members) {
    if (!before.back || before.done || before.release == answer.release) continue;
    FERRY_ASSIGN_OR_RETURN(const ReleaseRow release, tx.releases().Get(before.release));
    if (release.package != package) continue;
    MemberRow after = before;
    after.done = true;
    CountChange(increments, &before, after);
    FERRY_TRY(tx.releases().PutMember(after));
  }
  return tx.releases().AddTallies(increments);
}

// A device whose disk is full or whose clock is wrong may fail before it has read what it shall
// have: its report names no release, and is one about each release that waits for its answer.
Status AddUnnamedFailure(Transaction& tx, const ReportRow& report,
                         std::map<std::string, std::vector<ReportRow>>* by_release) {
  if (report.step != "failed" || !report.package.empty() || !IsDeviceCause(report.error_code))
    return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> members,
                         tx.releases().MembersOfDevice(report.device));
  for (const MemberRow& member : members) {
    if (member.control || member.back || member.done) continue;
    FERRY_ASSIGN_OR_RETURN(const ReleaseRow release, tx.releases().Get(member.release));
    if (!TakesDevices(release.state)) continue;
    ReportRow named = report;
    named.release = member.release;
    (*by_release)[member.release].push_back(std::move(named));
  }
  return OkStatus();
}

// Each device once.
Status PutReporters(Transaction& tx, const std::vector<ReportRow>& reports, int64_t now_ms) {
  std::map<std::string, uint64_t> last;
  for (const ReportRow& report : reports)
    last[report.device] = std::max(last[report.device], report.seq);
  std::vector<HeardRow> rows;
  for (const auto& [id, seq] : last) rows.push_back({id, seq, now_ms, 0});
  return tx.batches().PutHeard(rows);
}

// Whether the device shall be looked at after its report: it answered what it was told, or what it
// has turned out badly, which may have it sent back.
enum class AnswerKind { kNone, kWell, kOther };
AnswerKind AnswerOf(const MemberRow& before, const MemberRow& after) {
  if (!after.done || after.control) return AnswerKind::kNone;
  const bool failed = after.outcome == Outcome::kFailed && before.outcome != Outcome::kFailed;
  if (before.done && !failed) return AnswerKind::kNone;
  const bool well = after.outcome == Outcome::kOpen || after.outcome == Outcome::kHealthy;
  return well && !after.back ? AnswerKind::kWell : AnswerKind::kOther;
}

// Those about one release; devices that answered what they were told go to `answered`.
Status ApplyReports(Transaction& tx, const std::string& release, std::vector<ReportRow> reports,
                    int64_t now_ms, Effects* effects, std::map<std::string, AnswerKind>* answered) {
  std::set<std::string> devices;
  for (const ReportRow& report : reports) devices.insert(report.device);
  Result<ReleaseRows> rows = LoadForReports(tx, release, devices);
  if (rows.code() == Code::kNotFound) return OkStatus();  // of another server's life
  FERRY_TRY(rows);
  const command::DeviceReports command{std::move(reports)};
  FERRY_ASSIGN_OR_RETURN(const Changes changes, Apply(*rows, command, now_ms));
  FERRY_TRY(StoreChanges(tx, *rows, changes, now_ms, effects));
  FERRY_TRY(FixBaselines(tx, *rows, changes, now_ms));
  auto before = rows->members.begin();  // in the same order
  for (const MemberRow& member : changes.members) {
    while (before->device != member.device) ++before;
    const AnswerKind answer = AnswerOf(*before, member);
    if (answer == AnswerKind::kNone) continue;
    AnswerKind& known = (*answered)[member.device];
    known = std::max(known, answer);
    if (!member.back) continue;
    FERRY_TRY(SettleAllBack(tx, member, rows->release.package));
  }
  return OkStatus();
}

// Whether what one package came to can change what is said of another one.
bool DependOnEachOther(const Catalogue& catalogue) {
  for (const auto& [name, package] : catalogue.packages)
    for (const auto& [number, version] : package.versions)
      if (!version.needs.packages.empty()) return true;
  return false;
}

// What a package's task did, of a version that there is: devices could make up names.
Status AddUse(Transaction& tx, const ReportRow& report) {
  if (report.use == TaskUse()) return OkStatus();
  const Status known = AsStatus(tx.packages().Get(report.package, report.version));
  if (known.code() == Code::kNotFound) return OkStatus();
  FERRY_TRY(known);
  return tx.use().Add(report.received_ms / kMsOfUseDay, report.device, report.package,
                      report.version, report.use);
}

}  // namespace

Result<size_t> Rollout::StoreReports(Transaction& tx, const std::vector<ReportRow>& reports,
                                     Effects* effects) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  std::vector<ReportRow> fresh;
  std::map<std::string, std::vector<ReportRow>> by_release;
  FERRY_ASSIGN_OR_RETURN(const std::vector<bool> is_new, tx.batches().AddReports(reports));
  for (size_t i = 0; i < reports.size(); ++i) {
    if (!is_new[i]) continue;
    const ReportRow& report = reports[i];
    fresh.push_back(report);
    if (report.release.empty()) {
      FERRY_TRY(AddUnnamedFailure(tx, report, &by_release));
    } else {
      by_release[report.release].push_back(report);
    }
  }
  // Who says again what is stored was there all the same.
  FERRY_TRY(PutReporters(tx, reports, now_ms));
  if (fresh.empty()) return size_t{0};
  effects->changed = true;
  FERRY_TRY(NoteInstalled(tx, fresh));
  for (const ReportRow& report : fresh) FERRY_TRY(AddUse(tx, report));
  std::map<std::string, AnswerKind> answered;
  for (auto& [release, about] : by_release)
    FERRY_TRY(ApplyReports(tx, release, std::move(about), now_ms, effects, &answered));
  if (answered.empty()) return fresh.size();
  FERRY_ASSIGN_OR_RETURN(const Known known, CatalogueOf(tx, false));
  std::set<std::string> well, settled;
  if (!DependOnEachOther(*known.catalogue))
    for (const auto& [device, answer] : answered)
      if (answer == AnswerKind::kWell) well.insert(device);
  // A look at those would say the same as before, and that all of it is answered now.
  if (!well.empty()) {
    FERRY_ASSIGN_OR_RETURN(settled, tx.batches().SettleAssignments(well));
  }
  std::vector<std::string> look;
  for (const auto& [device, answer] : answered)
    if (!settled.contains(device)) look.push_back(device);
  if (!look.empty()) FERRY_TRY(LooksIn(tx, look, effects, nullptr));
  return fresh.size();
}

}  // namespace ferry::server
