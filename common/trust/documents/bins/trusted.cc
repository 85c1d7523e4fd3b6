// TrustedSet's part about targets that lie in bins.
#include <algorithm>

#include "common/base/json.h"
#include "common/trust/documents/checks.h"
#include "common/trust/envelope.h"
#include "common/trust/trusted_set.h"

namespace ferry::trust {
namespace {

// The bin `name` of `targets`, signed by the targets role of `root`, of the version that they name.
Result<TargetsBin> OpenBin(const Root& root, const Targets& targets, std::string_view name,
                           ByteView document) {
  const auto number = BinNumber(*targets.bins, name);
  if (!number) {
    return Status::Of(Code::kMalformed, "targets version {} have no {:.40}", targets.version, name);
  }
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document).Context("{}", name));
  FERRY_TRY(VerifyEnvelope(envelope, root.keys, root.targets, name));
  FERRY_ASSIGN_OR_RETURN(
      TargetsBin bin, BinFromJson(envelope.signed_part, *targets.bins, name).Context("{}", name));
  FERRY_TRY(CheckVersionNamed(name, bin.version, targets.bins->versions[*number]));
  return bin;
}

Result<MetaFile> NamedIn(const Snapshot& snapshot, std::string_view name) {
  const auto found = snapshot.files.find(fmt::format("{}.json", name));
  if (found != snapshot.files.end()) return found->second;
  return Status::Of(Code::kMalformed, "snapshot version {} does not name {:.40}.json",
                    snapshot.version, name);
}

void AddEntries(const TargetsBin& bin, Targets* targets) {
  targets->entries.insert(bin.entries.begin(), bin.entries.end());
  int64_t& earliest = targets->bins->expires_ms;
  if (earliest == 0 || bin.expires_ms < earliest) earliest = bin.expires_ms;
}

}  // namespace

std::vector<std::string> TrustedSet::BinsNeeded(std::span<const std::string> paths) const {
  std::vector<std::string> out;
  if (!targets_ || !targets_->bins) return out;
  for (const std::string& path : paths) {
    std::string name = BinOf(*targets_->bins, path);
    if (bins_.contains(name) || std::find(out.begin(), out.end(), name) != out.end()) continue;
    out.push_back(std::move(name));
  }
  return out;
}

Result<int64_t> TrustedSet::BinVersion(std::string_view name) const {
  const auto number = targets_ && targets_->bins ? BinNumber(*targets_->bins, name) : std::nullopt;
  if (number) return targets_->bins->versions[*number];
  return Status::Of(Code::kFailedPrecondition, "there is no {:.40} in the present targets", name);
}

Status TrustedSet::UpdateBin(std::string_view name, ByteView document, int64_t now_ms) {
  FERRY_TRY(AsStatus(BinVersion(name)));
  if (!snapshot_ || NeedsSnapshot() || NeedsTargets()) {
    return Status::Of(Code::kFailedPrecondition, "{} before the targets that snapshot names", name);
  }
  FERRY_TRY(CheckExpiry("snapshot", snapshot_->version, snapshot_->expires_ms, now_ms));
  if (bins_.contains(name)) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const MetaFile named, NamedIn(*snapshot_, name));
  FERRY_TRY(CheckBytes(name, document, named));
  FERRY_ASSIGN_OR_RETURN(TargetsBin next, OpenBin(root_, *targets_, name, document));
  FERRY_TRY(CheckVersionNamed(name, next.version, named.version));
  FERRY_TRY(CheckExpiry(name, next.version, next.expires_ms, now_ms));
  if (targets_->entries.size() + next.entries.size() > kMaxTargets) {
    return Status::Of(Code::kLimitExceeded, "{}: {} targets with those of other bins, at most {}",
                      name, targets_->entries.size() + next.entries.size(), kMaxTargets);
  }
  AddEntries(next, &*targets_);
  bins_.emplace(name, HeldBin{ToBytes(document), std::move(next)});
  return OkStatus();
}

void TrustedSet::KeepBins(const Root& root) {
  if (!targets_ || !targets_->bins) {
    bins_.clear();
    return;
  }
  targets_->entries.clear();
  targets_->bins->expires_ms = 0;
  std::erase_if(bins_, [&](const auto& item) {
    return !OpenBin(root, *targets_, item.first, item.second.document).ok();
  });
  for (const auto& [name, held] : bins_) AddEntries(held.bin, &*targets_);
}

Json TrustedSet::BinsState() const {
  Json out = Json::object();
  for (const auto& [name, held] : bins_) out[name] = AsText(held.document);
  return out;
}

Status TrustedSet::LoadBins(const Json& state) {
  FERRY_ASSIGN_OR_RETURN(const Json* object, GetObjectOrNull(state, "bins"));
  if (object == nullptr || !targets_ || !targets_->bins) return OkStatus();
  for (const auto& [name, value] : object->items()) {
    FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(*object, name));
    Bytes document = ToBytes(text);
    auto bin = OpenBin(root_, *targets_, name, document);
    // One that is no longer signed is asked for again.
    if (bin.ok()) bins_.emplace(name, HeldBin{std::move(document), *std::move(bin)});
  }
  KeepBins(root_);
  return OkStatus();
}

}  // namespace ferry::trust
