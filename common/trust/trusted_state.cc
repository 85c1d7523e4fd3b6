// How a TrustedSet lies on disk: its documents as they came, as JSON text, and the highest counter.
#include "common/base/json.h"
#include "common/trust/documents/header.h"
#include "common/trust/envelope.h"
#include "common/trust/trusted_set.h"

namespace ferry::trust {
namespace {

constexpr std::string_view kStateType = "ferry-trust-state";

// A document of the state, verified against its role; empty when the state has none.
Result<Envelope> LoadDocument(const Json& state, std::string_view name, const Root& root,
                              const RoleKeys& role, Bytes& document) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetStringOr(state, name, ""));
  if (text.empty()) return Envelope{};
  document = ToBytes(text);
  FERRY_ASSIGN_OR_RETURN(Envelope envelope, ParseEnvelope(document).Context("{}", name));
  // After a rotation of keys the older document no longer counts; it is asked for again.
  if (!VerifyEnvelope(envelope, root.keys, role, name).ok()) {
    document.clear();
    return Envelope{};
  }
  return envelope;
}

}  // namespace

Bytes TrustedSet::SaveState() const {
  Json state = {{"type", kStateType},
                {"format", 1},
                {"assignment_counter", assignment_counter_},
                {"director_root", director_root_},
                {"root", AsText(root_document_)},
                {"timestamp", AsText(timestamp_document_)},
                {"snapshot", AsText(snapshot_document_)},
                {"targets", AsText(targets_document_)},
                {"personal", PersonalState()}};
  if (!bins_.empty()) state["bins"] = BinsState();
  return ToBytes(WriteJson(state));
}

Result<TrustedSet> TrustedSet::FromState(ByteView bytes) {
  FERRY_ASSIGN_OR_RETURN(const Json state, ParseJson(AsText(bytes)).Context("trust state"));
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(state, "type"));
  if (type != kStateType) {
    return Status::Of(Code::kMalformed, "trust state: type is \"{:.40}\"", type);
  }
  TrustedSet out;
  FERRY_TRY(out.LoadState(state).Context("trust state"));
  return out;
}

Status TrustedSet::LoadState(const Json& state) {
  FERRY_ASSIGN_OR_RETURN(const int64_t format, GetInt(state, "format"));
  if (format != 1) return Status::Of(Code::kUnsupported, "format {}, this reads 1", format);
  FERRY_ASSIGN_OR_RETURN(assignment_counter_,
                         GetIntIn(state, "assignment_counter", 0, kMaxVersion));
  if (state.contains("director_root")) {  // states of Ferry 0.1.0 have none
    FERRY_ASSIGN_OR_RETURN(director_root_, GetIntIn(state, "director_root", 0, kMaxVersion));
  }
  FERRY_ASSIGN_OR_RETURN(const std::string root, GetString(state, "root"));
  root_document_ = ToBytes(root);
  FERRY_ASSIGN_OR_RETURN(root_, ParseSelfSignedRoot(root_document_));
  FERRY_ASSIGN_OR_RETURN(
      const Envelope timestamp,
      LoadDocument(state, "timestamp", root_, root_.timestamp, timestamp_document_));
  if (!timestamp_document_.empty()) {
    FERRY_ASSIGN_OR_RETURN(timestamp_, TimestampFromJson(timestamp.signed_part));
  }
  FERRY_ASSIGN_OR_RETURN(const Envelope snapshot, LoadDocument(state, "snapshot", root_,
                                                               root_.snapshot, snapshot_document_));
  if (!snapshot_document_.empty()) {
    FERRY_ASSIGN_OR_RETURN(snapshot_, SnapshotFromJson(snapshot.signed_part));
  }
  FERRY_ASSIGN_OR_RETURN(const Envelope targets,
                         LoadDocument(state, "targets", root_, root_.targets, targets_document_));
  if (!targets_document_.empty()) {
    FERRY_ASSIGN_OR_RETURN(targets_, TargetsFromJson(targets.signed_part));
  }
  FERRY_TRY(LoadBins(state));
  return LoadPersonal(state);
}

}  // namespace ferry::trust
