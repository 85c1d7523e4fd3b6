// Files for single devices that were added after publication: taken in, told to each device in a
// document of its own, and their keys wrapped to it.
#include "common/trust/documents/personal/personal.h"

#include <algorithm>
#include <set>

#include "cloud-server/core/counters.h"
#include "cloud-server/registry/online.h"
#include "cloud-server/registry/registry.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/trust/envelope.h"

namespace ferry::server {
namespace {

constexpr size_t kRewrappedAtOnce = 50;

// What the newest targets delegate; nullopt where they delegate nothing, or there are none.
Result<std::optional<trust::PersonalDelegation>> DelegationOf(Transaction& tx) {
  const Result<MetadataRow> row = tx.packages().Metadata("targets", 0);
  if (row.code() == Code::kNotFound) return std::optional<trust::PersonalDelegation>();
  FERRY_TRY(row);
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope envelope, trust::ParseEnvelope(row->document));
  if (row->bins > 0) {
    FERRY_ASSIGN_OR_RETURN(trust::Targets top, trust::TargetsFromJson(envelope.signed_part));
    return std::move(top.personal);
  }
  FERRY_ASSIGN_OR_RETURN(const Json* delegations,
                         GetObjectOrNull(envelope.signed_part, "delegations"));
  if (delegations == nullptr) return std::optional<trust::PersonalDelegation>();
  return trust::PersonalDelegationFromJson(*delegations);
}

Result<trust::TargetEntry> EntryOfPersonal(const PersonalRow& row) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(row.entry_json));
  return trust::TargetEntryFromJson(json).Context("personal file {}/{} of device {}", row.package,
                                                  row.name, row.device);
}

Status CheckTotal(const std::string& device, const std::vector<PersonalRow>& files) {
  uint64_t total = 0;
  for (const PersonalRow& file : files) {
    FERRY_ASSIGN_OR_RETURN(const trust::TargetEntry entry, EntryOfPersonal(file));
    total += entry.plain_length;
  }
  if (files.size() > trust::kMaxPersonalFiles || total > trust::kMaxPersonalTotalBytes)
    return Status::Of(Code::kLimitExceeded,
                      "device {} would have {} personal files of {} bytes, at most {} of {}",
                      device, files.size(), total, trust::kMaxPersonalFiles,
                      trust::kMaxPersonalTotalBytes);
  return OkStatus();
}

}  // namespace

Status Registry::CheckPersonal(const trust::PersonalDelegation& delegation,
                               const std::string& package, const PersonalFile& file) {
  if (Status named = trust::CheckDataName(file.name); !named.ok()) return named;
  const std::string path = trust::PersonalPath(package, file.name);
  FERRY_TRY(trust::CheckDelegated(delegation, path, file.entry));
  const std::string sha256 = ToHex(file.entry.sha256);
  FERRY_ASSIGN_OR_RETURN(const uint64_t length, options_.blobs->Size(sha256).Context("{}", path));
  if (length != file.entry.length)
    return Status::Of(Code::kCorruptContent, "{}: the content has {} bytes, not {}", path, length,
                      file.entry.length);
  return AsStatus(OpenEscrow(*secrets(), file.entry, file.wrapped)).Context("{}: its key", path);
}

Result<trust::PersonalDelegation> Registry::PersonalDelegation() {
  std::optional<trust::PersonalDelegation> found;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(found, DelegationOf(tx));
    return OkStatus();
  }));
  if (!found)
    return Status(Code::kFailedPrecondition,
                  "targets delegate no personal files: the publisher's `ferry keys personal --dir "
                  "PUBLISHER` lets this server sign them");
  const std::shared_ptr<const OnlineSecrets> keys = secrets();
  if (!keys->personal || !trust::NamesKey(*found, trust::KeyIdOf(keys->personal->public_key())))
    return Status(Code::kWrongKey,
                  "targets delegate personal files to a key that is not this server's: `ferry keys "
                  "personal --dir PUBLISHER` takes the present one");
  return *std::move(found);
}

Status Registry::UsePersonalKey() {
  std::optional<trust::PersonalDelegation> found;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(found, DelegationOf(tx));
    return OkStatus();
  }));
  personal_delegated_ = false;
  if (!found) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const WaitingKeys waiting, Waiting());
  {
    std::unique_lock lock(secrets_mutex_);
    FERRY_ASSIGN_OR_RETURN(OnlineSecrets chosen, ChoosePersonal(*found, *secrets_, waiting));
    secrets_ = std::make_shared<const OnlineSecrets>(std::move(chosen));
  }
  personal_delegated_ = true;
  return options_.keys == nullptr ? OkStatus() : options_.keys->Settle(*secrets());
}

Result<Registry::PersonalChanged> Registry::ChangePersonal(const PersonalChange& change) {
  // Beside a review of content none is dropped in between.
  std::lock_guard lock(publish_mutex_);
  // What is there may always be removed.
  if (!change.put.empty()) {
    FERRY_ASSIGN_OR_RETURN(const trust::PersonalDelegation delegation, PersonalDelegation());
    for (const PersonalFile& file : change.put)
      FERRY_TRY(CheckPersonal(delegation, change.package, file));
  }
  const std::string escrow_id = package::SealKeyId(secrets()->escrow.public_key());
  PersonalChanged out;
  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    out = PersonalChanged();
    std::set<std::string> touched, grown;
    for (const PersonalFile& file : change.put) {
      FERRY_TRY(AsStatus(tx.devices().Get(file.device)));
      FERRY_TRY(tx.personal().Put(
          {file.device, change.package, file.name, ToHex(file.entry.sha256), file.entry.length,
           WriteJson(trust::TargetEntryToJson(file.entry)), file.wrapped.enc, file.wrapped.sealed,
           escrow_id, options_.clock->NowUnixMs(), change.by}));
      touched.insert(file.device);
      grown.insert(file.device);
    }
    for (const auto& [device, name] : change.remove) {
      FERRY_ASSIGN_OR_RETURN(const bool gone, tx.personal().Remove(device, change.package, name));
      if (!gone) continue;
      ++out.removed;
      touched.insert(device);
    }
    for (const std::string& device : touched) {
      FERRY_ASSIGN_OR_RETURN(PersonalStateRow state, tx.personal().State(device));
      state.change = NextNumber(state.change, options_.clock->NowUnixMs());
      FERRY_TRY(tx.personal().PutState(state));
      if (!grown.contains(device)) continue;
      FERRY_ASSIGN_OR_RETURN(const std::vector<PersonalRow> files, tx.personal().OfDevice(device));
      FERRY_TRY(CheckTotal(device, files));
    }
    out.devices.assign(touched.begin(), touched.end());
    return OkStatus();
  }));
  out.put = change.put.size();
  return out;
}

Status Registry::SignPersonal(Transaction& tx, const OnlineSecrets& keys, PersonalStateRow* state) {
  FERRY_ASSIGN_OR_RETURN(const auto delegation, DelegationOf(tx));
  if (!delegation) return OkStatus();
  const int64_t now_ms = options_.clock->NowUnixMs();
  trust::PersonalTargets document;
  document.device = state->device;
  document.version = NextNumber(state->version, now_ms);
  document.expires_ms = now_ms + kPersonalLifeMs;
  FERRY_ASSIGN_OR_RETURN(const std::vector<PersonalRow> files,
                         tx.personal().OfDevice(state->device));
  for (const PersonalRow& file : files) {
    FERRY_ASSIGN_OR_RETURN(trust::TargetEntry entry, EntryOfPersonal(file));
    const std::string path = trust::PersonalPath(file.package, file.name);
    const Status allowed = trust::CheckDelegated(*delegation, path, entry);
    // The publisher has narrowed what is delegated: the device would refuse them all.
    if (!allowed.ok()) LogWarn("registry", "device {}: {}", state->device, allowed.message());
    if (allowed.ok()) document.entries[path] = std::move(entry);
  }
  FERRY_ASSIGN_OR_RETURN(state->document, trust::SignPersonal(document, *keys.personal));
  state->version = document.version;
  state->expires_ms = document.expires_ms;
  state->signed_change = state->change;
  state->key_id = trust::KeyIdOf(keys.personal->public_key());
  return tx.personal().PutState(*state);
}

Result<std::optional<trust::MetaFile>> Registry::BindPersonal(const std::string& device) {
  const std::shared_ptr<const OnlineSecrets> keys = secrets();
  PersonalStateRow state;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(state, tx.personal().State(device));
    return OkStatus();
  }));
  // Where targets delegate nothing devices drop what they have, and refuse what they are given.
  if (state.change == 0 || !keys->personal || !personal_delegated_)
    return std::optional<trust::MetaFile>();
  const auto is_due = [&] {
    return state.version == 0 || state.signed_change != state.change ||
           state.key_id != trust::KeyIdOf(keys->personal->public_key()) ||
           state.expires_ms - options_.clock->NowUnixMs() < kPersonalLifeMs / 2;
  };
  if (is_due()) {
    FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(state, tx.personal().State(device));
      return is_due() ? SignPersonal(tx, *keys, &state) : OkStatus();
    }));
  }
  if (state.version == 0) return std::optional<trust::MetaFile>();
  return std::optional(trust::MetaOf(state.document, state.version));
}

Result<MetadataRow> Registry::PersonalDocument(const std::string& device, int64_t version) {
  PersonalStateRow state;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(state, tx.personal().State(device));
    return OkStatus();
  }));
  if (state.version == 0 || (version != 0 && version != state.version))
    return Status::Of(Code::kNotFound, "device {} has no personal document of version {}", device,
                      version);
  return MetadataRow{std::string(trust::kPersonalRole), state.version, std::move(state.document),
                     state.expires_ms};
}

Result<Registry::DeviceKey> Registry::WrapPersonalKey(const std::string& device,
                                                      const std::string& path) {
  DeviceRow row;
  PersonalRow file;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.devices().Get(device));
    if (row.blocked) return Status::Of(Code::kBlocked, "device {} is blocked", device);
    FERRY_ASSIGN_OR_RETURN(const std::vector<PersonalRow> files, tx.personal().OfDevice(device));
    for (const PersonalRow& each : files)
      if (trust::PersonalPath(each.package, each.name) == path) file = each;
    if (!file.device.empty()) return OkStatus();
    return Status::Of(Code::kPermissionDenied, "device {} has no personal file {}", device, path);
  }));
  FERRY_ASSIGN_OR_RETURN(const trust::TargetEntry entry, EntryOfPersonal(file));
  FERRY_ASSIGN_OR_RETURN(
      const crypto::Secret32 key,
      OpenEscrow(*secrets(), entry, {file.escrow_enc, file.escrow_sealed}).Context("{}", path));
  DeviceKey wrapped;
  wrapped.key_id = package::SealKeyId(row.seal_public);
  FERRY_ASSIGN_OR_RETURN(
      wrapped.wrapped, package::WrapForDevice(
                           row.seal_public, {row.tenant, std::string(trust::kPersonalRole), device},
                           entry, key, *options_.random));
  return wrapped;
}

Status Registry::RewrapPersonal() {
  if (personal_wrapped_) return OkStatus();
  const std::shared_ptr<const OnlineSecrets> keys = secrets();
  const std::string escrow_id = package::SealKeyId(keys->escrow.public_key());
  std::vector<PersonalRow> rows;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(rows, tx.personal().NotWrappedTo(escrow_id, kRewrappedAtOnce));
    return OkStatus();
  }));
  if (rows.empty()) {
    personal_wrapped_ = true;
    return OkStatus();
  }
  return options_.store->Write([&](Transaction& tx) -> Status {
    for (const PersonalRow& row : rows) {
      Result<PersonalRow> file = tx.personal().Get(row.device, row.package, row.name);
      if (file.code() == Code::kNotFound) continue;
      FERRY_TRY(file);
      FERRY_ASSIGN_OR_RETURN(const trust::TargetEntry entry, EntryOfPersonal(*file));
      const auto key = OpenEscrow(*keys, entry, {file->escrow_enc, file->escrow_sealed});
      // One that no key opens is lost already: it is named once, and `ferry-server check` says it.
      if (!key.ok())
        LogError("registry", "personal file {}/{} of device {}: its content key: {}", row.package,
                 row.name, row.device, key.status().ToString());
      if (key.ok()) {
        FERRY_ASSIGN_OR_RETURN(
            package::WrappedKey wrapped,
            package::WrapForEscrow(keys->escrow.public_key(), entry, *key, *options_.random));
        file->escrow_enc = std::move(wrapped.enc);
        file->escrow_sealed = std::move(wrapped.sealed);
      }
      file->escrow_id = escrow_id;
      FERRY_TRY(tx.personal().Put(*file));
    }
    return OkStatus();
  });
}

}  // namespace ferry::server
