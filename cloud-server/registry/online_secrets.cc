#include "cloud-server/registry/online_secrets.h"

#include <algorithm>

namespace ferry::server {
namespace {

bool NamesKey(const trust::RoleKeys& role, const trust::SigningKey& key) {
  const std::string id = trust::KeyIdOf(key.public_key());
  return std::find(role.key_ids.begin(), role.key_ids.end(), id) != role.key_ids.end();
}

Result<trust::SigningKey> ChooseKey(const trust::RoleKeys& role, const trust::SigningKey& present,
                                    const std::optional<trust::SigningKey>& waiting,
                                    std::string_view name) {
  if (waiting && NamesKey(role, *waiting)) return *waiting;
  if (NamesKey(role, present)) return present;
  return Status::Of(Code::kWrongKey, "root: its {} role does not name this server's key {}", name,
                    trust::KeyIdOf((waiting ? *waiting : present).public_key()));
}

Status CheckLine(const trust::Line& line, const std::vector<std::string>& here) {
  if (line.authorities.empty() || here.empty()) return OkStatus();
  const auto& named = line.authorities;
  if (std::find_first_of(named.begin(), named.end(), here.begin(), here.end()) != named.end())
    return OkStatus();
  return Status::Of(Code::kWrongKey,
                    "root: devices would believe authority {} alone, which is not this server's",
                    named.front());
}

}  // namespace

trust::OnlineKeys PublicKeysOf(const OnlineSecrets& secrets) {
  return NextKeysOf(secrets, {});
}

trust::OnlineKeys NextKeysOf(const OnlineSecrets& present, const WaitingKeys& waiting) {
  trust::OnlineKeys keys;
  keys.snapshot = waiting.snapshot.value_or(present.snapshot).public_key();
  keys.timestamp = waiting.timestamp.value_or(present.timestamp).public_key();
  keys.director = waiting.director.value_or(present.director).public_key();
  keys.escrow = waiting.escrow.value_or(present.escrow).public_key();
  const auto& personal = waiting.personal ? waiting.personal : present.personal;
  if (personal) keys.personal = personal->public_key();
  keys.line = waiting.line;
  return keys;
}

Result<OnlineSecrets> ChooseSecrets(const trust::Root& root, const OnlineSecrets& present,
                                    const WaitingKeys& waiting) {
  OnlineSecrets out = present;
  FERRY_TRY(CheckLine(root.line, waiting.authorities));
  FERRY_ASSIGN_OR_RETURN(out.snapshot,
                         ChooseKey(root.snapshot, present.snapshot, waiting.snapshot, "snapshot"));
  FERRY_ASSIGN_OR_RETURN(
      out.timestamp, ChooseKey(root.timestamp, present.timestamp, waiting.timestamp, "timestamp"));
  FERRY_ASSIGN_OR_RETURN(out.director,
                         ChooseKey(root.director, present.director, waiting.director, "director"));
  if (root.escrow == present.escrow.public_key()) return out;
  if (!waiting.escrow || root.escrow != waiting.escrow->public_key())
    return Status(Code::kWrongKey, "root: its escrow key is not this server's");
  out.old_escrow.insert(out.old_escrow.begin(), present.escrow);
  out.escrow = *waiting.escrow;
  return out;
}

Result<OnlineSecrets> ChoosePersonal(const trust::PersonalDelegation& delegation,
                                     const OnlineSecrets& present, const WaitingKeys& waiting) {
  OnlineSecrets out = present;
  for (const auto* key : {&waiting.personal, &present.personal}) {
    if (!*key || !trust::NamesKey(delegation, trust::KeyIdOf((*key)->public_key()))) continue;
    out.personal = *key;
    return out;
  }
  return Status(Code::kWrongKey,
                "targets: they delegate personal files to a key that is not this server's "
                "(`ferry keys personal` takes the server's, --off leaves them out)");
}

}  // namespace ferry::server
