// What the server signs itself: snapshot and timestamp. Private to registry.
#pragma once

#include "cloud-server/registry/registry.h"
#include "common/trust/documents/bins/spread.h"

namespace ferry::server {

struct OnlineOptions {
  const OnlineSecrets* secrets = nullptr;
  int64_t now_ms = 0;
  int64_t snapshot_life_ms = 0;
  int64_t timestamp_life_ms = 0;
};
// `secrets` outlive the answer.
OnlineOptions OnlineOptionsOf(const Registry::Options& options, const OnlineSecrets& secrets);

// The content key of `entry`, with the present escrow key or one before it. kWrongKey.
Result<crypto::Secret32> OpenEscrow(const OnlineSecrets& secrets, const trust::TargetEntry& entry,
                                    const package::WrappedKey& wrapped);

// The newest root that is stored; kFailedPrecondition when there is none.
Result<trust::Root> NewestRoot(Store& store);

// The newest targets that are stored, with their bins; kNotFound.
Result<trust::TargetsDocuments> StoredTargets(Transaction& tx);

// Signs what is due inside `tx`: a snapshot (and then a timestamp) when `targets_changed` or when
// it has less than half of its life left; a timestamp alone by the same rule.
Status SignChain(Transaction& tx, const OnlineOptions& options, bool targets_changed);
// Whether SignChain(.., false) would sign something.
bool IsDue(const MetadataRow& row, int64_t now_ms, int64_t life_ms);

}  // namespace ferry::server
