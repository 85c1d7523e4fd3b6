// Deltas for the versions that the fleet has: to the version that releases under way give out and
// to the newest that is published, from those that most devices run.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cloud-server/registry/registry.h"
#include "common/sys/executor.h"
#include "common/sys/filesystem.h"

namespace ferry::server {

inline constexpr int kMadeDeltasEach = 4;  // bases of one version, unless told otherwise
// How often it is looked whether releases or packages changed, and after how many such looks
// devices are counted all the same: that takes a walk over what all of them have.
inline constexpr int64_t kMakeDeltasEveryMs = 5'000;
inline constexpr int kLooksACount = 12;

// One delta that is wanted.
struct WantedDelta {
  std::string package;
  std::string version;
  std::string base;
  auto operator<=>(const WantedDelta&) const = default;
};

// What shall be made, of rows alone: for each package the versions named above, from at most `most`
// older versions by the number of devices that have them (`counts`: by package, the most first).
std::set<WantedDelta> WantedDeltas(const std::vector<PackageRow>& packages,
                                   const std::vector<ReleaseRow>& releases,
                                   const std::vector<VersionCount>& counts, int most);

// Makes them one after another on an executor of its own. What is made is rows and content: a
// restart goes on where it stopped, and begins anew what it was at.
class DeltaMaker {
 public:
  struct Options {
    Store* store = nullptr;  // borrowed, as all below
    Registry* registry = nullptr;
    sys::FileSystem* fs = nullptr;
    std::string scratch;                // a folder of its own, for plain packages meanwhile
    int most = kMadeDeltasEach;         // 0: none are made
    Once* once = nullptr;               // of what one node does; null: there is one
    sys::Executor* executor = nullptr;  // runs Look every kMakeDeltasEveryMs; null: nobody does
  };
  explicit DeltaMaker(Options options) : options_(std::move(options)) {}

  void Start();
  // Pass, where a count is due.
  Result<int> Look();
  // Makes what is wanted and was not tried before, and drops what nobody needs any more: the
  // delta's version is not wanted, or no device has its base. Returns how many it made; what fails
  // is logged, and tried again at the next start, for want of room at the next pass. One caller at
  // a time.
  Result<int> Pass();

 private:
  void Schedule();
  bool HasSigned(Transaction& tx, const WantedDelta& wanted) const;

  const Options options_;
  std::set<WantedDelta> tried_;
  int64_t generation_ = -1;  // of releases and packages, at the last Look that passed
  int looks_ = 0;            // since then
};

}  // namespace ferry::server
