// What a general TUF repository serves: each document changed, and the whole of an update with it.
#include <map>

#include "common/base/check.h"
#include "common/trust/envelope.h"
#include "common/trust/key.h"
#include "common/trust/time.h"
#include "common/trust/tuf/updater.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr int64_t kTufNowMs = 1'767'225'600'000;  // 2026-01-01T00:00:00Z
constexpr size_t kMaxFetches = 200;               // of one update
constexpr std::string_view kWanted = "a/x";       // the path that is looked for

// One key for all roles, as in trust_document.cc.
const trust::SigningKey& TufKey() {
  static const trust::SigningKey key = trust::SigningKey::FromSeed(
      crypto::Secret32::From(Bytes(crypto::Secret32::kBytes, 2), "seed").value());
  return key;
}

Json RoleOfKey(const char* name = nullptr) {
  Json role = {{"keyids", {trust::KeyIdOf(TufKey().public_key())}}, {"threshold", 1}};
  if (name != nullptr)
    role.update({{"name", name}, {"terminating", false}, {"paths", {"a/*", "b?"}}});
  return role;
}
Json KeysOfAll() {
  return {{trust::KeyIdOf(TufKey().public_key()), trust::KeyToJson(TufKey().public_key())}};
}

Json HeadOf(const char* type, int64_t version = 1) {
  return {{"_type", type},
          {"spec_version", "1.0.34"},
          {"version", version},
          {"expires", trust::FormatTime(kTufNowMs + trust::kDayMs)}};
}

Json RootPart(int64_t version) {
  Json part = HeadOf("root", version);
  part["consistent_snapshot"] = false;
  part["keys"] = KeysOfAll();
  for (const char* role : {"root", "timestamp", "snapshot", "targets"})
    part["roles"][role] = RoleOfKey();
  return part;
}
Json TimestampPart() {
  Json part = HeadOf("timestamp");
  part["meta"]["snapshot.json"] = {{"version", 1}};
  return part;
}
Json SnapshotPart() {
  Json part = HeadOf("snapshot");
  for (const char* name : {"targets.json", "team.json"}) part["meta"][name] = {{"version", 1}};
  return part;
}
Json TargetsPart(bool delegates) {
  Json part = HeadOf("targets");
  part["targets"] = Json::object();
  if (delegates) {
    part["delegations"] = {{"keys", KeysOfAll()}, {"roles", {RoleOfKey("team")}}};
  } else {
    part["targets"][kWanted] = {{"length", 3}, {"hashes", {{"sha256", std::string(64, 'a')}}}};
  }
  return part;
}

Bytes SignTuf(const Json& part) {
  return trust::SignDocument(part, {&TufKey(), 1}).value();
}

class Served final : public tuf::Repository, public tuf::Keep {
 public:
  Served() {
    files = {{"timestamp.json", SignTuf(TimestampPart())},
             {"snapshot.json", SignTuf(SnapshotPart())},
             {"targets.json", SignTuf(TargetsPart(true))},
             {"team.json", SignTuf(TargetsPart(false))}};
    kept = {{"root.json", SignTuf(RootPart(1))}};
  }
  Result<Bytes> Fetch(const std::string& name, size_t limit) override {
    CHECK(++fetches < kMaxFetches);
    const auto found = files.find(name);
    if (found == files.end()) return Status(Code::kNotFound, name);
    if (found->second.size() > limit) return Status(Code::kLimitExceeded, name);
    return found->second;
  }
  Result<Bytes> Load(const std::string& name) override {
    const auto found = kept.find(name);
    if (found == kept.end()) return Status(Code::kNotFound, name);
    return found->second;
  }
  Status Save(const std::string& name, ByteView document) override {
    kept[name] = ToBytes(document);
    return OkStatus();
  }
  Status Drop(const std::string& name) override {
    kept.erase(name);
    return OkStatus();
  }

  std::map<std::string, Bytes> files, kept;
  size_t fetches = 0;
};

// An update with `document` in place of the file `name`. What was kept once is read again by the
// next update, without an error of its form.
void UpdateWith(const std::string& name, ByteView document) {
  static const Served kGood = [] {
    Served served;
    tuf::Updater updater(served, served, kTufNowMs);
    CHECK(updater.Refresh().ok());
    CHECK(updater.Find(kWanted).ok());
    return Served();
  }();
  Served served = kGood;
  served.files[name] = ToBytes(document);
  for (int again = 0; again < 2; ++again) {
    served.fetches = 0;
    tuf::Updater updater(served, served, kTufNowMs);
    if (!updater.Refresh().ok()) continue;
    const auto found = updater.Find(kWanted);
    if (!found.ok()) continue;
    CHECK(tuf::TargetLocation(updater.root(), kWanted, *found).code() != Code::kInternal);
  }
  for (const auto& [kept, bytes] : served.kept) CHECK(tuf::ParseSigned(bytes).ok()) << kept;
}

std::vector<std::string> FilesOf(const std::string& type) {
  if (type == "root") return {"2.root.json"};
  if (type == "snapshot") return {"snapshot.json"};
  if (type == "targets") return {"targets.json", "team.json"};
  return {"timestamp.json"};
}

void RunTufRepository(ByteView bytes) {
  const auto document = tuf::ParseSigned(bytes);
  if (!document.ok()) return UpdateWith("timestamp.json", bytes);
  // Signed anew over the bytes that TUF's own canonical form says, or nothing would come past.
  const auto sig = TufKey().Sign(AsBytes(document->canonical));
  const Json signature = {{"keyid", trust::KeyIdOf(TufKey().public_key())}, {"sig", ToHex(sig)}};
  const std::string good =
      WriteJson(Json{{"signed", document->part}, {"signatures", Json::array({signature})}});
  for (const std::string& name :
       FilesOf(GetStringOr(document->part, "_type", "").value_or(std::string())))
    UpdateWith(name, AsBytes(good));
}

std::vector<Bytes> TufRepositorySeeds() {
  Json bins = TargetsPart(true);
  bins["delegations"].erase("roles");
  bins["delegations"]["succinct_roles"] = RoleOfKey();
  bins["delegations"]["succinct_roles"].update({{"bit_length", 1}, {"name_prefix", "team"}});
  return {SignTuf(RootPart(2)),       SignTuf(TimestampPart()),    SignTuf(SnapshotPart()),
          SignTuf(TargetsPart(true)), SignTuf(TargetsPart(false)), SignTuf(bins)};
}

}  // namespace

const Target kTufRepositoryTarget = {"tuf_repository", RunTufRepository, TufRepositorySeeds};

}  // namespace ferry::fuzz
