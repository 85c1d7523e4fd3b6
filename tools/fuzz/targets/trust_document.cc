#include "common/base/check.h"
#include "common/base/json.h"
#include "common/trust/assignment.h"
#include "common/trust/builder.h"
#include "common/trust/desired.h"
#include "common/trust/documents/personal/personal.h"
#include "common/trust/envelope.h"
#include "common/trust/time.h"
#include "common/trust/trusted_set.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr int64_t kNowMs = 1'767'225'600'000;  // 2026-01-01T00:00:00Z
constexpr std::string_view kTrustDevice = "00112233445566778899aabbccddeeff";

// One key for all roles: what counts here is what is read after its signature was good.
const trust::SigningKey& TrustKey() {
  static const trust::SigningKey key = trust::SigningKey::FromSeed(
      crypto::Secret32::From(Bytes(crypto::Secret32::kBytes, 1), "seed").value());
  return key;
}

trust::Root FirstRoot() {
  trust::Root root;
  root.expires_ms = kNowMs + trust::kDayMs;
  for (trust::RoleKeys* role :
       {&root.root, &root.targets, &root.snapshot, &root.timestamp, &root.director}) {
    root.AddKey(*role, TrustKey().public_key());
  }
  return root;
}

Bytes Sign(const Json& signed_part) {
  return trust::SignDocument(signed_part, {&TrustKey(), 1}).value();
}

trust::TrustedSet FreshSet() {
  static const Bytes document = Sign(trust::RootToJson(FirstRoot()));
  return trust::TrustedSet::FromPinnedRoot(document, crypto::Sha256(document)).value();
}

// A set is saved and loaded as it is.
void CheckState(const trust::TrustedSet& set) {
  auto loaded = trust::TrustedSet::FromState(set.SaveState());
  CHECK(loaded.ok()) << loaded.status().ToString();
  CHECK(loaded->SaveState() == set.SaveState());
  CHECK(loaded->assignment_counter() == set.assignment_counter());
  CHECK(loaded->root().version == set.root().version);
  CHECK((loaded->targets() == nullptr) == (set.targets() == nullptr));
}

trust::Targets SomeTargets() {
  trust::Targets targets;
  targets.expires_ms = kNowMs + trust::kDayMs;
  trust::TargetEntry entry;
  entry.length = 1000;
  entry.package = "digits";
  entry.version = "1.0.0";
  entry.release_counter = 3;
  entry.plain_length = 2000;
  entry.fallback = trust::Fallback{"0.9.0", {}};
  targets.entries[trust::FullPath("digits", "1.0.0")] = entry;
  targets.personal =
      trust::MakePersonalDelegation(TrustKey().public_key(), {"personal/digits/*"}, 1000).value();
  return targets;
}

// `document` is signed as it must be; the roles above it name it.
void UpdateAll(ByteView document) {
  const int64_t expires_ms = kNowMs + trust::kDayMs;
  trust::TrustedSet set = FreshSet();
  if (set.UpdateRoot(document).ok()) CheckState(set);
  set = FreshSet();
  if (set.UpdateTimestamp(document, kNowMs).ok()) CheckState(set);

  set = FreshSet();
  const Bytes timestamp = trust::SignTimestamp(document, 1, 1, expires_ms, TrustKey()).value();
  CHECK(set.UpdateTimestamp(timestamp, kNowMs).ok());
  if (set.UpdateSnapshot(document, kNowMs).ok()) CheckState(set);

  set = FreshSet();
  const Bytes snapshot = trust::SignSnapshot(document, 1, 1, expires_ms, TrustKey()).value();
  CHECK(set.UpdateTimestamp(trust::SignTimestamp(snapshot, 1, 1, expires_ms, TrustKey()).value(),
                            kNowMs)
            .ok());
  CHECK(set.UpdateSnapshot(snapshot, kNowMs).ok());
  if (set.UpdateTargets(document, kNowMs).ok()) CheckState(set);
  if (set.CheckAssignment(document, kTrustDevice, kNowMs).ok()) CheckState(set);
  if (set.CheckDesired(document, kTrustDevice, kNowMs).ok()) CheckState(set);
}

// The document of a device's own files, as targets delegate them and the director binds it.
void UpdateFilesOf(ByteView document, int64_t version) {
  static const trust::TrustedSet kWithTargets = [] {
    const int64_t expires_ms = kNowMs + trust::kDayMs;
    const Bytes targets = Sign(trust::TargetsToJson(SomeTargets()));
    const Bytes snapshot = trust::SignSnapshot(targets, 1, 1, expires_ms, TrustKey()).value();
    trust::TrustedSet set = FreshSet();
    CHECK(set.UpdateTimestamp(trust::SignTimestamp(snapshot, 1, 1, expires_ms, TrustKey()).value(),
                              kNowMs)
              .ok());
    CHECK(set.UpdateSnapshot(snapshot, kNowMs).ok());
    CHECK(set.UpdateTargets(targets, kNowMs).ok());
    return set;
  }();
  trust::TrustedSet set = kWithTargets;
  if (!set.UpdatePersonal(document, trust::MetaOf(document, version), kTrustDevice, kNowMs).ok())
    return;
  CHECK(set.personal() != nullptr);
  for (const auto& [path, entry] : set.personal()->entries)
    CHECK(trust::CheckDataName(trust::PersonalName(path)).ok()) << path;
  CheckState(set);
}

// The same targets over two bins of that version.
trust::Targets SomeTargetsInBins(int64_t version) {
  trust::Targets targets = SomeTargets();
  trust::HashBins& bins = targets.bins.emplace();
  bins.role = FirstRoot().targets;
  for (const std::string& id : bins.role.key_ids) bins.keys.emplace(id, TrustKey().public_key());
  bins.versions.assign(bins.count(), version);
  return targets;
}

trust::TargetsBin SomeBin() {
  trust::TargetsBin bin{1, kNowMs + trust::kDayMs, {}};
  for (const auto& [path, entry] : SomeTargets().entries)
    if (trust::BinNumberOf(1, path) == 0) bin.entries.emplace(path, entry);
  return bin;
}

// The document as the first of two bins, as the roles above name it.
void UpdateBinOf(ByteView document, int64_t version) {
  const int64_t expires_ms = kNowMs + trust::kDayMs;
  const std::string name = trust::BinName(1, 0);
  const Bytes targets = Sign(trust::TargetsToJson(SomeTargetsInBins(version)));
  const Bytes snapshot = trust::SignSnapshot({{"targets.json", trust::MetaOf(targets, 1)},
                                              {name + ".json", trust::MetaOf(document, version)}},
                                             1, expires_ms, TrustKey())
                             .value();
  trust::TrustedSet set = FreshSet();
  CHECK(set.UpdateTimestamp(trust::SignTimestamp(snapshot, 1, 1, expires_ms, TrustKey()).value(),
                            kNowMs)
            .ok());
  if (!set.UpdateSnapshot(snapshot, kNowMs).ok()) return;  // of a version that none may have
  if (!set.UpdateTargets(targets, kNowMs).ok()) return;
  if (!set.UpdateBin(name, document, kNowMs).ok()) return;
  for (const auto& [path, entry] : set.targets()->entries)
    CHECK(trust::BinOf(*set.targets()->bins, path) == name) << path;
  CheckState(set);
}

void RunTrustDocument(ByteView bytes) {
  (void)trust::TrustedSet::FromState(bytes).ok();
  auto envelope = trust::ParseEnvelope(bytes);
  if (!envelope.ok()) return;
  // Signed anew, or nothing would come past the signature.
  auto document = trust::SignDocument(envelope->signed_part, {&TrustKey(), 1});
  CHECK(document.ok()) << "what was read has a canonical form: " << document.status().ToString();
  auto again = trust::ParseEnvelope(*document);
  CHECK(again.ok() && again->canonical == envelope->canonical);
  UpdateAll(*document);
  const int64_t version = GetInt(envelope->signed_part, "version").value_or(1);
  UpdateFilesOf(*document, version);
  UpdateBinOf(*document, version);
}

trust::PersonalTargets SomeFiles() {
  trust::PersonalTargets files{std::string(kTrustDevice), 2, kNowMs + trust::kDayMs, {}};
  trust::TargetEntry entry = trust::PersonalEntry("digits");
  entry.length = 100;
  entry.plain_length = 10;
  files.entries[trust::PersonalPath("digits", "gain")] = entry;
  return files;
}

trust::Desired SomeDesired() {
  trust::Desired desired;
  desired.device = kTrustDevice;
  desired.counter = 5;
  desired.expires_ms = kNowMs + trust::kDayMs;
  trust::DesiredPackage package;
  package.version = "1.0.0";
  package.release = "r1";
  package.attempt = 2;
  package.targets = {trust::FullPath("digits", "1.0.0")};
  package.made = trust::MadeDelta{"0.9.0", {}, 50, {}};
  package.when = R"({"idle":true})";
  desired.packages["digits"] = package;
  desired.packages["gone"] = {.state = trust::DesiredState::kAbsent, .release = "r2"};
  desired.unanswered = {"digits"};
  desired.personal = trust::MetaFile{2, 300, {}};
  return desired;
}

std::vector<Bytes> TrustDocumentSeeds() {
  const int64_t expires_ms = kNowMs + trust::kDayMs;
  trust::Root next = FirstRoot();
  next.version = 2;
  const Bytes targets = Sign(trust::TargetsToJson(SomeTargets()));
  const Bytes snapshot = trust::SignSnapshot(targets, 1, 1, expires_ms, TrustKey()).value();
  trust::Assignment assignment;
  assignment.device = kTrustDevice;
  assignment.counter = 4;
  assignment.release = "r1";
  assignment.action = trust::Action::kInstall;
  assignment.targets = {trust::FullPath("digits", "1.0.0")};
  assignment.expires_ms = expires_ms;
  return {Sign(trust::RootToJson(next)),
          targets,
          Sign(trust::TargetsToJson(SomeTargetsInBins(1))),
          Sign(trust::BinToJson(SomeBin(), trust::BinName(1, 0))),
          snapshot,
          trust::SignTimestamp(snapshot, 1, 1, expires_ms, TrustKey()).value(),
          trust::SignAssignment(assignment, TrustKey()).value(),
          trust::SignDesired(SomeDesired(), TrustKey()).value(),
          trust::SignPersonal(SomeFiles(), TrustKey()).value(),
          FreshSet().SaveState()};
}

}  // namespace

const Target kTrustDocumentTarget = {"trust_document", RunTrustDocument, TrustDocumentSeeds};

}  // namespace ferry::fuzz
