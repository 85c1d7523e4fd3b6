#include "cloud-server/main/online_keys/key_files.h"

#include <algorithm>
#include <array>

#include "cloud-server/main/line/authorities.h"
#include "cloud-server/registry/registry.h"
#include "common/crypto/keyfile.h"

namespace ferry::server {
namespace {

constexpr std::array<std::string_view, 5> kRoles = {"director", "escrow", "personal", "snapshot",
                                                    "timestamp"};

// nullopt when there is no such file.
template <typename Key>
Result<std::optional<Key>> OrNone(Result<Key> key) {
  if (key.code() == Code::kNotFound) return std::optional<Key>();
  FERRY_TRY(key);
  return std::optional<Key>(*std::move(key));
}

std::string KeyFile(const std::string& folder, std::string_view role) {
  return sys::JoinPath(folder, std::string(role) + ".key");
}

}  // namespace

std::span<const std::string_view> OnlineRoles() {
  return kRoles;
}

KeyFiles::KeyFiles(sys::FileSystem& fs, std::string directory, std::function<void()> on_settled)
    : fs_(fs), directory_(std::move(directory)), on_settled_(std::move(on_settled)) {}

std::string KeyFiles::InUse(std::string_view role) const {
  return KeyFile(sys::JoinPath(directory_, "keys"), role);
}

std::string KeyFiles::Next(std::string_view role) const {
  return KeyFile(sys::JoinPath(directory_, "keys/next"), role);
}

Result<WaitingKeys> KeyFiles::Waiting() {
  WaitingKeys out;
  FERRY_ASSIGN_OR_RETURN(out.snapshot, OrNone(crypto::ReadSigningKey(fs_, Next("snapshot"))));
  FERRY_ASSIGN_OR_RETURN(out.timestamp, OrNone(crypto::ReadSigningKey(fs_, Next("timestamp"))));
  FERRY_ASSIGN_OR_RETURN(out.director, OrNone(crypto::ReadSigningKey(fs_, Next("director"))));
  FERRY_ASSIGN_OR_RETURN(out.escrow, OrNone(crypto::ReadAgreementKey(fs_, Next("escrow"))));
  FERRY_ASSIGN_OR_RETURN(out.personal, OrNone(crypto::ReadSigningKey(fs_, Next("personal"))));
  const Authorities authorities(fs_, directory_);
  FERRY_ASSIGN_OR_RETURN(out.line, authorities.Wanted());
  const Result<std::vector<AuthorityChain>> chains = authorities.Chains();
  if (!chains.ok() && chains.code() != Code::kNotFound) return chains.status();
  if (chains.ok())
    for (const AuthorityChain& chain : *chains) out.authorities.push_back(chain.pin);
  return out;
}

Status KeyFiles::Settle(const OnlineSecrets& present) {
  FERRY_TRY(MoveTaken(present));
  if (on_settled_) on_settled_();
  return OkStatus();
}

Status KeyFiles::MoveTaken(const OnlineSecrets& present) {
  FERRY_ASSIGN_OR_RETURN(const WaitingKeys waiting, Waiting());
  std::vector<std::string_view> taken;
  const auto is_taken = [&](std::string_view role, const auto& waits, const auto& key) {
    if (waits && waits->public_key() == key.public_key()) taken.push_back(role);
  };
  is_taken("snapshot", waiting.snapshot, present.snapshot);
  is_taken("timestamp", waiting.timestamp, present.timestamp);
  is_taken("director", waiting.director, present.director);
  is_taken("escrow", waiting.escrow, present.escrow);
  if (present.personal) is_taken("personal", waiting.personal, *present.personal);
  if (taken.empty()) return OkStatus();
  // Before the new one is in its place: content keys of a backup may be wrapped to it.
  const std::string old = sys::JoinPath(directory_, "keys/old");
  FERRY_TRY(fs_.MakeDirectories(old));
  FERRY_TRY(fs_.SyncDirectory(sys::JoinPath(directory_, "keys")));
  for (const crypto::AgreementKey& key : present.old_escrow) {
    const std::string path = KeyFile(old, "escrow-" + package::SealKeyId(key.public_key()));
    if (!sys::Exists(fs_, path)) FERRY_TRY(crypto::WriteKey(fs_, path, key));
  }
  for (const std::string_view role : taken) FERRY_TRY(fs_.Rename(Next(role), InUse(role)));
  // Where they went to first: after a crash between the two a key is in both places, never in none.
  FERRY_TRY(fs_.SyncDirectory(sys::JoinPath(directory_, "keys")));
  return fs_.SyncDirectory(sys::JoinPath(directory_, "keys/next"));
}

Result<OnlineSecrets> KeyFiles::Read() const {
  FERRY_ASSIGN_OR_RETURN(auto snapshot, crypto::ReadSigningKey(fs_, InUse("snapshot")));
  FERRY_ASSIGN_OR_RETURN(auto timestamp, crypto::ReadSigningKey(fs_, InUse("timestamp")));
  FERRY_ASSIGN_OR_RETURN(auto director, crypto::ReadSigningKey(fs_, InUse("director")));
  FERRY_ASSIGN_OR_RETURN(auto escrow, crypto::ReadAgreementKey(fs_, InUse("escrow")));
  OnlineSecrets out{snapshot, timestamp, director, escrow};
  // A server that was made without one gets it by `ferry-server keys rotate`.
  FERRY_ASSIGN_OR_RETURN(out.personal, OrNone(crypto::ReadSigningKey(fs_, InUse("personal"))));
  const std::string old = sys::JoinPath(directory_, "keys/old");
  if (!sys::Exists(fs_, old)) return out;
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> files, fs_.List(old));
  for (const std::string& file : files) {
    if (!file.starts_with("escrow-") || !file.ends_with(".key")) continue;
    FERRY_ASSIGN_OR_RETURN(auto key, crypto::ReadAgreementKey(fs_, sys::JoinPath(old, file)));
    out.old_escrow.push_back(std::move(key));
  }
  return out;
}

Status KeyFiles::Make(sys::Random& random) {
  const std::string keys = sys::JoinPath(directory_, "keys");
  FERRY_TRY(fs_.MakeDirectories(keys));
  OnlineSecrets secrets{trust::SigningKey::Generate(random), trust::SigningKey::Generate(random),
                        trust::SigningKey::Generate(random),
                        crypto::AgreementKey::Generate(random)};
  secrets.personal = trust::SigningKey::Generate(random);
  FERRY_TRY(crypto::WriteKey(fs_, InUse("snapshot"), secrets.snapshot));
  FERRY_TRY(crypto::WriteKey(fs_, InUse("timestamp"), secrets.timestamp));
  FERRY_TRY(crypto::WriteKey(fs_, InUse("director"), secrets.director));
  FERRY_TRY(crypto::WriteKey(fs_, InUse("escrow"), secrets.escrow));
  FERRY_TRY(crypto::WriteKey(fs_, InUse("personal"), *secrets.personal));
  FERRY_TRY(crypto::WriteKey(fs_, InUse("content"), crypto::Secret32::Generate(random)));
  return Export(PublicKeysOf(secrets));
}

Result<std::vector<std::string>> KeyFiles::MakeWaiting(std::span<const std::string> roles,
                                                       bool again, sys::Random& random) {
  for (const std::string& role : roles) {
    if (std::find(kRoles.begin(), kRoles.end(), role) == kRoles.end())
      return Status::Of(Code::kInvalidArgument,
                        "this server has no key of \"{}\": director, escrow, personal, snapshot, "
                        "timestamp, and authority, which goes alone",
                        role);
  }
  FERRY_TRY(fs_.MakeDirectories(sys::JoinPath(directory_, "keys/next")));
  FERRY_TRY(fs_.SyncDirectory(sys::JoinPath(directory_, "keys")));
  std::vector<std::string> made;
  for (const std::string& role : roles) {
    if (!again && sys::Exists(fs_, Next(role))) continue;
    if (role == "escrow") {
      FERRY_TRY(crypto::WriteKey(fs_, Next(role), crypto::AgreementKey::Generate(random)));
    } else {
      FERRY_TRY(crypto::WriteKey(fs_, Next(role), trust::SigningKey::Generate(random)));
    }
    made.push_back(role);
  }
  return made;
}

Status KeyFiles::Export(const trust::OnlineKeys& keys) {
  return sys::WriteFileAtomically(fs_, sys::JoinPath(directory_, "online-keys.json"),
                                  AsBytes(trust::OnlineKeysToText(keys)), sys::kPublicFile);
}

}  // namespace ferry::server
