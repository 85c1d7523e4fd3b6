// Targets as a publisher signs and a server keeps them: one document, or one above bins.
// ---- spread.cc
#pragma once

#include <map>
#include <span>
#include <string>

#include "common/trust/root.h"
#include "common/trust/snapshot.h"
#include "common/trust/targets.h"

namespace ferry::trust {

struct TargetsDocuments {
  Bytes top;
  std::map<std::string, Bytes, std::less<>> bins;  // by name; empty: all is in the one document
  bool operator==(const TargetsDocuments&) const = default;
};

// The names of the bins that targets have, with the version of each; empty without bins.
std::map<std::string, int64_t> BinsOf(const Targets& targets);

// Signs `targets`, of which all entries are there. With bins, whose bit length is the caller's, a
// bin that `before` has with the same entries stays as it is, while the targets role of `root`
// signs it still and it does not expire before `keep_ms`; the others get the version of the
// targets, so that the version of no name ever goes down.
Result<TargetsDocuments> SignSpread(Targets targets, const Root& root,
                                    std::span<const SigningKey> signers,
                                    const TargetsDocuments& before, int64_t keep_ms);

// What the documents say, of all bins; no signature is checked. kNotFound names a bin that is not
// there, kVersionRollback and kMalformed one of another version, kLimitExceeded.
Result<Targets> ReadTargets(const TargetsDocuments& documents);
// The same, each document signed by the targets role of `root` (no expiry is checked).
Result<Targets> OpenTargets(const Root& root, const TargetsDocuments& documents);

// What a snapshot says of them: "targets.json", "bin-0f.json".
Result<std::map<std::string, MetaFile, std::less<>>> MetaOfAll(const TargetsDocuments& documents);

}  // namespace ferry::trust
