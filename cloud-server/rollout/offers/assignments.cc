// What a device hears when it asks. A device may be ahead of the server, whose rows are then older
// than what it said: restored from a backup.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cloud-server/core/counters.h"
#include "cloud-server/core/desired.h"
#include "cloud-server/rollout/rollout.h"
#include "common/base/log.h"
#include "common/trust/assignment.h"
#include "common/trust/desired.h"

namespace ferry::server {
namespace {

// Whether a device that has finished `have` must be told `row` again: it will not answer any more.
bool IsForgotten(const AssignmentRow& row, int64_t have, int64_t now_ms, int64_t started_ms) {
  if (row.done || have < row.counter) return false;
  if (have > row.counter || row.made_ms < started_ms) return true;
  // Its answer to this very assignment may be on its way.
  return std::abs(now_ms - row.made_ms) >= kAnswerOnItsWayMs;
}

}  // namespace

Result<int64_t> Rollout::Epoch(const std::string& device, int64_t* generation) {
  FERRY_ASSIGN_OR_RETURN(const Told told, LookAtDevice(device, nullptr));
  if (generation != nullptr) *generation = told.generation;
  const AssignmentRow& row = told.row;
  // A device that finished what is open here asks, and says how far it is.
  return row.done ? row.counter : NextNumber(row.counter, options_.clock->NowUnixMs());
}

Status Rollout::CatchUp(const std::string& device, int64_t have, AssignmentRow* row) {
  return options_.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(*row, tx.devices().Assignment(device));
    const int64_t now_ms = options_.clock->NowUnixMs();
    const bool again = IsForgotten(*row, have, now_ms, started_ms_);
    if (!again && have <= row->counter) return OkStatus();
    Log(again ? LogLevel::kInfo : LogLevel::kDebug, "rollout",
        "device {} is at assignment {}, here it is {}{}", device, have, row->counter,
        again ? ": it is given again" : "");
    row->counter = again ? NextNumber(std::max(have, row->counter), now_ms) : have;
    if (again) row->made_ms = now_ms;
    return tx.devices().PutAssignment(*row);
  });
}

Status Rollout::TellAgain(const std::string& device, int64_t have, AssignmentRow* row) {
  return options_.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(*row, tx.devices().Assignment(device));
    const int64_t now_ms = options_.clock->NowUnixMs();
    row->counter = NextNumber(std::max(have, row->counter), now_ms);
    row->made_ms = now_ms;
    return tx.devices().PutAssignment(*row);
  });
}

Status Rollout::OnPublished() {
  std::vector<std::pair<std::string, int64_t>> wake;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    wake.clear();
    FERRY_ASSIGN_OR_RETURN(const std::vector<ReleaseRow> releases, tx.releases().All());
    for (const ReleaseRow& release : releases) {
      if (IsFinal(release.state)) continue;
      FERRY_ASSIGN_OR_RETURN(
          const std::vector<std::string> devices,
          tx.releases().DevicesWithOutcome(release.id, Outcome::kDeviceCause, kMaxPageRows));
      for (const std::string& device : devices) {
        FERRY_ASSIGN_OR_RETURN(const AssignmentRow row, tx.devices().Assignment(device));
        wake.emplace_back(device, row.counter);
      }
    }
    return OkStatus();
  }));
  for (const auto& [device, counter] : wake)
    options_.bus->Publish(device, static_cast<uint64_t>(counter));
  NoteChange();
  return OkStatus();
}

namespace {

trust::Assignment OneAssignment(const AssignmentRow& row) {
  trust::Assignment assignment;
  assignment.device = row.device;
  assignment.counter = row.counter;
  assignment.epoch = row.counter;
  if (row.action == "install") assignment.action = trust::Action::kInstall;
  if (row.action == "rollback") assignment.action = trust::Action::kRollback;
  if (assignment.action != trust::Action::kNone) assignment.release = row.release;
  assignment.targets = row.targets;
  assignment.exclusive = row.exclusive;
  return assignment;
}

}  // namespace

// They are no part of what is stored and compared: one that was made later is no news to a device
// that has the version.
Status Rollout::AddMadeDeltas(const std::map<std::string, InstalledRow>& installed,
                              trust::Desired& desired) {
  for (const auto& [name, row] : installed) {
    const auto wanted = desired.packages.find(name);
    // No delta leads back.
    if (wanted == desired.packages.end() || wanted->second.back) continue;
    if (wanted->second.version.empty() || wanted->second.version == row.version) continue;
    FERRY_ASSIGN_OR_RETURN(wanted->second.made, options_.registry->MadeDeltaOf(
                                                    name, wanted->second.version, row.version));
  }
  return OkStatus();
}

Result<Bytes> Rollout::SignedAssignment(const std::string& device, int64_t have_epoch,
                                        const std::vector<InstalledRow>* have,
                                        const int64_t* personal, int64_t* generation) {
  FERRY_ASSIGN_OR_RETURN(const UnsignedAnswer answer,
                         AnswerFor(device, have_epoch, have, personal, generation));
  return Sign(answer, options_.registry->secrets()->director);
}

Result<Bytes> Rollout::Sign(const UnsignedAnswer& answer, const trust::SigningKey& director) {
  if (const auto* desired = std::get_if<trust::Desired>(&answer))
    return trust::SignDesired(*desired, director);
  if (const auto* assignment = std::get_if<trust::Assignment>(&answer))
    return trust::SignAssignment(*assignment, director);
  return Bytes();
}

Result<UnsignedAnswer> Rollout::AnswerFor(const std::string& device, int64_t have_epoch,
                                          const std::vector<InstalledRow>* have,
                                          const int64_t* personal, int64_t* generation) {
  FERRY_ASSIGN_OR_RETURN(Told told, LookAtDevice(device, have));
  if (generation != nullptr) *generation = told.generation;
  AssignmentRow& row = told.row;
  const bool forgot = have_epoch > row.counter ||
                      IsForgotten(row, have_epoch, options_.clock->NowUnixMs(), started_ms_);
  if (forgot && have_epoch <= kMaxLearntCounter) {
    FERRY_TRY(CatchUp(device, have_epoch, &row));
  }
  // What it has for itself alone is not what was signed last: rows were restored, or it refused.
  if (personal != nullptr && row.counter <= have_epoch && have_epoch <= kMaxLearntCounter) {
    const Result<MetadataRow> last = options_.registry->PersonalDocument(device, 0);
    if (!last.ok() && last.code() != Code::kNotFound) return last.status();
    if (last.ok() && last->version != *personal) FERRY_TRY(TellAgain(device, have_epoch, &row));
  }
  if (row.counter <= have_epoch) return UnsignedAnswer();
  const int64_t expires_ms = options_.clock->NowUnixMs() + kAssignmentLifeMs;
  if (!told.reads_desired) {
    trust::Assignment assignment = OneAssignment(row);
    assignment.expires_ms = expires_ms;
    return UnsignedAnswer(std::move(assignment));
  }
  trust::Desired desired;
  desired.device = device;
  desired.counter = row.counter;
  desired.expires_ms = expires_ms;
  FERRY_ASSIGN_OR_RETURN(desired.packages, PackagesOf(row));
  desired.unanswered = std::move(told.unanswered);
  FERRY_ASSIGN_OR_RETURN(desired.personal, options_.registry->BindPersonal(device));
  FERRY_TRY(AddMadeDeltas(told.installed, desired));
  return UnsignedAnswer(std::move(desired));
}

}  // namespace ferry::server
