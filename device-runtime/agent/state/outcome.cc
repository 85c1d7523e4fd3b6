#include "device-runtime/agent/state/outcome.h"

#include <array>

#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/trust/targets.h"

namespace ferry::agent {
namespace {

constexpr std::array<std::string_view, 4> kProgressNames = {"pending", "waiting", "confirmed",
                                                            "failed"};

}  // namespace

std::string_view NameOf(Progress progress) {
  return kProgressNames[static_cast<size_t>(progress)];
}

Outcome PendingOf(const trust::DesiredPackage& wish, const trust::Targets* targets) {
  Outcome out;
  out.state = wish.state;
  out.version = wish.version;
  out.release = wish.release;
  out.attempt = wish.attempt;
  out.back = wish.back;
  // Other artefacts of a version (a new delta) are no other wish.
  Json json = Json::array({trust::NameOf(wish.state), wish.version, wish.release, wish.attempt});
  for (const std::string& path : wish.files) {
    json.push_back(path);
    if (targets == nullptr) continue;
    const auto found = targets->entries.find(path);
    if (found != targets->entries.end()) json.push_back(ToHex(found->second.plain_sha256));
  }
  out.digest = crypto::Sha256Hex(AsBytes(WriteJson(json)));
  return out;
}

void AddPersonal(const std::vector<std::pair<std::string, trust::TargetEntry>>& files,
                 Outcome* outcome) {
  if (files.empty()) return;  // the digest stays that of devices that know of none
  Json json = Json::array({outcome->digest});
  for (const auto& [path, entry] : files) {
    json.push_back(path);
    json.push_back(ToHex(entry.plain_sha256));
  }
  outcome->digest = crypto::Sha256Hex(AsBytes(WriteJson(json)));
}

bool IsOf(const Outcome& outcome, const Outcome& wish) {
  return outcome.state == wish.state && outcome.version == wish.version &&
         outcome.release == wish.release && outcome.attempt == wish.attempt &&
         outcome.back == wish.back;
}

Json ToJson(const Outcome& outcome) {
  return {{"state", trust::NameOf(outcome.state)},
          {"version", outcome.version},
          {"release", outcome.release},
          {"attempt", outcome.attempt},
          {"back", outcome.back},
          {"digest", outcome.digest},
          {"progress", NameOf(outcome.progress)},
          {"confirmed_once", outcome.confirmed_once},
          {"error_code", outcome.error_code},
          {"error_text", outcome.error_text}};
}

Result<Outcome> OutcomeFromJson(const Json& json) {
  Outcome out;
  FERRY_ASSIGN_OR_RETURN(const std::string state, GetString(json, "state"));
  FERRY_ASSIGN_OR_RETURN(out.state, trust::DesiredStateFromName(state));
  FERRY_ASSIGN_OR_RETURN(out.version, GetString(json, "version"));
  FERRY_ASSIGN_OR_RETURN(out.release, GetString(json, "release"));
  FERRY_ASSIGN_OR_RETURN(out.attempt, GetInt(json, "attempt"));
  FERRY_ASSIGN_OR_RETURN(out.back, GetBool(json, "back"));
  FERRY_ASSIGN_OR_RETURN(out.digest, GetString(json, "digest"));
  FERRY_ASSIGN_OR_RETURN(const std::string progress, GetString(json, "progress"));
  size_t index = 0;
  while (index < kProgressNames.size() && kProgressNames[index] != progress) ++index;
  if (index == kProgressNames.size())
    return Status::Of(Code::kMalformed, "progress is \"{:.40}\"", progress);
  out.progress = static_cast<Progress>(index);
  FERRY_ASSIGN_OR_RETURN(out.confirmed_once, GetBool(json, "confirmed_once"));
  FERRY_ASSIGN_OR_RETURN(const int64_t code, GetInt(json, "error_code"));
  out.error_code = static_cast<int>(code);
  FERRY_ASSIGN_OR_RETURN(out.error_text, GetString(json, "error_text"));
  return out;
}

}  // namespace ferry::agent
