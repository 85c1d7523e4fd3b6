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

// `planned` of the result uses `tx`.
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
// kNotFound.
Result<DeviceView> LoadDevice(Transaction& tx, const std::string& device);
Status StoreLook(Transaction& tx, const Look& look, int64_t now_ms, Effects* effects);

// ---- offers/pace.cc

// The device with how many more each release with a rate may take now. kNotFound.
Result<DeviceView> LoadView(Transaction& tx, const Catalogue& catalogue, const std::string& device,
                            int64_t now_ms);
// One more device of a release with a rate.
Status TakeIn(Transaction& tx, const std::string& release, int64_t now_ms);

// ---- offers/planned.cc

// Devices up to which they are counted one by one; above, from their distinct profiles.
inline constexpr int64_t kExactPlanned = 1'000;

// How many devices stage `index` and the ones before it take; -1 and a line in the log when the
// rows cannot be read.
int64_t CountPlanned(Transaction& tx, const ReleaseRow& release, size_t index);

}  // namespace ferry::server
