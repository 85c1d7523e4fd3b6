#include "common/trust/documents/bins/spread.h"

#include "common/base/json.h"
#include "common/trust/builder.h"
#include "common/trust/documents/checks.h"
#include "common/trust/envelope.h"

namespace ferry::trust {
namespace {

// A document of the targets role; its signatures count where `root` is given.
Result<Json> Opened(const Root* root, std::string_view name, ByteView document) {
  FERRY_ASSIGN_OR_RETURN(Envelope envelope, ParseEnvelope(document).Context("{}", name));
  if (root != nullptr) FERRY_TRY(VerifyEnvelope(envelope, root->keys, root->targets, name));
  return std::move(envelope.signed_part);
}

Result<Targets> OpenAll(const Root* root, const TargetsDocuments& documents) {
  FERRY_ASSIGN_OR_RETURN(const Json top, Opened(root, "targets", documents.top));
  FERRY_ASSIGN_OR_RETURN(Targets out, TargetsFromJson(top).Context("targets"));
  for (const auto& [name, version] : BinsOf(out)) {
    const auto document = documents.bins.find(name);
    if (document == documents.bins.end()) {
      return Status::Of(Code::kNotFound, "{} version {} of targets version {} is not here", name,
                        version, out.version);
    }
    FERRY_ASSIGN_OR_RETURN(const Json part, Opened(root, name, document->second));
    FERRY_ASSIGN_OR_RETURN(const TargetsBin bin,
                           BinFromJson(part, *out.bins, name).Context("{}", name));
    FERRY_TRY(CheckVersionNamed(name, bin.version, version));
    out.entries.insert(bin.entries.begin(), bin.entries.end());
    int64_t& earliest = out.bins->expires_ms;
    if (earliest == 0 || bin.expires_ms < earliest) earliest = bin.expires_ms;
  }
  if (out.entries.size() <= kMaxTargets) return out;
  return Status::Of(Code::kLimitExceeded, "{} targets in all bins, at most {}", out.entries.size(),
                    kMaxTargets);
}

// The version of the bin of `before` that may stay in place of `wanted`; 0: none may.
int64_t KeptVersion(const Root& root, const Targets& targets, const std::string& name,
                    const TargetsBin& wanted, const TargetsDocuments& before, int64_t keep_ms) {
  const auto document = before.bins.find(name);
  if (document == before.bins.end()) return 0;
  const auto part = Opened(&root, name, document->second);
  if (!part.ok()) return 0;
  const auto bin = BinFromJson(*part, *targets.bins, name);
  const bool keep = bin.ok() && bin->entries == wanted.entries && bin->expires_ms >= keep_ms;
  return keep ? bin->version : 0;
}

}  // namespace

std::map<std::string, int64_t> BinsOf(const Targets& targets) {
  std::map<std::string, int64_t> out;
  if (!targets.bins) return out;
  for (size_t number = 0; number < targets.bins->versions.size(); ++number)
    out[BinName(targets.bins->bit_length, number)] = targets.bins->versions[number];
  return out;
}

Result<TargetsDocuments> SignSpread(Targets targets, const Root& root,
                                    std::span<const SigningKey> signers,
                                    const TargetsDocuments& before, int64_t keep_ms) {
  TargetsDocuments out;
  if (targets.bins) {
    HashBins& bins = *targets.bins;
    bins.role = root.targets;
    bins.keys.clear();
    for (const std::string& id : bins.role.key_ids) bins.keys.emplace(id, root.keys.at(id));
    std::vector<TargetsBin> spread(bins.count());
    for (const auto& [path, entry] : targets.entries)
      spread[BinNumberOf(bins.bit_length, path)].entries.emplace(path, entry);
    bins.versions.clear();
    for (size_t number = 0; number < spread.size(); ++number) {
      TargetsBin& bin = spread[number];
      const std::string name = BinName(bins.bit_length, number);
      const int64_t kept = KeptVersion(root, targets, name, bin, before, keep_ms);
      bins.versions.push_back(kept != 0 ? kept : targets.version);
      bin.version = targets.version;
      bin.expires_ms = targets.expires_ms;
      if (kept != 0) {
        out.bins[name] = before.bins.find(name)->second;
        continue;
      }
      FERRY_ASSIGN_OR_RETURN(out.bins[name], SignDocument(BinToJson(bin, name), signers));
    }
  }
  FERRY_ASSIGN_OR_RETURN(out.top, SignTargets(targets, signers));
  return out;
}

Result<Targets> ReadTargets(const TargetsDocuments& documents) {
  return OpenAll(nullptr, documents);
}

Result<Targets> OpenTargets(const Root& root, const TargetsDocuments& documents) {
  return OpenAll(&root, documents);
}

Result<std::map<std::string, MetaFile, std::less<>>> MetaOfAll(const TargetsDocuments& documents) {
  FERRY_ASSIGN_OR_RETURN(const Targets targets, ReadTargets(documents));
  std::map<std::string, MetaFile, std::less<>> out;
  out["targets.json"] = MetaOf(documents.top, targets.version);
  for (const auto& [name, version] : BinsOf(targets))
    out[name + ".json"] = MetaOf(documents.bins.find(name)->second, version);
  return out;
}

}  // namespace ferry::trust
