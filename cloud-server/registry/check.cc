#include "cloud-server/registry/check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "cloud-server/registry/online.h"
#include "common/crypto/hash.h"
#include "common/trust/documents/bins/spread.h"
#include "common/trust/time.h"
#include "common/trust/trusted_set.h"

namespace ferry::server {
namespace {

class PublishedCheck {
 public:
  PublishedCheck(const std::vector<MetadataRow>& metadata, const OnlineSecrets& secrets,
                 int64_t now_ms)
      : secrets_(secrets), now_ms_(now_ms) {
    for (const MetadataRow& row : metadata) {
      if (row.role == "root") roots_.push_back(&row);
      newest_[row.role] = &row;
    }
  }

  std::vector<std::string> Run(const std::vector<ArtefactRow>& artefacts) {
    if (roots_.empty()) return {};  // nothing is published yet
    Note("metadata: ", Roots());
    if (set_ && newest_.contains("targets")) Note("metadata: ", Chain());
    for (const ArtefactRow& row : artefacts) Note("content key: ", CheckContentKey(secrets_, row));
    Paths(artefacts);
    return std::move(problems_);
  }

 private:
  void Note(std::string_view what, const Status& status) {
    if (!status.ok()) problems_.push_back(std::string(what) + status.message());
  }
  void NoteExpiry(const MetadataRow& row) {
    if (row.expires_ms > now_ms_) return;
    problems_.push_back(fmt::format("metadata: {} version {} expired at {}", row.role, row.version,
                                    trust::FormatTime(row.expires_ms)));
  }

  Status Roots() {
    const Bytes& first = roots_[0]->document;
    FERRY_ASSIGN_OR_RETURN(set_, trust::TrustedSet::FromPinnedRoot(first, crypto::Sha256(first))
                                     .Context("root version {}", roots_[0]->version));
    for (const MetadataRow* row : roots_) {
      FERRY_TRY(set_->UpdateRoot(row->document));
      if (set_->root().version != row->version)
        return Status::Of(Code::kMalformed, "root version {} is stored as version {}",
                          set_->root().version, row->version);
    }
    NoteExpiry(*roots_.back());
    return AsStatus(ChooseSecrets(set_->root(), secrets_, WaitingKeys()));
  }

  // As a device walks it, at a time when nothing has expired yet.
  Status Chain() {
    int64_t when_ms = now_ms_;
    for (const char* role : {"root", "targets", "snapshot", "timestamp"}) {
      if (!newest_.contains(role))
        return Status::Of(Code::kNotFound, "there is targets and no {}", role);
      when_ms = std::min(when_ms, newest_[role]->expires_ms - 1);
    }
    NoteExpiry(*newest_["targets"]);
    FERRY_TRY(set_->UpdateTimestamp(newest_["timestamp"]->document, when_ms));
    FERRY_TRY(set_->UpdateSnapshot(newest_["snapshot"]->document, when_ms));
    FERRY_TRY(set_->UpdateTargets(newest_["targets"]->document, when_ms));
    for (const auto& [name, version] : trust::BinsOf(*set_->targets())) {
      if (!newest_.contains(name))
        return Status::Of(Code::kNotFound, "{} version {} of the targets is missing", name,
                          version);
      FERRY_TRY(set_->UpdateBin(name, newest_[name]->document, when_ms));
    }
    if (!set_->targets()->personal) return OkStatus();
    return AsStatus(ChoosePersonal(*set_->targets()->personal, secrets_, WaitingKeys()));
  }

  void Paths(const std::vector<ArtefactRow>& artefacts) {
    if (!set_ || set_->targets() == nullptr) return;
    std::set<std::string> stored;
    for (const ArtefactRow& row : artefacts) stored.insert(row.path);
    for (const auto& [path, entry] : set_->targets()->entries) {
      if (stored.contains(path)) continue;
      problems_.push_back(fmt::format(
          "package: {} is signed and not here: `ferry publish --again` brings it", path));
    }
  }

  const OnlineSecrets& secrets_;
  const int64_t now_ms_;
  std::vector<const MetadataRow*> roots_;
  std::map<std::string, const MetadataRow*> newest_;
  std::optional<trust::TrustedSet> set_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> CheckPublished(const std::vector<MetadataRow>& metadata,
                                        const std::vector<ArtefactRow>& artefacts,
                                        const OnlineSecrets& secrets, int64_t now_ms) {
  return PublishedCheck(metadata, secrets, now_ms).Run(artefacts);
}

}  // namespace ferry::server
