#include "common/trust/tuf/updater.h"

#include <set>

namespace ferry::tuf {

std::string Quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<uint8_t>(c));
    }
  }
  return out;
}

Result<std::string> TargetLocation(const Root& root, std::string_view path,
                                   const TargetFile& file) {
  std::string out;
  for (size_t cut = path.find('/'); cut != std::string_view::npos; cut = path.find('/')) {
    out += Quoted(path.substr(0, cut)) + "/";
    path.remove_prefix(cut + 1);
  }
  if (root.consistent_snapshot) {
    auto hash = file.hashes.find("sha256");
    if (hash == file.hashes.end()) hash = file.hashes.find("sha512");
    if (hash == file.hashes.end()) {
      return Status(Code::kUnsupported, "no hash that is known here (sha256, sha512)");
    }
    out += Quoted(hash->second) + ".";
  }
  return out + Quoted(path);
}

Updater::Updater(Repository& from, Keep& keep, int64_t now_ms)
    : from_(from), keep_(keep), now_ms_(now_ms) {}

std::string Updater::Versioned(int64_t version, const std::string& name) const {
  return root().consistent_snapshot ? fmt::format("{}.{}", version, name) : name;
}

Status Updater::RefreshRoot() {
  FERRY_ASSIGN_OR_RETURN(const Bytes trusted, keep_.Load("root.json"));
  FERRY_ASSIGN_OR_RETURN(verifier_, Verifier::FromRoot(trusted));
  for (int i = 0; i < kMaxRootRotations; ++i) {
    const auto next =
        from_.Fetch(fmt::format("{}.root.json", root().header.version + 1), kMaxRootBytes);
    if (next.code() == Code::kNotFound) break;
    FERRY_TRY(next);
    bool lost = false;
    FERRY_TRY(verifier_->UpdateRoot(*next, &lost));
    if (lost) {
      FERRY_TRY(keep_.Drop("timestamp.json"));
      FERRY_TRY(keep_.Drop("snapshot.json"));
    }
    FERRY_TRY(keep_.Save("root.json", *next));
  }
  return verifier_->CheckRootFresh(now_ms_);
}

// What is kept and no longer signed is as good as not there.
Status Updater::RefreshTimestamp() {
  const auto kept = keep_.Load("timestamp.json");
  if (kept.ok()) (void)verifier_->LoadTimestamp(*kept);
  FERRY_ASSIGN_OR_RETURN(const Bytes next, from_.Fetch("timestamp.json", kMaxTimestampBytes));
  FERRY_ASSIGN_OR_RETURN(const bool newer, verifier_->UpdateTimestamp(next, now_ms_));
  return newer ? keep_.Save("timestamp.json", next) : OkStatus();
}

Status Updater::RefreshSnapshot() {
  const auto kept = keep_.Load("snapshot.json");
  if (kept.ok()) (void)verifier_->LoadSnapshot(*kept);
  if (verifier_->HasSnapshot(now_ms_)) return OkStatus();
  const MetaFile& meta = verifier_->timestamp()->snapshot;
  FERRY_ASSIGN_OR_RETURN(const Bytes next, from_.Fetch(Versioned(meta.version, "snapshot.json"),
                                                       meta.length.value_or(kMaxMetadataBytes)));
  FERRY_TRY(verifier_->UpdateSnapshot(next, now_ms_));
  return keep_.Save("snapshot.json", next);
}

Result<Targets> Updater::TargetsOf(const std::string& role, const Keys& keys, const Role& signers) {
  const std::string name = Quoted(role) + ".json";
  const auto kept = keep_.Load(name);
  if (kept.ok()) {
    auto targets = verifier_->CheckTargets(role, keys, signers, *kept, now_ms_);
    if (targets.ok()) return targets;
  }
  FERRY_ASSIGN_OR_RETURN(const MetaFile meta, verifier_->MetaOf(role));
  FERRY_ASSIGN_OR_RETURN(const Bytes next, from_.Fetch(Versioned(meta.version, name),
                                                       meta.length.value_or(kMaxMetadataBytes)));
  FERRY_ASSIGN_OR_RETURN(Targets targets,
                         verifier_->CheckTargets(role, keys, signers, next, now_ms_));
  FERRY_TRY(keep_.Save(name, next));
  return targets;
}

Status Updater::Refresh() {
  FERRY_TRY(RefreshRoot());
  FERRY_TRY(RefreshTimestamp());
  FERRY_TRY(RefreshSnapshot());
  FERRY_ASSIGN_OR_RETURN(targets_, TargetsOf("targets", root().keys, root().targets));
  return OkStatus();
}

Result<TargetFile> Updater::Find(std::string_view path) {
  if (!targets_) return Status(Code::kFailedPrecondition, "a target before Refresh");
  struct Visit {
    Delegation delegation;
    std::shared_ptr<const Targets> by;  // whose keys count
    int depth;
  };
  std::vector<Visit> waiting;  // the next one last
  std::set<std::string> visited;
  auto targets = std::make_shared<const Targets>(*targets_);
  for (int depth = 1;; ++depth) {
    const auto found = targets->targets.find(path);
    if (found != targets->targets.end()) return found->second;
    std::vector<Delegation> next = DelegationsFor(*targets, path);
    if (!next.empty() && next.back().terminating) waiting.clear();
    for (auto it = next.rbegin(); it != next.rend(); ++it) {
      waiting.push_back({std::move(*it), targets, depth});
    }
    while (!waiting.empty() && visited.contains(waiting.back().delegation.name)) waiting.pop_back();
    if (waiting.empty()) break;
    const Visit visit = std::move(waiting.back());
    waiting.pop_back();
    depth = visit.depth;
    visited.insert(visit.delegation.name);
    if (visited.size() > kMaxVisitedRoles || depth > kMaxDelegationDepth) {
      return Status::Of(Code::kLimitExceeded,
                        "\"{:.200}\": more than {} roles, {} deep, were asked", path,
                        kMaxVisitedRoles, kMaxDelegationDepth);
    }
    FERRY_ASSIGN_OR_RETURN(Targets delegated,
                           TargetsOf(visit.delegation.name, visit.by->keys, visit.delegation.role));
    targets = std::make_shared<const Targets>(std::move(delegated));
  }
  return Status::Of(Code::kNotFound, "no role that is trusted has \"{:.200}\"", path);
}

}  // namespace ferry::tuf
