#include "cloud-server/core/desired.h"

#include <algorithm>

#include "cloud-server/core/apply.h"
#include "cloud-server/core/counters.h"
#include "cloud-server/core/tally.h"
#include "common/base/json.h"
#include "policy/when/when.h"

namespace ferry::server {
namespace {

using trust::DesiredPackage;
using trust::DesiredState;

// How many fallbacks in a row are followed: a chain in a ring ends.
constexpr int kMaxStepsBack = 64;

bool IsTakenBack(ReleaseState state) {
  return state == ReleaseState::kRollingBack || state == ReleaseState::kRolledBack ||
         state == ReleaseState::kStopped;
}

bool HasIt(const MemberRow& member) {
  return !member.back && (member.outcome == Outcome::kHealthy || member.step == "confirmed" ||
                          member.step == "healthy");
}

// Whether the version ran on the device, as far as it said.
bool RanIt(const MemberRow& member) {
  return HasIt(member) || member.step == "rolled_back" || member.step == "task_failed";
}

// The decision about one package, and the members that it makes or changes.
class PackageLook {
 public:
  // `beside`: versions of the other packages that the device has or shall have.
  PackageLook(const Catalogue& catalogue, const Catalogue::Package& package, const DeviceView& view,
              const target::Attributes& attributes,
              const std::map<std::string, std::string>& beside, std::string installed,
              int64_t now_ms)
      : catalogue_(catalogue),
        package_(package),
        view_(view),
        attributes_(attributes),
        beside_(beside),
        installed_(std::move(installed)),
        now_ms_(now_ms) {}

  // Nothing: no release is about this device, or none that can be followed.
  std::optional<DesiredPackage> Decide() {
    const Catalogue::Release* wanted = nullptr;
    for (const Catalogue::Release& release : package_.releases) {
      if (Passes(release)) continue;
      wanted = &release;
      break;
    }
    if (taken_back_ != nullptr) return GoBack(wanted);
    if (wanted == nullptr) return std::nullopt;
    const bool killed = wanted->row.state == ReleaseState::kKilled;
    DesiredPackage told = Tell(*wanted, wanted->row.version,
                               killed ? DesiredState::kDisabled : DesiredState::kRun, false);
    if (!killed) told.observe = observed_;
    return told;
  }
  std::vector<MemberRow>& members() { return members_; }
  // Of releases with a rate, as in Look.
  const std::vector<std::string>& taken() const { return taken_; }
  const std::vector<std::string>& turned_away() const { return turned_away_; }

 private:
  // A device that reads no desired state cannot be told to stop a package: what was killed goes
  // back there, as far as a signed way leads.
  bool IsTakenFrom(const Catalogue::Release& release, const MemberRow* member) const {
    return IsTakenBack(release.row.state) ||
           (release.row.state == ReleaseState::kKilled && !view_.device.reads_desired) ||
           (member != nullptr && IsStopped(release.row, SlicesOfMember(*member)));
  }

  // Whether an older release has to be asked.
  bool Passes(const Catalogue::Release& release) {
    const auto found = view_.members.find(release.row.id);
    const MemberRow* member = found == view_.members.end() ? nullptr : &found->second;
    const ReleaseState state = release.row.state;
    if (IsTakenFrom(release, member)) {
      if (member == nullptr || member->control) return true;
      if (state == ReleaseState::kStopped && HasIt(*member)) return false;
      if (newest_back_ == nullptr) newest_back_ = &release;
      taken_back_ = &release;
      return true;
    }
    if (member != nullptr && member->control) {
      // Whoever was held back gets it when there is nothing left to compare with.
      if (IsCompared(state)) return Observe(release);
      if (state != ReleaseState::kComplete && state != ReleaseState::kSuperseded) return true;
      return !Takes(release) || TurnsAway(release);
    }
    if (member != nullptr) return false;
    const bool takes = TakesDevices(state) || state == ReleaseState::kSuperseded;
    if (!takes || !Takes(release)) return true;
    const bool is_held_back =
        taken_back_ == nullptr && state != ReleaseState::kComplete &&
        state != ReleaseState::kSuperseded &&
        stage::IsHeldBack(release.plan.stages[static_cast<size_t>(release.row.stage)],
                          view_.device.id, release.row.salt);
    if (is_held_back) HoldBack(release);
    if (is_held_back) return Observe(release);
    return TurnsAway(release);
  }

  // What runs in place of the newest release that it is held back from is observed, true.
  bool Observe(const Catalogue::Release& release) {
    if (observed_.empty() && taken_back_ == nullptr) observed_ = release.row.id;
    return true;
  }

  // A way back is never kept waiting.
  bool TurnsAway(const Catalogue::Release& release) {
    if (!release.paced || taken_back_ != nullptr) return false;
    const auto free = view_.free.find(release.row.id);
    const bool full = free == view_.free.end() || free->second <= 0;
    (full ? turned_away_ : taken_).push_back(release.row.id);
    return full;
  }

  // Whether the present stage holds devices back. Those that cannot report for either cohort as
  // the other one does are in neither.
  static bool Compares(const Catalogue::Release& release) {
    return IsCompared(release.row.state) &&
           release.plan.stages[static_cast<size_t>(release.row.stage)].control > 0;
  }

  // Whether the device would wait for the conditions of the release, and may still begin.
  bool WaitsFor(const when::When& when) const {
    if (when.empty()) return true;
    const bool in_time = when.deadline_ms == 0 || now_ms_ < when.deadline_ms;
    return in_time && view_.device.reads_desired && view_.device.reads_when;
  }

  bool Takes(const Catalogue::Release& release) const {
    // A device does not take a version below one that ran on it, but by the way back.
    if (taken_back_ == nullptr && installed_ != release.row.version && RanNewer(release.row))
      return false;
    if (IsStopped(release.row, target::SlicesOf(attributes_))) return false;
    if (!WaitsFor(release.plan.when)) return false;
    if (catalogue_.in_bins && !view_.device.reads_bins) return false;
    if (Compares(release) && !view_.device.observes) return false;
    const auto version = package_.versions.find(release.row.version);
    if (version == package_.versions.end() || version->second.targets.empty()) return false;
    if (!requires_::CheckRequires(version->second.needs, attributes_, beside_).fits) return false;
    return stage::Includes(release.plan, static_cast<size_t>(release.row.stage), attributes_,
                           release.row.salt)
        .matches;
  }

  bool RanNewer(const ReleaseRow& than) const {
    for (const Catalogue::Release& release : package_.releases) {
      if (release.row.release_counter <= than.release_counter) continue;
      const auto found = view_.members.find(release.row.id);
      if (found != view_.members.end() && RanIt(found->second)) return true;
    }
    return false;
  }

  MemberRow MemberOf(const Catalogue::Release& release) const {
    const auto found = view_.members.find(release.row.id);
    if (found != view_.members.end() && !found->second.control) return found->second;
    MemberRow member;
    member.release = release.row.id;
    member.device = view_.device.id;
    member.stage = release.row.stage;
    member.offered_ms = now_ms_;
    member.had_version = installed_;
    member.os = view_.device.os;
    member.app_version = view_.device.app_version;
    member.device_class = view_.device.device_class;
    return member;
  }

  // It is compared with, and offered nothing.
  void HoldBack(const Catalogue::Release& release) {
    MemberRow member = MemberOf(release);
    member.control = member.done = true;
    members_.push_back(std::move(member));
  }

  // What the release says of the version, noted at its member.
  DesiredPackage Tell(const Catalogue::Release& release, const std::string& version,
                      DesiredState state, bool back) {
    MemberRow member = MemberOf(release);
    DesiredPackage package;
    package.state = state;
    package.release = release.row.id;
    package.attempt = member.attempt;
    package.back = back;
    if (state != DesiredState::kAbsent) {
      package.version = version;
      package.targets = package_.versions.at(version).targets;
      // No delta leads back.
      if (back) package.targets.resize(1);
    }
    if (!back) AddFiles(release, package);
    if (!back && state == DesiredState::kRun && !release.plan.when.empty())
      package.when = WriteJson(when::WhenToJson(release.plan.when));
    const std::string told = fmt::format("{}{} {} {}", back ? "back " : "", NameOf(state),
                                         package.version, package.attempt);
    // Another release above it was taken back since: the same way has to be answered again.
    const bool again = back && waits_;
    if (member.told != told || again) {
      // What was answered before the rows kept what was said stays answered.
      const bool is_known = member.told.empty() && member.done && member.back == back && !again;
      member.done = is_known;
      member.told = told;
      member.back = back;
    }
    members_.push_back(std::move(member));
    return package;
  }

  void AddFiles(const Catalogue::Release& release, DesiredPackage& package) const {
    const auto [first, last] = release.exclusive.equal_range(view_.device.id);
    for (auto row = first; row != last; ++row) package.files.push_back(row->second);
  }

  bool CanRun(const std::string& version) const {
    const auto found = package_.versions.find(version);
    return found != package_.versions.end() && !found->second.targets.empty();
  }

  std::optional<DesiredPackage> GoBack(const Catalogue::Release* below) {
    const ReleaseRow& from = newest_back_->row;
    // Everyone above the last one goes the same way.
    for (const Catalogue::Release& release : package_.releases) {
      if (&release == taken_back_) break;
      const auto found = view_.members.find(release.row.id);
      if (found == view_.members.end() || !IsTakenFrom(release, &found->second)) continue;
      if (found->second.control) continue;
      waits_ = waits_ || !found->second.back || !found->second.done;
      if (found->second.back) continue;
      MemberRow member = found->second;  // its answer is the one about the last of them
      member.back = true;
      member.done = false;
      member.told = "back";
      members_.push_back(std::move(member));
    }
    if (below != nullptr && CanRun(below->row.version) &&
        (LeadsBack(package_, from.version, below->row.version) ||
         LeadsBack(package_, installed_, below->row.version) || installed_ == below->row.version)) {
      const bool killed = below->row.state == ReleaseState::kKilled;
      DesiredPackage told = Tell(*taken_back_, below->row.version,
                                 killed ? DesiredState::kDisabled : DesiredState::kRun, true);
      AddFiles(*below, told);
      return told;
    }
    const MemberRow oldest = MemberOf(*taken_back_);
    const std::string& had = oldest.had_version;
    if (had != "?" && !had.empty() && CanRun(had) && LeadsBack(package_, from.version, had))
      return Tell(*taken_back_, had, DesiredState::kRun, true);
    const std::string& fallback = taken_back_->row.fallback_version;
    const bool was_there = had == "?" || !had.empty() || !view_.device.reads_desired;
    if (was_there && CanRun(fallback))
      return Tell(*taken_back_, fallback, DesiredState::kRun, true);
    if (had.empty() && view_.device.reads_desired)
      return Tell(*taken_back_, "", DesiredState::kAbsent, true);
    Keep();
    return std::nullopt;
  }

  // No signed way leads from what it has: it keeps that, is offered nothing, and nobody waits.
  // That holds for all the releases that it was to leave.
  void Keep() {
    for (const Catalogue::Release& release : package_.releases) {
      const auto found = view_.members.find(release.row.id);
      const bool leaves = found != view_.members.end() && !found->second.control &&
                          IsTakenFrom(release, &found->second);
      if (leaves && !(found->second.back && found->second.done)) {
        std::erase_if(members_,
                      [&](const MemberRow& row) { return row.release == release.row.id; });
        MemberRow member = found->second;
        member.back = member.done = true;
        member.told = "keep";
        members_.push_back(std::move(member));
      }
      if (&release == taken_back_) break;
    }
  }

  const Catalogue& catalogue_;
  const Catalogue::Package& package_;
  const DeviceView& view_;
  const target::Attributes& attributes_;
  const std::map<std::string, std::string>& beside_;
  const std::string installed_;
  const int64_t now_ms_;
  const Catalogue::Release* newest_back_ = nullptr;  // of those it was offered and is to leave
  const Catalogue::Release* taken_back_ = nullptr;   // the oldest of them
  bool waits_ = false;    // one above the oldest waits for the answer about it
  std::string observed_;  // the newest release that it is held back from
  std::vector<MemberRow> members_;
  std::vector<std::string> taken_, turned_away_;
};

// Whether the release still waits for the device's answer.
bool IsOpen(const std::map<std::string, MemberRow>& members, const DesiredPackage& package) {
  const auto found = members.find(package.release);
  return found != members.end() && !found->second.done;
}

// The package whose turn it is, for a device that hears of one at a time; those that go back come
// first.
const DesiredPackage* NextOf(const std::map<std::string, DesiredPackage>& packages,
                             const std::map<std::string, MemberRow>& members) {
  const DesiredPackage* next = nullptr;
  for (const auto& [name, package] : packages) {
    if (!IsOpen(members, package) || package.state != DesiredState::kRun) continue;
    if (next == nullptr || (package.back && !next->back)) next = &package;
  }
  return next;
}

void FillTurn(AssignmentRow& row, const DesiredPackage* next,
              const std::map<std::string, MemberRow>& members) {
  if (next == nullptr) {
    // What was not answered and is not wanted any more is taken back; what was, stays as it was.
    const auto last = members.find(row.release);
    const bool answered = last != members.end() && last->second.done &&
                          last->second.back == (row.action == "rollback");
    if (!row.done && !answered) {
      row.action = "none";
      row.targets.clear();
      row.exclusive.clear();
    }
    return;
  }
  row.release = next->release;
  row.action = next->back ? "rollback" : "install";
  row.targets = next->targets;
  row.exclusive = next->files;
}

}  // namespace

bool LeadsBack(const Catalogue::Package& package, const std::string& from, const std::string& to) {
  std::string version = from;
  for (int step = 0; step < kMaxStepsBack; ++step) {
    const auto found = package.versions.find(version);
    if (found == package.versions.end() || found->second.fallback.empty()) return false;
    version = found->second.fallback;
    if (version == to) return true;
  }
  return false;
}

Result<std::map<std::string, DesiredPackage>> PackagesOf(const AssignmentRow& row) {
  std::map<std::string, DesiredPackage> packages;
  if (row.desired_json.empty()) return packages;
  FERRY_ASSIGN_OR_RETURN(const Json json,
                         ParseJson(row.desired_json).Context("desired state of {}", row.device));
  for (const auto& [name, object] : json.items()) {
    FERRY_ASSIGN_OR_RETURN(packages[name], trust::DesiredPackageFromJson(object));
  }
  return packages;
}

namespace {

// Packages so that each comes after those that it needs; by name where they need each other, which
// publishing refuses.
std::vector<std::string> OrderOf(const Catalogue& catalogue) {
  std::map<std::string, requires_::Requires> needs;
  for (const auto& [name, package] : catalogue.packages) {
    const auto newest = package.releases.empty()
                            ? package.versions.end()
                            : package.versions.find(package.releases.front().row.version);
    needs[name] = newest == package.versions.end() ? requires_::Requires() : newest->second.needs;
  }
  Result<std::vector<std::string>> order = requires_::DependencyOrder(needs);
  if (order.ok()) return std::move(*order);
  std::vector<std::string> names;
  for (const auto& [name, package] : catalogue.packages) names.push_back(name);
  return names;
}

}  // namespace

Look LookAt(const Catalogue& catalogue, const DeviceView& view, int64_t now_ms) {
  Look look;
  if (view.device.blocked || view.device.tenant != catalogue.tenant) return look;
  const target::Attributes attributes = AttributesOf(view.device);
  std::map<std::string, DesiredPackage> packages;
  std::map<std::string, MemberRow> members = view.members;
  std::map<std::string, std::string> beside;
  for (const auto& [name, row] : view.installed) beside[name] = row.version;
  for (const std::string& name : OrderOf(catalogue)) {
    const Catalogue::Package& package = catalogue.packages.at(name);
    const auto has = view.installed.find(name);
    PackageLook one(catalogue, package, view, attributes, beside,
                    has == view.installed.end() ? "" : has->second.version, now_ms);
    if (std::optional<DesiredPackage> wanted = one.Decide()) {
      beside[name] = wanted->version;
      packages[name] = std::move(*wanted);
    }
    look.taken.insert(look.taken.end(), one.taken().begin(), one.taken().end());
    look.turned_away.insert(look.turned_away.end(), one.turned_away().begin(),
                            one.turned_away().end());
    for (MemberRow& member : one.members()) {
      const auto before = view.members.find(member.release);
      const MemberRow* old = before == view.members.end() ? nullptr : &before->second;
      members[member.release] = member;
      if (old != nullptr && *old == member) continue;
      CountChange(look.tallies, old, member);
      if (old != nullptr && old->control && !member.control) look.joined.push_back(*old);
      look.members.push_back(std::move(member));
    }
  }
  AssignmentRow before = view.assignment;
  before.device = view.device.id;
  AssignmentRow row = before;
  Json json = Json::object();
  for (const auto& [name, package] : packages) json[name] = DesiredPackageToJson(package);
  if (!packages.empty() || !row.desired_json.empty()) row.desired_json = WriteJson(json);
  if (view.device.reads_desired) row.personal = view.personal;
  FillTurn(row, NextOf(packages, members), members);
  for (const auto& [name, package] : packages)
    if (IsOpen(members, package)) look.unanswered.insert(name);
  row.done = look.unanswered.empty();
  if (row == before) return look;
  AssignmentRow as_told = row;
  as_told.done = before.done;
  if (view.device.reads_desired) {
    look.news = row.desired_json != before.desired_json || row.personal != before.personal;
  } else {
    as_told.desired_json = before.desired_json;
    // A retry says the same again.
    look.news = !(as_told == before) || (before.done && !row.done);
  }
  if (look.news) {
    row.counter = NextNumber(row.counter, now_ms);
    row.made_ms = now_ms;
  }
  look.assignment = std::move(row);
  return look;
}

}  // namespace ferry::server
