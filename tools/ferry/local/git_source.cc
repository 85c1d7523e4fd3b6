#include "tools/ferry/local/git_source.h"

#include <CLI/CLI.hpp>

#include "common/base/json.h"
#include "common/package/manifest.h"
#include "common/sys/filesystem.h"
#include "tools/ferry/local/scratch_folder.h"
#include "tools/git/repository.h"

namespace ferry::cli {
namespace {

// A pointer file of Git LFS begins like this and is never longer (Git LFS specification, v1).
constexpr std::string_view kLfsPrefix = "version https://git-lfs.github.com/spec/";
constexpr size_t kMaxLfsPointerBytes = 1024;

// The task that a tag is of; kInvalidArgument.
Result<std::string> TaskOfTag(const std::string& tag) {
  const size_t slash = tag.find('/');
  if (slash != std::string::npos && package::IsPackageName(tag.substr(0, slash)) &&
      package::IsVersion(tag.substr(slash + 1))) {
    return tag.substr(0, slash);
  }
  return Status::Of(Code::kInvalidArgument, "tag \"{:.200}\", wanted TASK/VERSION as sums/1.0.0",
                    tag);
}

// Found while the repository is open; nothing is written yet.
Result<trust::GitOrigin> FindOrigin(const git::Repository& repository, const GitSource& source) {
  trust::GitOrigin origin;
  origin.tag = source.tag;
  FERRY_ASSIGN_OR_RETURN(origin.task, TaskOfTag(source.tag));
  origin.scenario = source.scenario.empty() ? repository.name() : source.scenario;
  if (!trust::IsName(origin.scenario)) {
    return Status::Of(Code::kInvalidArgument, "\"{:.200}\" is no name for a scenario: --scenario",
                      origin.scenario);
  }
  FERRY_ASSIGN_OR_RETURN(origin.commit, repository.CommitOfTag(source.tag));
  if (source.any_branch) return origin;
  const Status on_branch = repository.CheckOnBranch(origin.task, origin.commit);
  if (!on_branch.ok()) {
    return Status::Of(on_branch.code(),
                      "tag {}: {} (a task is a branch; --any-branch packs it all the same)",
                      source.tag, on_branch.message());
  }
  return origin;
}

Status WriteTree(const git::Repository& repository, const std::string& commit,
                 const std::string& folder) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  return repository.ReadTree(commit, [&](const std::string& path, ByteView bytes) -> Status {
    if (bytes.size() <= kMaxLfsPointerBytes && AsText(bytes).starts_with(kLfsPrefix)) {
      return Status(Code::kUnsupported, "a pointer of Git LFS: the file is not in the repository");
    }
    const std::string to = sys::JoinPath(folder, path);
    FERRY_TRY(fs.MakeDirectories(sys::ParentPath(to)));
    FERRY_ASSIGN_OR_RETURN(const auto file, fs.OpenForWrite(to, sys::WriteMode::kMustBeNew));
    FERRY_TRY(file->Append(bytes));
    return file->Close();
  });
}

// The folder that the files lie in for a moment tells nobody anything.
Status WithoutFolder(const Status& status, const std::string& folder, const std::string& tag) {
  std::string text = status.message();
  for (size_t at = 0; (at = text.find(folder, at)) != std::string::npos; at += tag.size()) {
    text.replace(at, folder.size(), tag);
    const size_t after = at + tag.size();
    if (after < text.size() && text[after] == '/') text[after] = ':';
  }
  return Status(status.code(), std::move(text));
}

}  // namespace

CLI::Option* AddGitOptions(CLI::App* command, GitSource* source) {
  CLI::Option* repository = command->add_option(
      "--git", source->repository,
      "pack a tag of the git repository in this folder: what is committed, not the work tree");
  CLI::Option* tag =
      command->add_option("--tag", source->tag, "of --git: TASK/VERSION, as task.json says them");
  command->add_option(
      "--scenario", source->scenario,
      "what the signed entry calls the repository; its folder's name when left out");
  CLI::Option* any =
      command->add_flag("--any-branch", source->any_branch,
                        "of --git: the commit need not be on the branch named as the task");
  repository->needs(tag);
  tag->needs(repository);
  any->needs(repository);
  return repository;
}

Result<Json> PackTag(const GitSource& source, PackRequest request) {
  FERRY_ASSIGN_OR_RETURN(const git::Repository repository,
                         git::Repository::Open(source.repository));
  FERRY_ASSIGN_OR_RETURN(request.git, FindOrigin(repository, source));
  FERRY_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
  request.source = folder.path();
  const Status written = WriteTree(repository, request.git->commit, folder.path());
  if (!written.ok())
    return WithoutFolder(written, folder.path(), source.tag).Context("{}", source.tag);
  Result<Json> packed = Pack(request);
  if (!packed.ok()) return WithoutFolder(packed.status(), folder.path(), source.tag);
  (*packed)["git"] = trust::GitOriginToJson(*request.git);
  return packed;
}

}  // namespace ferry::cli
