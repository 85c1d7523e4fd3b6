#include "policy/target/attributes.h"

#include "common/base/json.h"

namespace ferry::target {
namespace {

Status CheckSize(std::string_view what, const std::string& text) {
  if (text.size() <= kMaxAttributeBytes) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "attribute {} has {} bytes, the limit is {}", what,
                    text.size(), kMaxAttributeBytes);
}

Status Read(const Json& json, std::string_view key, std::optional<std::string>* out) {
  FERRY_ASSIGN_OR_RETURN(std::string text, GetStringOr(json, key, ""));
  FERRY_TRY(CheckSize(key, text));
  if (!text.empty()) *out = std::move(text);
  return OkStatus();
}

Status ReadExtra(const Json& json, std::map<std::string, std::string>* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* extra, GetObjectOrNull(json, "extra"));
  if (extra == nullptr) return OkStatus();
  if (extra->size() > kMaxExtra)
    return Status::Of(Code::kLimitExceeded, "{} extra attributes, the limit is {}", extra->size(),
                      kMaxExtra);
  for (const auto& [key, value] : extra->items()) {
    FERRY_ASSIGN_OR_RETURN(std::string text, GetString(*extra, key));
    FERRY_TRY(CheckSize("extra", key));
    FERRY_TRY(CheckSize("extra." + key, text));
    if (!text.empty()) (*out)[key] = std::move(text);
  }
  return OkStatus();
}

}  // namespace

Result<Attributes> AttributesFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "attributes are no JSON object");
  Attributes out;
  FERRY_ASSIGN_OR_RETURN(out.device_id, GetStringOr(json, "device_id", ""));
  FERRY_TRY(CheckSize("device_id", out.device_id));
  FERRY_TRY(Read(json, "os", &out.os));
  FERRY_TRY(Read(json, "app_version", &out.app_version));
  FERRY_TRY(Read(json, "device_class", &out.device_class));
  FERRY_TRY(Read(json, "runtime_version", &out.runtime_version));
  FERRY_ASSIGN_OR_RETURN(out.tags, GetStringsOr(json, "tags"));
  if (out.tags.size() > kMaxTags)
    return Status::Of(Code::kLimitExceeded, "{} tags, the limit is {}", out.tags.size(), kMaxTags);
  for (const std::string& tag : out.tags) FERRY_TRY(CheckSize("tags", tag));
  FERRY_TRY(ReadExtra(json, &out.extra));
  return out;
}

Json AttributesToJson(const Attributes& attributes) {
  Json out = Json::object();
  auto put = [&out](const char* key, const std::optional<std::string>& value) {
    if (value) out[key] = *value;
  };
  if (!attributes.device_id.empty()) out["device_id"] = attributes.device_id;
  put("os", attributes.os);
  put("app_version", attributes.app_version);
  put("device_class", attributes.device_class);
  put("runtime_version", attributes.runtime_version);
  if (!attributes.tags.empty()) out["tags"] = attributes.tags;
  if (!attributes.extra.empty()) out["extra"] = attributes.extra;
  return out;
}

std::vector<std::string> SlicesOf(const Attributes& attributes) {
  std::vector<std::string> out = {"all"};
  if (attributes.os) out.push_back("os=" + *attributes.os);
  if (attributes.device_class) out.push_back("device_class=" + *attributes.device_class);
  if (attributes.app_version) out.push_back("app_version=" + *attributes.app_version);
  return out;
}

}  // namespace ferry::target
