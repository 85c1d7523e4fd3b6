// Making metadata: the publisher edits and signs root and targets offline, the server signs
// snapshot and timestamp online. Source: TUF specification 1.0, section 6 (usage).
#pragma once

#include <map>
#include <span>
#include <string>

#include "common/trust/root.h"
#include "common/trust/snapshot.h"
#include "common/trust/targets.h"

namespace ferry::trust {

Result<Bytes> SignRoot(const Root& root, std::span<const SigningKey> signers);
Result<Bytes> SignTargets(const Targets& targets, std::span<const SigningKey> signers);

// The next root after `current`: version + 1, the keys of `next`; the signers must reach the
// thresholds of both. kFailedPrecondition names the role that lacks signers.
Result<Bytes> SignNextRoot(const Root& current, Root next, std::span<const SigningKey> signers);

// A snapshot that names `targets_document`, or what `files` says (targets in bins: documents/bins/
// spread.h), and a timestamp that names `snapshot_document`. Versions are chosen by the caller and
// only grow.
Result<Bytes> SignSnapshot(ByteView targets_document, int64_t targets_version, int64_t version,
                           int64_t expires_ms, const SigningKey& signer);
Result<Bytes> SignSnapshot(std::map<std::string, MetaFile, std::less<>> files, int64_t version,
                           int64_t expires_ms, const SigningKey& signer);
Result<Bytes> SignTimestamp(ByteView snapshot_document, int64_t snapshot_version, int64_t version,
                            int64_t expires_ms, const SigningKey& signer);

// One targets document (of targets in bins: without any entry) checked against the targets role of
// `root` only (signatures and form; no expiry): for a server that accepts an upload and a publisher
// that edits.
Result<Targets> OpenTargets(const Root& root, ByteView document);

}  // namespace ferry::trust
