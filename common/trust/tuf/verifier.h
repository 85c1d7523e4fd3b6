// The trusted metadata of a general TUF repository: from a root that came by another way to targets
// and delegated targets. Pure: no I/O, no clock. Source: TUF specification 1.0.34, section 5.
// Ferry's own devices use trusted_set.h, which has release counters and assignments above the same
// workflow.
#pragma once

#include "common/trust/tuf/documents.h"

namespace ferry::tuf {

// A call that fails changes nothing. Errors name role, version and what is wrong: kBadSignature,
// kExpired, kVersionRollback, kCorruptContent, kMalformed, kLimitExceeded, kFailedPrecondition (a
// step was left out). `now_ms`: Unix time; the same for the whole of an update. Load* take what was
// trusted before: signatures count, expiry and hashes do not, so that old documents still guard
// against older ones. One thread at a time.
class Verifier {
 public:
  // The root must be signed by its own keys.
  static Result<Verifier> FromRoot(ByteView document);

  // The next version, signed by both. `lost`, when given: whether timestamp or snapshot lost a key,
  // so that what these signed is forgotten (recovery from a fast-forward attack); whoever keeps the
  // documents forgets them too, before the root is kept.
  Status UpdateRoot(ByteView document, bool* lost = nullptr);
  Status CheckRootFresh(int64_t now_ms) const;

  Status LoadTimestamp(ByteView document);
  // False when it has the version that is trusted already: that one stays. Either is fresh then.
  Result<bool> UpdateTimestamp(ByteView document, int64_t now_ms);

  Status LoadSnapshot(ByteView document);
  // Whether the snapshot that is trusted is the one of the timestamp, and fresh.
  bool HasSnapshot(int64_t now_ms) const;
  Status UpdateSnapshot(ByteView document, int64_t now_ms);

  // Checks the targets of `role` by the keys that its delegator gives it, and against the snapshot.
  // Nothing is remembered: what one delegator trusts says nothing for another.
  Result<Targets> CheckTargets(std::string_view role, const Keys& keys, const Role& signers,
                               ByteView document, int64_t now_ms) const;
  // What the snapshot says of the targets of `role`; kNotFound when it does not name them.
  Result<MetaFile> MetaOf(std::string_view role) const;

  const Root& root() const { return root_; }
  const Timestamp* timestamp() const { return timestamp_ ? &*timestamp_ : nullptr; }
  const Snapshot* snapshot() const { return snapshot_ ? &*snapshot_ : nullptr; }

 private:
  Result<Timestamp> ReadTimestamp(ByteView document) const;
  Result<Snapshot> ReadSnapshot(ByteView document) const;

  Root root_;
  std::optional<Timestamp> timestamp_;
  std::optional<Snapshot> snapshot_;
  Bytes snapshot_document_;
};

}  // namespace ferry::tuf
