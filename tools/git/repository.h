// Git repositories on this machine: tags, branches and the files of a commit, read by libgit2
// without a work tree, a filter or a hook. Nothing here uses the network. Source: git's own
// documentation of objects and of references.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/bytes.h"

namespace ferry::git {

// Limits of one commit's tree. Files are read one at a time, each as a whole.
inline constexpr size_t kMaxTreeEntries = 20'000;                    // files and folders
inline constexpr size_t kMaxTreeDepth = 32;                          // folders in folders
inline constexpr uint64_t kMaxTreeObjectBytes = uint64_t{16} << 20;  // of one folder's list
inline constexpr uint64_t kMaxBlobBytes = uint64_t{4} << 30;
inline constexpr uint64_t kMaxTreeBytes = uint64_t{16} << 30;

// One thread at a time. Errors: kNotFound (no such repository, tag, branch or object),
// kCorruptContent, kPermissionDenied (another user owns the repository), kUnsupported, kIo.
class Repository {
 public:
  // `path`: a work tree, one that was added to a repository, or a bare repository; its own folder,
  // none below.
  static Result<Repository> Open(const std::string& path);
  Repository(Repository&&) noexcept;
  Repository& operator=(Repository&&) noexcept;
  ~Repository();

  // Of the folder that holds it, without ".git"; the same for all of its work trees.
  const std::string& name() const { return name_; }

  // The commit that a tag names, annotated or not, in hexadecimal digits. kInvalidArgument for a
  // name that no tag can have, or a tag of something else than a commit.
  Result<std::string> CommitOfTag(const std::string& tag) const;

  // Success when `commit` is on the branch, here or as any remote had it when it was last fetched.
  // kNotFound when there is no such branch, kFailedPrecondition when it does not contain the
  // commit.
  Status CheckOnBranch(const std::string& branch, const std::string& commit) const;

  // Calls `file` with each file's path in the commit and its bytes (borrowed for the call), in the
  // order of the tree. Attributes and modes change nothing: the bytes are those of the commit.
  // kUnsupported names a submodule or a symbolic link, kMalformed an entry that git would not
  // write (two of one name, "..", ".git"), kLimitExceeded the limit.
  using FileSink = std::function<Status(const std::string& path, ByteView bytes)>;
  Status ReadTree(const std::string& commit, const FileSink& file) const;

 private:
  struct Handle;
  Repository(std::unique_ptr<Handle> handle, std::string name);
  std::unique_ptr<Handle> handle_;
  std::string name_;
};

}  // namespace ferry::git
