// The targets role: every artefact that offline keys allow on devices. Source: TUF specification
// 1.0, section 4.5; the members of "custom" are our own.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/trust/documents/bins/bins.h"
#include "common/trust/documents/personal/delegation.h"
#include "common/trust/key.h"
#include "common/trust/withdrawn.h"

namespace ferry::trust {

inline constexpr size_t kMaxTargets = 20000;
inline constexpr size_t kMaxNameBytes = 200;  // a package, version or exclusive file name
inline constexpr size_t kMaxRequiresBytes = 4096;
inline constexpr size_t kMaxLicenceBytes = 200;
inline constexpr size_t kMaxDescriptionBytes = 1000;
inline constexpr uint64_t kMaxArtefactBytes = uint64_t{64} << 30;

// kPersonal is never in targets themselves: see documents/personal/personal.h.
enum class ArtefactKind { kFull, kDelta, kExclusive, kPersonal };

// The one older version that a device may be sent back to from this one.
struct Fallback {
  std::string version;
  Hash plain_sha256{};
  bool operator==(const Fallback&) const = default;
};

// Which commit a package was made of: a repository is a scenario, a branch a task, a tag a version.
struct GitOrigin {
  std::string scenario;  // name of the repository
  std::string task;      // and branch
  std::string tag;       // "TASK/VERSION"
  std::string commit;    // 40 or 64 lower-case hexadecimal digits
  bool operator==(const GitOrigin&) const = default;
};

// One artefact. `length` and `sha256` are of the sealed file, as it travels; plain_* are of what
// comes out: the package file for kFull and kDelta, the file itself for the others.
struct TargetEntry {
  uint64_t length = 0;
  Hash sha256{};
  std::string package;
  std::string version;
  ArtefactKind kind = ArtefactKind::kFull;
  int64_t release_counter = 0;  // grows with each version of a package
  Hash plain_sha256{};
  uint64_t plain_length = 0;
  std::optional<std::string> base_version;  // kDelta
  std::optional<Hash> base_sha256;          // kDelta: plain SHA-256 of the base package
  std::optional<Fallback> fallback;
  // kFull only, of the package; empty: not said, and then not in the JSON.
  std::string requires_json;  // canonical JSON of an object; policy/requires reads it
  std::string licence;        // "Apache-2.0"
  std::string description;
  std::optional<GitOrigin> git;
  bool operator==(const TargetEntry&) const = default;
};

using TargetMap = std::map<std::string, TargetEntry, std::less<>>;

struct Targets {
  int64_t version = 1;
  int64_t expires_ms = 0;
  TargetMap entries;      // by path
  Withdrawals withdrawn;  // versions that are no longer among them
  // Whose signature counts for files of single devices; nullopt: nobody's.
  std::optional<PersonalDelegation> personal{};
  // The entries lie in bins: those that were read are above, which need not be all.
  std::optional<HashBins> bins{};
};

// One of them.
struct TargetsBin {
  int64_t version = 1;
  int64_t expires_ms = 0;
  TargetMap entries;
};

// "digits/1.0.0/full", "digits/1.0.0/delta-from-0.9.0", "digits/1.0.0/exclusive/calibration.json".
std::string FullPath(std::string_view package, std::string_view version);
std::string DeltaPath(std::string_view package, std::string_view version, std::string_view base);
// "digits/1.0.0/made-delta-from-0.9.0": of a delta that the server made. No signed path is like it.
std::string MadeDeltaPath(std::string_view package, std::string_view version,
                          std::string_view base);
std::string ExclusivePath(std::string_view package, std::string_view version,
                          std::string_view name);
// 1 to kMaxNameBytes characters of [A-Za-z0-9._+-], not starting with a dot.
bool IsName(std::string_view text);

// {"scenario","task","tag","commit"}. FromJson: kMalformed names the member.
Json GitOriginToJson(const GitOrigin& origin);
Result<GitOrigin> GitOriginFromJson(const Json& object);
// "commit 0123456789ab, tag sums/1.0.0 of arithmetic", for people.
std::string OriginText(const GitOrigin& origin);
// kInvalidArgument unless the origin's task is that package and its tag that version of it.
Status CheckOrigin(const GitOrigin& origin, std::string_view package, std::string_view version);

// The entry under its path in "targets". FromJson: kMalformed names the member.
Json TargetEntryToJson(const TargetEntry& entry);
Result<TargetEntry> TargetEntryFromJson(const Json& object);
// SHA-256 of the canonical entry without requires, licence, description and git: the aad of a
// wrapped content key. Devices that do not read these members come to the same hash.
Hash EntryHash(const TargetEntry& entry);

// The signed part; with bins without the entries. FromJson: kMalformed names the path; a path that
// does not match its entry's package, version and kind is kMalformed too, and so is a bin.
Json TargetsToJson(const Targets& targets);
Result<Targets> TargetsFromJson(const Json& signed_part);
// The signed part of a bin. FromJson: also kMalformed for another bin than `name`, and for a path
// that falls into another.
Json BinToJson(const TargetsBin& bin, std::string_view name);
Result<TargetsBin> BinFromJson(const Json& signed_part, const HashBins& bins,
                               std::string_view name);

}  // namespace ferry::trust
