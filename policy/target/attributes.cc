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

Status ReadMap(const Json& json, const std::string& name, std::map<std::string, std::string>* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* map, GetObjectOrNull(json, name));
  if (map == nullptr) return OkStatus();
  if (map->size() > kMaxExtra)
    return Status::Of(Code::kLimitExceeded, "{} {} attributes, the limit is {}", map->size(), name,
                      kMaxExtra);
  for (const auto& [key, value] : map->items()) {
    FERRY_ASSIGN_OR_RETURN(std::string text, GetString(*map, key));
    FERRY_TRY(CheckSize(name, key));
    FERRY_TRY(CheckSize(name + "." + key, text));
    if (!text.empty()) (*out)[key] = std::move(text);
  }
  return OkStatus();
}

Status ReadBytes(const Json& json, std::string_view key, std::optional<int64_t>* out) {
  if (!json.contains(key)) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const int64_t bytes, GetInt(json, key));
  if (bytes < 0) return Status::Of(Code::kMalformed, "attribute {} is below zero", key);
  *out = bytes;
  return OkStatus();
}

Status ReadTexts(const Json& json, std::string_view key, size_t most,
                 std::vector<std::string>* out) {
  FERRY_ASSIGN_OR_RETURN(*out, GetStringsOr(json, key));
  if (out->size() > most)
    return Status::Of(Code::kLimitExceeded, "{} {}, the limit is {}", out->size(), key, most);
  for (const std::string& tag : *out) FERRY_TRY(CheckSize(key, tag));
  return OkStatus();
}

}  // namespace

Attributes WithoutClaims(Attributes attributes) {
  attributes.tags.clear();
  attributes.extra.clear();
  attributes.user.clear();
  return attributes;
}

Result<Attributes> AttributesFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "attributes are no JSON object");
  Attributes out;
  FERRY_ASSIGN_OR_RETURN(out.device_id, GetStringOr(json, "device_id", ""));
  FERRY_TRY(CheckSize("device_id", out.device_id));
  FERRY_TRY(Read(json, "os", &out.os));
  FERRY_TRY(Read(json, "app_version", &out.app_version));
  FERRY_TRY(Read(json, "device_class", &out.device_class));
  FERRY_TRY(Read(json, "runtime_version", &out.runtime_version));
  FERRY_TRY(ReadTexts(json, "tags", kMaxTags, &out.tags));
  FERRY_TRY(ReadTexts(json, "operator_tags", kMaxTags, &out.operator_tags));
  FERRY_TRY(ReadMap(json, "extra", &out.extra));
  FERRY_TRY(ReadBytes(json, "memory_bytes", &out.memory_bytes));
  FERRY_TRY(ReadBytes(json, "free_bytes", &out.free_bytes));
  FERRY_TRY(ReadTexts(json, "isa", kMaxIsa, &out.isa));
  FERRY_TRY(Read(json, "measured_class", &out.measured_class));
  FERRY_TRY(ReadMap(json, "user", &out.user));
  FERRY_ASSIGN_OR_RETURN(out.at_rest, GetBoolOr(json, "at_rest", false));
  FERRY_TRY(ReadTexts(json, "groups", kMaxGroupsOfDevice, &out.groups));
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
  if (!attributes.operator_tags.empty()) out["operator_tags"] = attributes.operator_tags;
  if (!attributes.extra.empty()) out["extra"] = attributes.extra;
  if (attributes.memory_bytes) out["memory_bytes"] = *attributes.memory_bytes;
  if (attributes.free_bytes) out["free_bytes"] = *attributes.free_bytes;
  if (!attributes.isa.empty()) out["isa"] = attributes.isa;
  put("measured_class", attributes.measured_class);
  if (!attributes.user.empty()) out["user"] = attributes.user;
  if (attributes.at_rest) out["at_rest"] = true;
  if (!attributes.groups.empty()) out["groups"] = attributes.groups;
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
