// Packing a tag of a git repository: what the commit holds, whatever lies in a work tree.
#pragma once

#include <string>

#include "tools/ferry/local/pack.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ferry::cli {

// Where a package comes from: a repository is a scenario, a branch a task, a tag "TASK/VERSION" a
// version.
struct GitSource {
  std::string repository;   // a folder of this machine
  std::string tag;          // "sums/1.0.0"
  std::string scenario;     // empty: the repository's name
  bool any_branch = false;  // the commit need not be on the branch named as the task
  bool given() const { return !repository.empty(); }
};

// --git, which needs --tag, --scenario and --any-branch; returns the first of them.
CLI::Option* AddGitOptions(CLI::App* command, GitSource* source);

// Packs the tree of the tag's commit as Pack does a folder, into request.out; `request.source` is
// not read. The same commit and scenario give the same bytes. Errors name files as "TAG:FILE".
// kInvalidArgument for a tag that is no TASK/VERSION or that task.json contradicts,
// kFailedPrecondition for a commit that is not on its task's branch, kUnsupported for a submodule,
// a symbolic link or a file that Git LFS holds. The answer has "git" as well: {"scenario","task",
// "tag","commit"}.
Result<Json> PackTag(const GitSource& source, PackRequest request);

}  // namespace ferry::cli
