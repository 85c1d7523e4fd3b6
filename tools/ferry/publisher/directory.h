// The publisher's folder: offline keys, root.json and targets.json.
//
//   keys/root-1.json, keys/targets-1.json ...  private keys (0600); may live elsewhere between uses
//   root.json                                  the present root
//   roots/1.json, roots/2.json ...             every root so far
//   targets.json                               the last targets that was signed here
//   bins/7.bin-0f.json ...                     and its bins, each under its version
//   published/                                 sealed artefacts and their wrapped keys: see kept.h
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "common/trust/documents/bins/spread.h"
#include "common/trust/root.h"
#include "common/trust/targets.h"

namespace ferry::cli {

inline constexpr int kMaxKeysOfRole = 16;
inline constexpr int64_t kTargetsDays = 90;

struct NewKeys {
  int root_keys = 1;
  int root_threshold = 1;
  int targets_keys = 1;
  int targets_threshold = 1;
  int64_t root_days = 365;
};

// kUnsupported for targets in bins, which several machines cannot sign one after another.
Status CheckOneDocument(const trust::Targets* targets);

class PublisherDirectory {
 public:
  // Makes keys and the first root. kAlreadyExists when the folder has one.
  static Result<PublisherDirectory> Create(const std::string& path, const trust::OnlineKeys& online,
                                           const NewKeys& wanted, int64_t now_ms);
  // kNotFound says how to make one. Checks root and targets by their signatures.
  static Result<PublisherDirectory> Open(const std::string& path);

  const std::string& path() const { return path_; }
  const trust::Root& root() const { return root_; }
  const Bytes& root_document() const { return root_document_; }
  // Null before the first publication; of all bins.
  const trust::Targets* targets() const { return targets_ ? &*targets_ : nullptr; }
  const trust::TargetsDocuments& documents() const { return documents_; }
  // The root document of one version.
  Result<Bytes> RootVersion(int64_t version) const;

  // The private keys at hand that belong to `role`; kFailedPrecondition when there are fewer than
  // its threshold.
  Result<std::vector<trust::SigningKey>> SignersOf(const trust::RoleKeys& role,
                                                   std::string_view name) const;

  // Signs `next` one version up, and keeps it with the keys of `made` (file stem, key).
  struct MadeKey {
    std::string stem;
    trust::SigningKey key;
  };
  Status RotateTo(trust::Root next, const std::vector<MadeKey>& made);
  // A fresh key, not written yet, and a free name for it: "root-2" (`ahead` free names are left
  // out).
  Result<MadeKey> MakeKey(std::string_view role, size_t ahead) const;

  // Signs `targets`; does not keep it. Of targets in bins, the bins alone that changed, that have
  // less than half of their life left, or all. kFailedPrecondition when keys are missing,
  // kLimitExceeded when no device could get it.
  Result<trust::TargetsDocuments> SignTargets(const trust::Targets& targets,
                                              bool all_bins = false) const;
  // With the keys at hand, be they too few or none: for other machines to sign. kUnsupported for
  // targets in bins. The root gets the next version.
  Result<Bytes> SignTargetsHere(const trust::Targets& targets) const;
  Result<Bytes> SignNextRootHere(trust::Root next) const;
  // Keeps a root that other machines signed: the next version, by the thresholds of both.
  Status TakeRoot(ByteView document);
  // Keeps documents that this root's targets role signed.
  Status KeepTargets(const trust::TargetsDocuments& documents);

 private:
  Result<trust::Targets> CheckTargets() const;
  Status ReadBins();

  std::string path_;
  trust::Root root_;
  Bytes root_document_;
  std::optional<trust::Targets> targets_;
  trust::TargetsDocuments documents_;
};

}  // namespace ferry::cli
