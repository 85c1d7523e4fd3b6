#include "common/trust/documents/header.h"

#include "common/base/json.h"
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

}  // namespace ferry::trust
