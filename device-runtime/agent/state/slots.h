// Where installed packages lie: two slots each, and a file that says which one runs. Source: A/B
// slots as system updaters have them.
//
//   packages/<name>/{a,b}/package.fpk  packages/<name>/{a,b}/files/<file>
//   packages/<name>/current            packages/<name>/removed
//   packages/<name>/personal/<file>
//
// `current` is a twin file: after a power cut the old or the new version runs, never none.
// Exclusive files lie in the slot of their version; a changed set of them for the version that runs
// is a second directory in its slot, `files2` beside `files`. Personal files belong to no version:
// a changed set of them is a second directory, `personal2` beside `personal`. `removed`, a twin
// file too, remembers what ran of a package that was taken away: its counters, so that nothing
// older comes back.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/sys/filesystem.h"
#include "common/trust/authorize.h"
#include "device-runtime/agent/state/twin_file.h"
#include "device-runtime/task/files/exclusive_files.h"

namespace ferry::agent {

// How often a version may be started without being confirmed (the process died while loading it)
// before the device goes back.
inline constexpr int64_t kMaxTrialStarts = 3;
// The same for a confirmed version that neither ran well kSettleRuns times nor, after an event,
// lived kSettleMs since.
inline constexpr int64_t kMaxStarts = 5;
inline constexpr int kSettleRuns = 3;
inline constexpr int64_t kSettleMs = 60'000;

struct Installed {
  std::string slot;     // "a" or "b"
  std::string release;  // that brought it; empty: none to report to
  std::string files;    // the directory in the slot with its exclusive files; empty: none
  trust::Running running;
  bool operator==(const Installed&) const = default;
};

struct Current {
  Installed now;
  std::optional<Installed> before;  // whole in the other slot, unless that was overwritten since
  bool trying = false;              // switched to and not yet confirmed
  int64_t starts = 0;               // whose process died, and the one that runs until it settles
  bool settled = false;             // it ran well kSettleRuns times
  int64_t switched_ms = 0;          // when it was switched to; 0: not known
  bool disabled = false;            // it stays there and does not run
  std::string personal;             // the directory of its personal files; empty: none
  bool operator==(const Current&) const = default;
};

// The two directories that a slot's exclusive files may be in.
inline constexpr char kFiles[] = "files";
inline constexpr char kOtherFiles[] = "files2";
// And a package's personal files.
inline constexpr char kPersonal[] = "personal";
inline constexpr char kOtherPersonal[] = "personal2";

// One thread.
class Slots {
 public:
  Slots(sys::FileSystem& fs, std::string directory) : fs_(&fs), directory_(std::move(directory)) {}

  // ---- slots.cc
  // Names of packages with a `current` file, sorted.
  Result<std::vector<std::string>> Packages() const;
  // nullopt: not installed. kCorruptContent: no copy can be read. `damage`, when given, gets what
  // was wrong with a copy, for people.
  Result<std::optional<Current>> Read(const std::string& package,
                                      std::string* damage = nullptr) const;
  Status Write(const std::string& package, const Current& current) const;

  // Writes both copies of `current` where one is absent, older or damaged.
  Status Heal(const std::string& package) const;

  std::string SlotDirectory(const std::string& package, const std::string& slot) const;
  std::string PackageFile(const std::string& package, const std::string& slot) const;
  // The slot that does not run: "a" for a package that is not installed.
  static std::string Spare(const std::optional<Current>& current);
  // ---- removed.cc
  // Of the exclusive files of `one`; "" when it has none.
  std::string FilesDirectory(const std::string& package, const Installed& one) const;
  // "" for an empty name of one, as in Current::personal.
  std::string PersonalDirectory(const std::string& package, const std::string& name) const;
  // Both, of `one` and a Current::personal.
  task::OwnDirectories OwnDirectories(const std::string& package, const Installed& one,
                                      const std::string& personal) const;
  // Names of the files in a directory of exclusive files, sorted; those that are being made are
  // left out.
  std::vector<std::string> FilesIn(const std::string& directory) const;
  // Files of a device of the first release, exclusive/<package>/<file>, into the slot that runs.
  Status MoveOldFiles(const std::string& package, Current* current) const;
  // Removes slots and `current`, and remembers in `removed` what ran (nullopt: it is not known); a
  // removal that a power cut stopped is ended by the next call of FinishRemovals.
  Status Remove(const std::string& package, const std::optional<trust::Running>& ran) const;
  Status FinishRemovals() const;
  // It is installed again: `current` says what ran.
  Status ForgetRemoval(const std::string& package) const;
  // What ran before the package was removed; nullopt: it never was.
  Result<std::optional<trust::Running>> Removed(const std::string& package) const;
  // ---- slots.cc
  // Whether the slot holds a package file with this SHA-256 (all of it is read).
  bool Holds(const std::string& package, const std::string& slot, const trust::Hash& sha256) const;
  // Packages whose running slot was found damaged by this process: their version is fetched again.
  std::set<std::string>& damaged() { return damaged_; }
  const std::set<std::string>& damaged() const { return damaged_; }

 private:
  std::string Home(const std::string& package) const;
  TwinFile CurrentFile(const std::string& package) const;
  TwinFile RemovedFile(const std::string& package) const;
  Status RemoveAll(const std::string& package) const;

  sys::FileSystem* fs_;
  std::string directory_;
  std::set<std::string> damaged_;
};

}  // namespace ferry::agent
