#include "common/trust/root.h"

#include <algorithm>
#include <set>

#include "common/base/json.h"
#include "common/trust/documents/header.h"
#include "common/trust/envelope.h"

namespace ferry::trust {
namespace {

Json RoleToJson(const RoleKeys& role) {
  return {{"keyids", role.key_ids}, {"threshold", role.threshold}};
}

Result<RoleKeys> RoleFromJson(const Json& roles, std::string_view name, const KeyMap& keys) {
  FERRY_ASSIGN_OR_RETURN(const Json* object, GetObject(roles, name));
  RoleKeys out;
  FERRY_ASSIGN_OR_RETURN(out.key_ids, GetStrings(*object, "keyids"));
  FERRY_ASSIGN_OR_RETURN(const int64_t threshold,
                         GetIntIn(*object, "threshold", 1, static_cast<int64_t>(kMaxRootKeys)));
  out.threshold = static_cast<int>(threshold);
  std::set<std::string_view> seen;
  for (const std::string& id : out.key_ids) {
    if (!keys.contains(id)) {
      return Status::Of(Code::kMalformed, "role \"{}\" names key {:.12}, which is not in \"keys\"",
                        name, id);
    }
    if (!seen.insert(id).second) {
      return Status::Of(Code::kMalformed, "role \"{}\" names key {:.12} twice", name, id);
    }
  }
  if (seen.size() < static_cast<size_t>(threshold)) {
    return Status::Of(Code::kMalformed, "role \"{}\" has {} keys and threshold {}", name,
                      seen.size(), threshold);
  }
  return out;
}

Result<KeyMap> KeysFromJson(const Json& object) {
  if (object.size() > kMaxRootKeys) {
    return Status::Of(Code::kLimitExceeded, "{} keys, at most {}", object.size(), kMaxRootKeys);
  }
  KeyMap out;
  for (const auto& [id, value] : object.items()) {
    FERRY_ASSIGN_OR_RETURN(const PublicKey key, KeyFromJson(value).Context("key {:.12}", id));
    if (KeyIdOf(key) != id) {
      return Status::Of(Code::kMalformed, "key {:.12} is not the SHA-256 of its key object", id);
    }
    out.emplace(id, key);
  }
  return out;
}

}  // namespace

void Root::AddKey(RoleKeys& role, const PublicKey& key) {
  std::string id = KeyIdOf(key);
  keys.insert_or_assign(id, key);
  if (std::find(role.key_ids.begin(), role.key_ids.end(), id) == role.key_ids.end()) {
    role.key_ids.push_back(std::move(id));
  }
}

Json RootToJson(const Root& root) {
  Json out = HeaderToJson("root", {root.version, root.expires_ms});
  out["consistent_snapshot"] = false;
  Json keys = Json::object();
  for (const auto& [id, key] : root.keys) keys[id] = KeyToJson(key);
  out["keys"] = std::move(keys);
  out["roles"] = {{"root", RoleToJson(root.root)},
                  {"targets", RoleToJson(root.targets)},
                  {"snapshot", RoleToJson(root.snapshot)},
                  {"timestamp", RoleToJson(root.timestamp)}};
  out["ferry"] = {{"director", RoleToJson(root.director)},
                  {"escrow", {{"keytype", "x25519"}, {"public", ToHex(root.escrow)}}}};
  if (root.line != Line()) out["ferry"]["line"] = LineToJson(root.line);
  return out;
}

Result<Root> RootFromJson(const Json& signed_part) {
  FERRY_ASSIGN_OR_RETURN(const Header header, HeaderFromJson(signed_part, "root"));
  Root out;
  out.version = header.version;
  out.expires_ms = header.expires_ms;
  FERRY_ASSIGN_OR_RETURN(const Json* keys, GetObject(signed_part, "keys"));
  FERRY_ASSIGN_OR_RETURN(out.keys, KeysFromJson(*keys));
  FERRY_ASSIGN_OR_RETURN(const Json* roles, GetObject(signed_part, "roles"));
  FERRY_ASSIGN_OR_RETURN(out.root, RoleFromJson(*roles, "root", out.keys));
  FERRY_ASSIGN_OR_RETURN(out.targets, RoleFromJson(*roles, "targets", out.keys));
  FERRY_ASSIGN_OR_RETURN(out.snapshot, RoleFromJson(*roles, "snapshot", out.keys));
  FERRY_ASSIGN_OR_RETURN(out.timestamp, RoleFromJson(*roles, "timestamp", out.keys));
  FERRY_ASSIGN_OR_RETURN(const Json* ferry, GetObject(signed_part, "ferry"));
  FERRY_ASSIGN_OR_RETURN(out.director, RoleFromJson(*ferry, "director", out.keys));
  FERRY_ASSIGN_OR_RETURN(const Json* escrow, GetObject(*ferry, "escrow"));
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(*escrow, "keytype"));
  if (type != "x25519") {
    return Status::Of(Code::kUnsupported, "escrow key of type \"{}\", wanted x25519", type);
  }
  FERRY_ASSIGN_OR_RETURN(out.escrow, GetHash32(*escrow, "public"));
  if (ferry->contains("line")) {
    FERRY_ASSIGN_OR_RETURN(const Json* line, GetObject(*ferry, "line"));
    FERRY_ASSIGN_OR_RETURN(out.line, LineFromJson(*line).Context("line"));
  }
  return out;
}

Result<Root> ParseSelfSignedRoot(ByteView document) {
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document).Context("root"));
  FERRY_ASSIGN_OR_RETURN(Root root, RootFromJson(envelope.signed_part).Context("root"));
  FERRY_TRY(
      VerifyEnvelope(envelope, root.keys, root.root, fmt::format("root version {}", root.version)));
  return root;
}

std::string OnlineKeysToText(const OnlineKeys& keys) {
  Json json = {{"type", "ferry-online-keys"},
               {"director", ToHex(keys.director)},
               {"escrow", ToHex(keys.escrow)},
               {"snapshot", ToHex(keys.snapshot)},
               {"timestamp", ToHex(keys.timestamp)}};
  if (keys.personal) json["personal"] = ToHex(*keys.personal);
  if (keys.line) json["line"] = LineToJson(*keys.line);
  return WriteJsonPretty(json) + "\n";
}

Result<OnlineKeys> OnlineKeysFromText(std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const Json object, ParseJson(text));
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(object, "type"));
  if (type != "ferry-online-keys") {
    return Status::Of(Code::kMalformed, "type is \"{}\", wanted \"ferry-online-keys\"", type);
  }
  OnlineKeys out;
  FERRY_ASSIGN_OR_RETURN(out.director, GetHash32(object, "director"));
  FERRY_ASSIGN_OR_RETURN(out.escrow, GetHash32(object, "escrow"));
  FERRY_ASSIGN_OR_RETURN(out.snapshot, GetHash32(object, "snapshot"));
  FERRY_ASSIGN_OR_RETURN(out.timestamp, GetHash32(object, "timestamp"));
  if (object.contains("personal")) {
    FERRY_ASSIGN_OR_RETURN(out.personal, GetHash32(object, "personal"));
  }
  if (object.contains("line")) {
    FERRY_ASSIGN_OR_RETURN(const Json* line, GetObject(object, "line"));
    FERRY_ASSIGN_OR_RETURN(out.line, LineFromJson(*line).Context("line"));
  }
  return out;
}

}  // namespace ferry::trust
