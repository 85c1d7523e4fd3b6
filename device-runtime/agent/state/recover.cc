#include "device-runtime/agent/state/recover.h"

#include <algorithm>

#include "common/crypto/hash.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "policy/target/version.h"

namespace ferry::agent {
namespace {

constexpr int64_t kLeastCounter = 1;  // of a version that the signed targets no longer name

Result<Installed> WhatIsIn(sys::FileSystem& fs, const Slots& slots, const std::string& package,
                           const std::string& slot, const trust::Targets* targets) {
  const std::string path = slots.PackageFile(package, slot);
  FERRY_ASSIGN_OR_RETURN(const auto file, package::Package::OpenFile(fs, path));
  FERRY_TRY(file.VerifyFiles());
  if (file.manifest().name != package) {
    return Status::Of(Code::kCorruptContent, "{} is a package {}", path, file.manifest().name);
  }
  FERRY_ASSIGN_OR_RETURN(const auto bytes, fs.Map(path));
  Installed found;
  found.slot = slot;
  for (const char* files : {kFiles, kOtherFiles}) {
    const std::string directory = sys::JoinPath(slots.SlotDirectory(package, slot), files);
    if (found.files.empty() && !slots.FilesIn(directory).empty()) found.files = files;
  }
  found.running.version = file.manifest().version;
  found.running.plain_sha256 = crypto::Sha256(bytes->bytes());
  found.running.release_counter = kLeastCounter;
  if (targets == nullptr) return found;
  for (const auto& [name, entry] : targets->entries) {
    if (entry.package != package || entry.plain_sha256 != found.running.plain_sha256) continue;
    found.running.release_counter = entry.release_counter;
    found.running.fallback = entry.fallback;
  }
  return found;
}

bool IsOlder(const Installed& a, const Installed& b) {
  const auto left = target::ParseVersion(a.running.version);
  const auto right = target::ParseVersion(b.running.version);
  if (!left.ok() || !right.ok()) return right.ok();
  return target::Compare(*left, *right) < 0;
}

}  // namespace

std::optional<trust::Running> HighestOf(const std::string& package,
                                        const std::vector<std::string>& ran,
                                        const trust::Targets* targets) {
  const trust::TargetEntry* highest = nullptr;
  if (targets == nullptr) return std::nullopt;
  for (const auto& [path, entry] : targets->entries) {
    if (entry.package != package || entry.kind == trust::ArtefactKind::kExclusive) continue;
    if (std::find(ran.begin(), ran.end(), entry.version) == ran.end()) continue;
    if (highest == nullptr || entry.release_counter > highest->release_counter) highest = &entry;
  }
  if (highest == nullptr) return std::nullopt;
  return trust::AfterInstall(nullptr, *highest);
}

Result<Current> RecoverCurrent(sys::FileSystem& fs, const Slots& slots, const std::string& package,
                               const std::vector<std::string>& ran, const trust::Targets* targets) {
  std::vector<Installed> found;
  Status why;
  for (const char* slot : {"a", "b"}) {
    auto one = WhatIsIn(fs, slots, package, slot, targets);
    if (one.ok()) {
      found.push_back(*std::move(one));
    } else if (why.ok()) {
      why = one.status();
    }
  }
  if (found.empty()) {
    return Status::Of(Code::kCorruptContent, "no slot of {} holds a whole package: {}", package,
                      why.message());
  }
  const auto ran_last = [&](const Installed& one) {
    return !ran.empty() && one.running.version == ran.back();
  };
  std::sort(found.begin(), found.end(), [&](const Installed& a, const Installed& b) {
    if (ran_last(a) != ran_last(b)) return ran_last(a);
    return IsOlder(b, a);
  });
  const auto newest = HighestOf(package, ran, targets);
  int64_t highest = newest ? newest->highest_counter : kLeastCounter;
  for (const Installed& one : found) highest = std::max(highest, one.running.release_counter);
  Current current;
  for (Installed& one : found) one.running.highest_counter = highest;
  current.now = found[0];
  if (found.size() > 1) current.before = found[1];
  return current;
}

}  // namespace ferry::agent
