#include "device-runtime/agent/pull/needed.h"

#include <algorithm>
#include <set>

#include "common/base/json.h"

namespace ferry::agent {
namespace {

class Needed {
 public:
  Needed(const Parts& parts, const trust::TrustedSet& set)
      : parts_(parts), targets_(set.targets()) {}

  // `back`: signed fallbacks may be followed for more than a step.
  void Add(const std::vector<std::string>& paths, bool back) {
    for (const std::string& path : paths) {
      const std::string package = path.substr(0, path.find('/'));
      const std::optional<trust::Running> runs = Running(package);
      if (!Fits(path, runs)) continue;
      paths_.insert(path);
      if (const trust::TargetEntry* entry = Find(path)) AddFull(package, entry->fallback);
      AddHistory(package);
      // What was taken away comes back on its way back, too.
      if (runs && (back || removed_.contains(package))) AddWayBack(package, *runs, paths);
    }
  }
  // The versions whose counters must not be forgotten: those in the slots, and without them all
  // that ran.
  void AddHistory(const std::string& package) {
    const auto current = parts_.slots->Read(package);
    if (current.ok() && *current) {
      paths_.insert(trust::FullPath(package, (*current)->now.running.version));
      if ((*current)->before)
        paths_.insert(trust::FullPath(package, (*current)->before->running.version));
      return;
    }
    for (const Json& entry : parts_.journal->VersionsOf(package)) {
      const std::string version = GetStringOr(entry, "version", "").value_or("");
      if (!version.empty()) paths_.insert(trust::FullPath(package, version));
    }
  }

  std::vector<std::string> Take() const { return {paths_.begin(), paths_.end()}; }

 private:
  const trust::TargetEntry* Find(const std::string& path) const {
    if (targets_ == nullptr) return nullptr;
    const auto found = targets_->entries.find(path);
    return found == targets_->entries.end() ? nullptr : &found->second;
  }

  // What runs, or ran before the package was taken away.
  std::optional<trust::Running> Running(const std::string& package) {
    const auto current = parts_.slots->Read(package);
    if (current.ok() && *current) return (*current)->now.running;
    removed_.insert(package);
    const auto removed = parts_.slots->Removed(package);
    return removed.ok() ? *removed : std::nullopt;
  }

  // A delta from another version than the one that runs is never taken.
  bool Fits(const std::string& path, const std::optional<trust::Running>& runs) const {
    constexpr std::string_view kDelta = "/delta-from-";
    const size_t at = path.find(kDelta);
    if (at == std::string::npos) return true;
    return runs && path.substr(at + kDelta.size()) == runs->version;
  }

  void AddFull(const std::string& package, const std::optional<trust::Fallback>& to) {
    if (to) paths_.insert(trust::FullPath(package, to->version));
  }

  // As AuthorizeInstall walks it.
  void AddWayBack(const std::string& package, const trust::Running& from,
                  const std::vector<std::string>& to) {
    std::optional<trust::Fallback> step = from.fallback;
    for (int i = 0; step && i < trust::kMaxStepsBack; ++i) {
      const std::string path = trust::FullPath(package, step->version);
      // Where the way ends that is asked for, nobody looks on.
      if (std::find(to.begin(), to.end(), path) != to.end()) return;
      paths_.insert(path);
      const trust::TargetEntry* entry = Find(path);
      if (entry == nullptr || entry->plain_sha256 != step->plain_sha256) return;
      step = entry->fallback;
    }
  }

  const Parts& parts_;
  const trust::Targets* targets_;
  std::set<std::string> paths_;
  std::set<std::string> removed_;  // packages that are not there
};

}  // namespace

std::vector<std::string> PathsNeeded(const Parts& parts, const trust::TrustedSet& set,
                                     const std::string& package,
                                     const trust::DesiredPackage& wish) {
  Needed needed(parts, set);
  needed.Add(wish.targets, wish.back);
  needed.Add(wish.files, false);
  // What is taken away and cannot be read leaves the counters of all that ran.
  if (!parts.slots->Read(package).ok()) needed.AddHistory(package);
  return needed.Take();
}

std::vector<std::string> PathsNeeded(const Parts& parts, const trust::TrustedSet& set,
                                     const trust::Desired& desired) {
  std::set<std::string> all;
  for (const auto& [package, wish] : desired.packages)
    for (std::string& path : PathsNeeded(parts, set, package, wish)) all.insert(std::move(path));
  return {all.begin(), all.end()};
}

std::vector<std::string> PathsNeeded(const Parts& parts, const trust::TrustedSet& set,
                                     const trust::Assignment& assignment) {
  Needed needed(parts, set);
  needed.Add(assignment.targets, assignment.action == trust::Action::kRollback);
  needed.Add(assignment.exclusive, false);
  return needed.Take();
}

}  // namespace ferry::agent
