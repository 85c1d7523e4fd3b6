// From which published versions a publication makes deltas by itself: those that most devices run,
// as far as their packages are at hand.
#pragma once

#include <string>
#include <vector>

#include "tools/ferry/local/git_source.h"
#include "tools/ferry/publisher/directory.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {

inline constexpr int kMaxChosenBases = 16;

struct BaseChoice {
  std::string version;
  int64_t devices = 0;
  std::string file;  // its package; empty: it is not at hand
  std::string why;   // then: what was looked for
};

// The `count` versions of the package other than `version` that most devices run, by what the
// server knows. A package is taken from `folder`/NAME-VERSION.fpk, or packed from its tag into
// `scratch` where `git` names a repository; it must be what was signed.
Result<std::vector<BaseChoice>> ChooseBases(const Api& api, const PublisherDirectory& directory,
                                            const std::string& package, const std::string& version,
                                            size_t count, const std::string& folder,
                                            const GitSource& git, const std::string& scratch);

}  // namespace ferry::cli
