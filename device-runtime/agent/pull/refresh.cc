#include "device-runtime/agent/pull/refresh.h"

#include "common/base/json.h"
#include "common/base/log.h"
#include "common/proto/wire.pb.h"

namespace ferry::agent {

void Refresh::Roots(OnDone done) {
  done_ = std::move(done);
  if (parts_.trust->set() != nullptr) return NextRoot(trust::kMaxRootRotations);
  const trust::JoinToken& join = parts_.identity->join;
  Step(
      "root", join.root_version,
      [this, &join](ByteView document) -> Status {
        FERRY_TRY(parts_.trust->Pin(document, join.root_sha256));
        NoteLine(parts_);
        return OkStatus();
      },
      [this] { NextRoot(trust::kMaxRootRotations); });
}

void Refresh::NextRoot(int left) {
  if (left == 0) {
    return Finish(Status::Of(Code::kLimitExceeded, "more than {} new roots at once",
                             trust::kMaxRootRotations));
  }
  proto::Envelope request;
  request.mutable_metadata_request()->set_role("root");
  request.mutable_metadata_request()->set_version(
      static_cast<uint64_t>(parts_.trust->set()->root().version + 1));
  parts_.link->Ask(request, alive_.Guard([this, left](Result<const proto::Envelope*> answer) {
    if (!answer.ok()) return Finish(answer.status().Context("asking for a new root"));
    const std::string& document = (*answer)->metadata().signed_json();
    if (document.empty()) return Finish(OkStatus());
    if (Status taken = parts_.trust->set()->UpdateRoot(AsBytes(document)); !taken.ok()) {
      return Finish(taken);
    }
    NoteRoot();
    NextRoot(left - 1);
  }));
}

void Refresh::NoteRoot() {
  const trust::TrustedSet& set = *parts_.trust->set();
  parts_.journal->UseDirector(set.director_root());
  NoteLine(parts_);
  // A set that is lost is never begun anew below this root.
  if (set.root().version <= parts_.journal->trust_floor().root) return;
  parts_.journal->NoteTrust(FloorOf(set));
}

void NoteLine(const Parts& parts) {
  const trust::Root& root = parts.trust->set()->root();
  const Result<bool> changed = SaveLine(*parts.fs, parts.directory, root, parts.identity);
  if (!changed.ok()) LogWarn("agent", "{}", changed.status().ToString());
  if (!changed.value_or(true)) return;
  LogInfo("agent", "{}: root {} says of the server: {}", parts.identity->device_id, root.version,
          WriteJson(trust::LineToJson(root.line)));
  parts.link->UseLine();
}

void Refresh::Chain(Paths paths, OnDone done) {
  paths_ = std::move(paths);
  done_ = std::move(done);
  Step(
      "timestamp", 0,
      [this](ByteView document) {
        return parts_.trust->set()->UpdateTimestamp(document, parts_.clock->NowUnixMs());
      },
      [this] { Snapshot(); });
}

void Refresh::Snapshot() {
  trust::TrustedSet* set = parts_.trust->set();
  if (!set->NeedsSnapshot()) return Targets();
  Step(
      "snapshot", set->timestamp()->snapshot.version,
      [this, set](ByteView document) {
        return set->UpdateSnapshot(document, parts_.clock->NowUnixMs());
      },
      [this] { Targets(); });
}

void Refresh::Targets() {
  const trust::TrustedSet& set = *parts_.trust->set();
  next_.reset();
  if (!set.NeedsTargets()) return Bins();
  const auto file = set.snapshot()->files.find("targets.json");
  const int64_t version = file == set.snapshot()->files.end() ? 0 : file->second.version;
  next_ = set;
  Step(
      "targets", version,
      [this](ByteView document) {
        return next_->UpdateTargets(document, parts_.clock->NowUnixMs());
      },
      [this] { Bins(); });
}

void Refresh::Bins() {
  trust::TrustedSet& present = *parts_.trust->set();
  const trust::TrustedSet& set = next_ ? *next_ : present;
  const std::vector<std::string> missing = set.BinsNeeded(paths_(set));
  if (missing.empty()) {
    if (next_) present = *std::move(next_);
    next_.reset();
    return FinishChain();
  }
  const std::string& name = missing.front();
  const Result<int64_t> version = set.BinVersion(name);
  if (!version.ok()) return Finish(version.status());
  if (!next_) next_ = present;
  Step(
      name, *version,
      [this, name](ByteView document) {
        return next_->UpdateBin(name, document, parts_.clock->NowUnixMs());
      },
      [this] { Bins(); });
}

void Refresh::Personal(const trust::MetaFile& wanted, OnDone done) {
  done_ = std::move(done);
  Step(
      "personal", wanted.version,
      [this, wanted](ByteView document) {
        return parts_.trust->set()->UpdatePersonal(document, wanted, parts_.identity->device_id,
                                                   parts_.clock->NowUnixMs());
      },
      [this] { Finish(OkStatus()); });
}

void Refresh::Step(const std::string& role, int64_t version, OnDocument take,
                   std::function<void()> next) {
  proto::Envelope request;
  request.mutable_metadata_request()->set_role(role);
  request.mutable_metadata_request()->set_version(static_cast<uint64_t>(version));
  parts_.link->Ask(
      request, alive_.Guard([this, role, version, take = std::move(take),
                             next = std::move(next)](Result<const proto::Envelope*> answer) {
        if (!answer.ok()) return Finish(answer.status().Context("asking for {} metadata", role));
        const std::string& document = (*answer)->metadata().signed_json();
        if (document.empty()) {
          return Finish(Status::Of(Code::kNotFound, "the server has no {} metadata of version {}",
                                   role, version));
        }
        if (Status taken = take(AsBytes(document)); !taken.ok()) return Finish(taken);
        next();
      }));
}

void Refresh::Finish(const Status& status) {
  const Status saved = parts_.trust->Save();
  const OnDone done = std::move(done_);
  done(status.ok() ? saved : status);
}

void Refresh::FinishChain() {
  const trust::TrustedSet& set = *parts_.trust->set();
  Status checked = set.CheckFresh(parts_.clock->NowUnixMs());
  if (checked.ok()) checked = CheckFloor(set, parts_.journal->trust_floor());
  if (checked.ok()) parts_.journal->NoteTrust(FloorOf(set));
  Finish(checked);
}

}  // namespace ferry::agent
