// How a campaign goes on: a pure function of what was asked, how far it came, its releases and the
// time. No I/O, no clock, no memory of its own: after a restart it says the same.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/campaign/spec.h"
#include "cloud-server/core/rows.h"
#include "cloud-server/store/campaigns.h"

namespace ferry::server {

// One release that the campaign made, as it stands.
struct ReleaseSeen {
  std::string id;
  ReleaseState state = ReleaseState::kDraft;
  bool past_first_stage = false;  // it left the first stage that reaches devices
  std::string reason;
};
// Whether it has devices to reach yet, and may.
bool IsInMotion(ReleaseState state);

enum class Act { kCreate, kStart, kPause, kResume, kHalt, kRollback, kKill };

struct Action {
  Act act = Act::kCreate;
  std::string release;  // empty for kCreate, which is about the next one of the spec
  std::string why;
  bool operator==(const Action&) const = default;
};

struct Move {
  // In order, before the row is stored. Each may be done twice, and one that the state of its
  // release does not allow any more is passed over.
  std::vector<Action> actions;
  CampaignRow row;    // as it is to be stored after them
  std::string event;  // kind of a line of its history; empty: none
  std::string text;
};

// `seen` is of row.releases, in that order. The row stays as it is where nothing is to be done.
Move MoveOf(const CampaignSpec& spec, const CampaignRow& row, const std::vector<ReleaseSeen>& seen,
            int64_t now_ms);

enum class Order { kPause, kResume, kHalt, kRollback, kKill };
const char* NameOf(Order order);
// What a person's word makes of the row; MoveOf then carries it out. kFailedPrecondition names the
// campaign's state.
Result<Move> MoveByOrder(const CampaignSpec& spec, const CampaignRow& row,
                         const std::vector<ReleaseSeen>& seen, Order order, const std::string& by,
                         const std::string& why, int64_t now_ms);

}  // namespace ferry::server
