// Campaigns in motion: loads rows, lets move.h decide, and gives the orders to the rollout, which
// carries them out as if a person had given them.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cloud-server/campaign/move.h"
#include "cloud-server/campaign/spec.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/store/store.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"

namespace ferry::server {

inline constexpr int64_t kCampaignTickMs = 1'000;
inline constexpr size_t kMaxOpenCampaigns = 100;

// Any thread. Nothing is remembered here: a restart goes on where the rows stand.
class Campaigns {
 public:
  struct Options {
    Store* store = nullptr;  // borrowed, as all below
    Rollout* rollout = nullptr;
    sys::Clock* clock = nullptr;
    sys::Executor* ticker = nullptr;  // runs Tick every tick_ms; null: the caller does
    Once* once = nullptr;             // of what one node does; null: there is one
    int64_t tick_ms = kCampaignTickMs;
  };
  explicit Campaigns(const Options& options);
  ~Campaigns();
  void Start();

  struct New {
    Json spec;
    std::string by;
    std::string why;
    // Whose devices alone its releases may reach: their rules say so already.
    std::optional<std::vector<std::string>> groups;
  };
  // As SpecFromJson; kNotFound names a package version that is not published; kLimitExceeded past
  // kMaxOpenCampaigns.
  Result<CampaignRow> Create(const New& from);
  // kNotFound, kFailedPrecondition. What it leads to was done when this returns ok.
  Result<CampaignRow> Do(const std::string& id, Order order, const std::string& by,
                         const std::string& why);
  // Members that failed in its releases try again; how many releases that was.
  Result<int64_t> Retry(const std::string& id, const std::string& by, const std::string& why);
  // Everything that is due now.
  Status Tick();

  // A campaign with the releases that it made.
  struct View {
    CampaignSpec spec;
    CampaignRow row;
    std::vector<ReleaseRow> releases;
    std::vector<ReleaseSeen> seen;
  };
  static Result<View> Load(Transaction& tx, const CampaignRow& row);

 private:
  void ScheduleTick();
  Status Advance(const std::string& id);
  // Does what the move says and stores its row. `row` becomes what is stored.
  Status Carry(const View& view, const Move& move, const std::string& by);
  Status CarryOne(const View& view, const Action& action, const std::string& by);
  Status MakeNext(const View& view);

  const Options options_;
  std::mutex moves_;  // one move at a time; before mutex_
  std::mutex mutex_;  // of the members below
  bool stopping_ = false;
  sys::Executor::TimerId timer_ = 0;
};

}  // namespace ferry::server
