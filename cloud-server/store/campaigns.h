// Campaigns: several releases in order, as an operator wrote them, and how far they came.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

enum class CampaignState {
  kWaiting,      // for its start time
  kRunning,      // starts its releases one after the other
  kPaused,       // by a person: its releases are paused, and none is started
  kComplete,     // every release is
  kStopped,      // one of its releases stopped, or the deadline passed: others are paused
  kHalted,       // by a person: no new devices; who has something keeps it
  kRollingBack,  // its releases go back
  kRolledBack,   // they did
  kKilled,       // what its releases gave runs nowhere
};
std::string_view NameOf(CampaignState state);
Result<CampaignState> CampaignStateFromName(std::string_view name);  // kMalformed
// Whether time and its releases move it.
bool IsOpen(CampaignState state);

struct CampaignRow {
  std::string id;  // "autumn-3": name, number
  int64_t number = 0;
  std::string name;
  std::string spec_json;  // as cloud-server/campaign/spec.h reads it
  CampaignState state = CampaignState::kWaiting;
  // What the state asks of its releases is still to be done: it is written before that.
  bool pending = false;
  std::string reason;                              // why it stands where it stands, in one sentence
  std::string account;                             // who started it
  std::optional<std::vector<std::string>> groups;  // whose devices alone; absent: all
  int64_t created_ms = 0;
  std::vector<std::string> releases;  // that it made, in order
  std::vector<std::string> paused;    // those of them that it paused, to be resumed with it
  std::vector<std::string> back;      // those that it ordered back
  int64_t row_version = 0;
  bool operator==(const CampaignRow&) const = default;
};

struct CampaignEventRow {
  int64_t seq = 0;  // from 1, within the campaign
  int64_t time_ms = 0;
  std::string kind;  // "started", "release", "stopped", "paused", ...
  std::string text;
};

inline constexpr size_t kMaxCampaigns = 200;       // that a list shows
inline constexpr size_t kMaxCampaignEvents = 500;  // of one campaign that are shown

class CampaignRepository {
 public:
  virtual ~CampaignRepository() = default;
  virtual Result<CampaignRow> Get(const std::string& id) = 0;
  virtual Status Put(const CampaignRow& row) = 0;
  virtual Result<int64_t> NextNumber() = 0;
  // The newest first, at most kMaxCampaigns.
  virtual Result<std::vector<CampaignRow>> All() = 0;
  // Those that are open or have something pending, the oldest first.
  virtual Result<std::vector<CampaignRow>> Open() = 0;
  virtual Status AddEvent(const std::string& campaign, int64_t time_ms, const std::string& kind,
                          const std::string& text) = 0;
  // The last kMaxCampaignEvents, the oldest first.
  virtual Result<std::vector<CampaignEventRow>> Events(const std::string& campaign) = 0;
};

}  // namespace ferry::server
