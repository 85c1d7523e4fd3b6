// Files for one device that are added after publication: a document of TUF's targets form, signed
// by the key that offline targets delegate to, about one device alone. It names data, never what is
// run: the desired state of that device binds its hash. Source: own, after TUF's delegated targets
// and Uptane's per-vehicle documents.
// ---- document.cc
#pragma once

#include <string>

#include "common/trust/targets.h"

namespace ferry::trust {

inline constexpr size_t kMaxPersonalFiles = 256;                         // of one device
inline constexpr uint64_t kMaxPersonalTotalBytes = uint64_t{256} << 20;  // of one device, opened
inline constexpr size_t kMaxPersonalDocumentBytes = 512 << 10;

struct PersonalTargets {
  std::string device;
  int64_t version = 1;  // of this device's document; only grows
  int64_t expires_ms = 0;
  TargetMap entries;  // by path, all of ArtefactKind::kPersonal
};

// The path of a file, under the package whose task reads it.
std::string PersonalPath(std::string_view package, std::string_view name);
// The last part of a path.
std::string PersonalName(std::string_view path);
// An entry for sealed bytes: its version is no package's, and the same for all.
TargetEntry PersonalEntry(std::string_view package);

// kInvalidArgument for what is no name, or one with the ending of a script, a compiled script, a
// model, a package or native code: what may be data only is not called so.
Status CheckDataName(std::string_view name);

// The signed part. FromJson: kMalformed names the path, kLimitExceeded.
Json PersonalToJson(const PersonalTargets& personal);
Result<PersonalTargets> PersonalFromJson(const Json& signed_part);

// Whether the delegation allows one file: its path (kNotAuthorizedTarget), its size
// (kLimitExceeded), that it is data only (kNotAuthorizedTarget).
Status CheckDelegated(const PersonalDelegation& delegation, std::string_view path,
                      const TargetEntry& entry);
// All of them, and all together.
Status CheckDelegated(const PersonalDelegation& delegation, const PersonalTargets& personal);

Result<Bytes> SignPersonal(const PersonalTargets& personal, const SigningKey& signer);

}  // namespace ferry::trust
