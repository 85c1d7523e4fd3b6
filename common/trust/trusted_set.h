// What a device (or anyone) believes: the verified metadata chain from a pinned root. Pure: no I/O,
// no clock. X
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/trust/assignment.h"
#include "common/trust/desired.h"
#include "common/trust/documents/personal/personal.h"
#include "common/trust/root.h"
#include "common/trust/snapshot.h"
#include "common/trust/targets.h"

namespace ferry::trust {

inline constexpr int kMaxRootRotations = 1024;  // roots that one update may walk through

// Update in this order: Root (once for each newer version, oldest first), Timestamp, Snapshot,
// Targets. A call that fails changes nothing. Errors, each naming role, version and key or time:
// kBadSignature, kExpired, kVersionRollback, kCorruptContent (not the bytes that the role above
// named), kMalformed, kLimitExceeded, kFailedPrecondition (a step was left out). A copy is cheap
// enough to try an update on. One thread at a time may change it.
class TrustedSet {
 public:
  // From a root document whose SHA-256 came by another way (the join token). kCorruptContent when
  // the hash differs. The root may be expired; a newer one must then follow before Timestamp.
  static Result<TrustedSet> FromPinnedRoot(ByteView document, const Hash& pinned_sha256);
  // From SaveState's bytes. Signatures are checked again, expiry is not.
  static Result<TrustedSet> FromState(ByteView state);
  Bytes SaveState() const;

  // `now_ms`: Unix time. Root: version must be the present one + 1, signed by the thresholds of
  // both; the same version again with the same bytes is ok. A role that lost a key forgets what the
  // key may have signed, so that a thief's highest number does not outlive it (recovery from a
  // fast-forward attack): timestamp and snapshot both for either; targets that the new keys do not
  // sign, with the snapshot that names their version; the highest assignment counter for the
  // director. A key that is only added forgets nothing. A root's expiry counts at Timestamp, so
  // that an expired one can be walked over.
  Status UpdateRoot(ByteView document);
  Status UpdateTimestamp(ByteView document, int64_t now_ms);
  Status UpdateSnapshot(ByteView document, int64_t now_ms);
  Status UpdateTargets(ByteView document, int64_t now_ms);

  // documents/bins/trusted.cc. Of targets in bins: the names of those that hold one of `paths` and
  // are not held here, each once. A bin that newer targets or a root do not stand behind any more
  // is not held.
  std::vector<std::string> BinsNeeded(std::span<const std::string> paths) const;
  // The version of a bin that is to be asked for.
  Result<int64_t> BinVersion(std::string_view name) const;
  // Takes one: signed by the targets role, the bytes that the snapshot names, the version that
  // targets and snapshot name, with no path of another bin. Its entries are among those of
  // targets() then. Errors as of targets.
  Status UpdateBin(std::string_view name, ByteView document, int64_t now_ms);

  // Verifies an assignment for `device`: director's signature, kWrongDevice for another device's,
  // kVersionRollback below the highest counter seen, kExpired. Remembers the counter on success.
  Result<Assignment> CheckAssignment(ByteView document, std::string_view device, int64_t now_ms);
  // The same of the whole desired state, which counts together with assignments.
  Result<Desired> CheckDesired(ByteView document, std::string_view device, int64_t now_ms);

  // documents/personal/trusted.cc. The document about this device's own files, which the desired
  // state bound as `wanted`: those bytes, signed by the keys that the present targets delegate to,
  // within path, size and "data only", for `device`, not older than the last. kCorruptContent,
  // kBadSignature, kNotAuthorizedTarget, kLimitExceeded, kWrongDevice, kVersionRollback, kExpired,
  // kMalformed, kFailedPrecondition (no targets).
  Status UpdatePersonal(ByteView document, const MetaFile& wanted, std::string_view device,
                        int64_t now_ms);
  // What it says; null before there is one, and when targets do not delegate it any more.
  const PersonalTargets* personal() const { return targets_ && personal_ ? &*personal_ : nullptr; }
  bool NeedsPersonal(const MetaFile& wanted) const;

  // kExpired when any role of the chain has passed its time; kFailedPrecondition when it is not
  // complete.
  Status CheckFresh(int64_t now_ms) const;

  const Root& root() const { return root_; }
  // Null until the first update of that role. Targets in bins have the entries of those bins alone
  // that are held.
  const Timestamp* timestamp() const { return timestamp_ ? &*timestamp_ : nullptr; }
  const Snapshot* snapshot() const { return snapshot_ ? &*snapshot_ : nullptr; }
  const Targets* targets() const { return targets_ ? &*targets_ : nullptr; }
  int64_t assignment_counter() const { return assignment_counter_; }
  // The root version that last took a key from the director: counters of assignments from before it
  // say nothing under the present keys. 0: none since the pinned root.
  int64_t director_root() const { return director_root_; }
  // The verified documents as they came; empty when there is none.
  const Bytes& root_document() const { return root_document_; }
  const Bytes& targets_document() const { return targets_document_; }

  // Whether the snapshot or targets that timestamp and snapshot name differ from what is held.
  bool NeedsSnapshot() const;
  bool NeedsTargets() const;

 private:
  TrustedSet() = default;
  Status LoadState(const Json& state);
  template <typename Document>
  Result<Document> CheckDirected(ByteView document, std::string_view device, int64_t now_ms,
                                 Result<Document> (*read)(const Json&));
  void ForgetWhatLostItsKey(const Root& next);
  // Drops what the present targets do not delegate.
  void KeepPersonal();
  // Drops the bins that targets, snapshot and `root` do not stand behind.
  void KeepBins(const Root& root);
  Json BinsState() const;
  Status LoadBins(const Json& state);
  Json PersonalState() const;
  Status LoadPersonal(const Json& state);

  Root root_;
  std::optional<Timestamp> timestamp_;
  std::optional<Snapshot> snapshot_;
  std::optional<Targets> targets_;
  Bytes root_document_;
  Bytes timestamp_document_;
  Bytes snapshot_document_;
  Bytes targets_document_;
  int64_t assignment_counter_ = 0;
  int64_t director_root_ = 0;
  struct HeldBin {
    Bytes document;
    TargetsBin bin;
  };
  std::map<std::string, HeldBin, std::less<>> bins_;  // by name
  std::optional<PersonalTargets> personal_;
  Bytes personal_document_;
  int64_t personal_version_ = 0;  // the highest that was seen
  std::string personal_key_;      // whose it is
};

}  // namespace ferry::trust
