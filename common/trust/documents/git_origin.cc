#include <algorithm>

#include "common/base/json.h"
#include "common/trust/targets.h"

namespace ferry::trust {
namespace {

constexpr size_t kSha1Digits = 40;
constexpr size_t kSha256Digits = 64;

Result<std::string> NamePart(const Json& object, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(std::string name, GetString(object, key));
  if (IsName(name)) return name;
  return Status::Of(Code::kMalformed, "field \"{}\" is \"{:.200}\", which is no name", key, name);
}

bool IsCommit(std::string_view text) {
  if (text.size() != kSha1Digits && text.size() != kSha256Digits) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

Json GitOriginToJson(const GitOrigin& origin) {
  return {{"scenario", origin.scenario},
          {"task", origin.task},
          {"tag", origin.tag},
          {"commit", origin.commit}};
}

Result<GitOrigin> GitOriginFromJson(const Json& object) {
  GitOrigin out;
  FERRY_ASSIGN_OR_RETURN(out.scenario, NamePart(object, "scenario"));
  FERRY_ASSIGN_OR_RETURN(out.task, NamePart(object, "task"));
  FERRY_ASSIGN_OR_RETURN(out.tag, GetString(object, "tag"));
  FERRY_ASSIGN_OR_RETURN(out.commit, GetString(object, "commit"));
  const size_t slash = out.tag.find('/');
  if (slash == std::string::npos || !IsName(out.tag.substr(0, slash)) ||
      !IsName(out.tag.substr(slash + 1))) {
    return Status::Of(Code::kMalformed, "field \"tag\" is \"{:.200}\", wanted TASK/VERSION",
                      out.tag);
  }
  if (!IsCommit(out.commit)) {
    return Status::Of(Code::kMalformed, "field \"commit\" is \"{:.100}\", which names none",
                      out.commit);
  }
  return out;
}

std::string OriginText(const GitOrigin& origin) {
  return fmt::format("commit {:.12}, tag {} of {}", origin.commit, origin.tag, origin.scenario);
}

Status CheckOrigin(const GitOrigin& origin, std::string_view package, std::string_view version) {
  if (origin.task != package) {
    return Status::Of(Code::kInvalidArgument, "tag {} is of task {}, the package is {}", origin.tag,
                      origin.task, package);
  }
  if (origin.tag == fmt::format("{}/{}", package, version)) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "tag {}, but the package is {} {}", origin.tag, package,
                    version);
}

}  // namespace ferry::trust
