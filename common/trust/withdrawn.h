// Versions that a publisher took out of targets. They stay named there, signed, so that release
// counters go on above theirs and nobody takes the name again. Devices of the first release read
// over them: for a device a withdrawn version is one that is not signed.
// ---- documents/withdrawn.cc
#pragma once

#include <map>
#include <string>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::trust {

struct Targets;

inline constexpr size_t kMaxReasonBytes = 200;

struct Withdrawal {
  std::string package;
  std::string version;
  int64_t release_counter = 0;
  std::string reason;
  bool operator==(const Withdrawal&) const = default;
};
using Withdrawals = std::map<std::string, Withdrawal, std::less<>>;  // by path of the full artefact

// The member "ferry" of the signed part of targets. FromJson: kMalformed names the path.
Json WithdrawalsToJson(const Withdrawals& withdrawn);
Result<Withdrawals> WithdrawalsFromJson(const Json& object);

// Takes every artefact of that version out of `targets`. kNotFound when it is not there,
// kInvalidArgument for a reason that is empty or too long; kFailedPrecondition names a version that
// has it as its fallback, unless `force`.
Status Withdraw(Targets& targets, std::string_view package, std::string_view version,
                std::string_view reason, bool force);

// The highest release counter that any version of `package` ever had; 0 when there was none.
int64_t HighestCounter(const Targets& targets, std::string_view package);

}  // namespace ferry::trust
