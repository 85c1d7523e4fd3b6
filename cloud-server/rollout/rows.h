// Loading and storing what core decides over. Private to rollout.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cloud-server/core/apply.h"
#include "cloud-server/core/desired.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

// ---- rows.cc

// How many undecided members one look at a release takes at most.
inline constexpr size_t kMaxUndecided = 500;

// What one transaction did, for after its commit.
struct Effects {
  std::vector<std::pair<std::string, int64_t>> wake;  // device, assignment counter
  std::vector<std::string> simulate;                  // releases
  bool look = false;     // devices whose line is open may have to hear of something
  bool changed = false;  // somebody who waits for changes is to be woken
};

// `planned` and `devices` of the result use `tx`.
Result<ReleaseRows> LoadForCommand(Transaction& tx, const std::string& release);
// With members that may be due; moves the cursor on.
Result<ReleaseRows> LoadForTick(Transaction& tx, const std::string& release, int64_t now_ms,
                                UndecidedCursor* cursor);
// With the members of `devices`.
Result<ReleaseRows> LoadForReports(Transaction& tx, const std::string& release,
                                   const std::set<std::string>& devices);
// Writes what core decided; supersedes older releases of the package when it completed, and lets
// the one below stand again when it was taken back.
Status StoreChanges(Transaction& tx, const ReleaseRows& rows, const Changes& changes,
                    int64_t now_ms, Effects* effects);

// ---- counts/measured.cc

// After `changes` of a report were stored: the first measurements of devices that are held back may
// fix what the others of their stage are held against.
Status FixBaselines(Transaction& tx, const ReleaseRows& rows, const Changes& changes,
                    int64_t now_ms);
// Members that were held back and are offered the release from now on leave its counts.
Status ForgetMeasured(Transaction& tx, const std::vector<MemberRow>& joined);
// From all members of the release.
Result<MetricTallies> CountMeasured(Transaction& tx, const ReleaseRow& release);

// ---- catalogue.cc

Result<std::shared_ptr<const Catalogue>> LoadCatalogue(Transaction& tx, const std::string& tenant);
// Those of the devices that there are, in the order of `devices`.
Result<std::vector<DeviceView>> LoadViews(Transaction& tx, const std::vector<std::string>& devices);
// What looks at several devices change, each device once.
struct Looks {
  void Add(Look look);
  std::vector<MemberRow> members, joined;
  Tallies tallies;
  std::vector<AssignmentRow> assignments;
  std::vector<std::pair<std::string, int64_t>> news;  // device, assignment counter
};
Status StoreLooks(Transaction& tx, const Looks& looks, Effects* effects);

// ---- offers/pace.cc

// How many devices releases with a rate may take yet, through one transaction.
class Paces {
 public:
  Paces(Transaction& tx, const Catalogue& catalogue, int64_t now_ms)
      : tx_(tx), catalogue_(catalogue), now_ms_(now_ms) {}
  // Sets view->free to what those that are taken by now leave.
  Status Offer(DeviceView* view);
  // Releases with a rate take one more device each.
  Status Take(const std::vector<std::string>& releases);
  // Writes what was taken.
  Status Store();

 private:
  Result<PaceRow*> Of(const std::string& release);

  Transaction& tx_;
  const Catalogue& catalogue_;
  const int64_t now_ms_;
  std::map<std::string, PaceRow> rows_;  // by release
  std::set<std::string> taken_;          // of these
};

// ---- offers/planned.cc

// Devices up to which they are counted one by one; above, from their distinct profiles.
inline constexpr int64_t kExactPlanned = 1'000;

// How many devices stage `index` and the ones before it take; -1 and a line in the log when the
// rows cannot be read.
int64_t CountPlanned(Transaction& tx, const ReleaseRow& release, size_t index);

}  // namespace ferry::server
