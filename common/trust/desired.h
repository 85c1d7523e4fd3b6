// The whole set of packages that one device shall have: a document in the same envelope as
// metadata, signed by the director key of the root, of the same counter as assignments.
// Source: own, after Uptane's director role.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/trust/assignment.h"
#include "common/trust/key.h"
#include "common/trust/snapshot.h"
#include "common/trust/targets.h"

namespace ferry::trust {

inline constexpr size_t kMaxDesiredPackages = 256;
inline constexpr size_t kMaxWhenBytes = 4096;

// What shall become of one package.
enum class DesiredState {
  kRun,       // installed, and its task runs
  kDisabled,  // installed, and its task does not run
  kAbsent,    // not there, its files neither
};
std::string_view NameOf(DesiredState state);
Result<DesiredState> DesiredStateFromName(std::string_view name);  // kMalformed

// A delta that the server made of two versions that offline keys signed. The director says how it
// travels; what comes out of it must be what the signed full artefact names.
struct MadeDelta {
  std::string base_version;
  Hash base_sha256{};   // plain, of the base package
  uint64_t length = 0;  // of the sealed file, as the hash
  Hash sha256{};
  bool operator==(const MadeDelta&) const = default;
};

struct DesiredPackage {
  DesiredState state = DesiredState::kRun;
  std::string version;  // empty for kAbsent
  std::string release;  // whose decision this is; reports name it. At most kMaxNameBytes
  int64_t attempt = 0;  // a device that failed tries again when this grows
  bool back = false;    // the way back from a release: signed fallbacks may be followed
  std::vector<std::string> targets;  // paths: the full artefact first, then deltas
  std::vector<std::string> files;    // paths of exclusive files that belong to this version
  std::optional<MadeDelta> made;     // from the version that the device said it has
  // What an install waits for: JSON of policy/when, at most kMaxWhenBytes; empty: nothing. Only
  // for devices that said that they read it.
  std::string when{};
  // The release that the device is held back from: it observes what runs instead, as it would that.
  // Only for devices that said that they do so; at most kMaxNameBytes.
  std::string observe{};
  bool operator==(const DesiredPackage&) const = default;
};

// A package that is not named is left as it is: no release of this server is about it.
struct Desired {
  std::string device;
  int64_t counter = 0;                             // the device's epoch; only grows
  std::map<std::string, DesiredPackage> packages;  // by name
  // Packages of which the server has no answer to what it says here: who knows how that ended says
  // it again. A server that was restored from a backup has lost answers.
  std::set<std::string> unanswered;
  int64_t expires_ms = 0;
  // The document about this device's personal files (documents/personal/personal.h), so that
  // neither who has the director's key alone nor who has the other can change them; nullopt: they
  // stay as they are.
  std::optional<MetaFile> personal{};
  bool operator==(const Desired&) const = default;
};

// The signed part: {"_type":"desired",...}.
Json DesiredToJson(const Desired& desired);
Result<Desired> DesiredFromJson(const Json& signed_part);

// One package, as in the document: what the server keeps and compares.
Json DesiredPackageToJson(const DesiredPackage& package);
Result<DesiredPackage> DesiredPackageFromJson(const Json& object);

// The delta as an artefact, for those who hold the signed full one: everything but how it travels
// is what offline keys signed.
TargetEntry MadeEntryOf(const TargetEntry& full, const MadeDelta& made);

Result<Bytes> SignDesired(const Desired& desired, const SigningKey& director);

// What an assignment of this package alone would say, for AuthorizeInstall.
Assignment AssignmentOf(const Desired& desired, const DesiredPackage& package);

}  // namespace ferry::trust
