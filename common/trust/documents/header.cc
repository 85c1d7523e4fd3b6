#include "common/trust/documents/header.h"

#include "common/base/json.h"
#include "common/trust/assignment.h"
#include "common/trust/targets.h"
#include "common/trust/time.h"

namespace ferry::trust {

Json HeaderToJson(std::string_view type, const Header& header) {
  return {{"_type", type},
          {"spec_version", kSpecVersion},
          {"version", header.version},
          {"expires", FormatTime(header.expires_ms)}};
}

Result<Header> HeaderFromJson(const Json& signed_part, std::string_view type) {
  FERRY_ASSIGN_OR_RETURN(const std::string found, GetString(signed_part, "_type"));
  if (found != type) {
    return Status::Of(Code::kMalformed, "_type is \"{}\", wanted \"{}\"", found, type);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string spec, GetString(signed_part, "spec_version"));
  if (!spec.starts_with("1.")) {
    return Status::Of(Code::kUnsupported, "spec_version \"{}\", wanted 1.x", spec);
  }
  Header out;
  FERRY_ASSIGN_OR_RETURN(out.version, GetIntIn(signed_part, "version", 1, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(const std::string expires, GetString(signed_part, "expires"));
  FERRY_ASSIGN_OR_RETURN(out.expires_ms, ParseTime(expires).Context("field \"expires\""));
  return out;
}

Result<int64_t> GetIntIn(const Json& object, std::string_view key, int64_t least, int64_t most) {
  FERRY_ASSIGN_OR_RETURN(const int64_t value, GetInt(object, key));
  if (value < least || value > most) {
    return Status::Of(Code::kMalformed, "field \"{}\" is {}, wanted {} to {}", key, value, least,
                      most);
  }
  return value;
}

Result<std::vector<std::string>> GetPaths(const Json& object, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> paths, GetStrings(object, key));
  if (paths.size() > kMaxAssignedPaths) {
    return Status::Of(Code::kLimitExceeded, "field \"{}\" has {} paths, at most {}", key,
                      paths.size(), kMaxAssignedPaths);
  }
  for (const std::string& path : paths) {
    if (path.empty() || path.size() > 4 * kMaxNameBytes) {
      return Status::Of(Code::kMalformed, "field \"{}\" has a path of {} bytes", key, path.size());
    }
  }
  return paths;
}

}  // namespace ferry::trust
