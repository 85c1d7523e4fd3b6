// Walking through a commit's tree.
#include <algorithm>
#include <set>

#include "tools/git/handle.h"

namespace ferry::git {
namespace {

constexpr int kTypeBits = 0170000;

// What no folder that git made has: names that lead elsewhere when the files are written.
bool IsEntryName(std::string_view name) {
  if (name.empty() || name == "." || name == "..") return false;
  if (name.find('/') != name.npos || name.find('\\') != name.npos) return false;
  constexpr std::string_view kGit = ".git";
  return !std::equal(name.begin(), name.end(), kGit.begin(), kGit.end(),
                     [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

// Reads one commit.
class Walk {
 public:
  Walk(git_repository* repository, git_odb* odb, const Repository::FileSink& file)
      : repository_(repository), odb_(odb), file_(file) {}

  Status Folder(const git_oid& id, const std::string& path, size_t depth);

 private:
  Status Entry(const git_tree_entry* entry, const std::string& path, size_t depth);
  Status File(const git_oid& id, const std::string& path);
  // The length of an object, without reading it: kLimitExceeded when it passes `most`.
  Result<uint64_t> LengthOf(const git_oid& id, git_object_t type, uint64_t most) const;

  git_repository* repository_;
  git_odb* odb_;
  const Repository::FileSink& file_;
  size_t entries_ = 0;
  uint64_t bytes_ = 0;
};

Result<uint64_t> Walk::LengthOf(const git_oid& id, git_object_t type, uint64_t most) const {
  size_t length = 0;
  git_object_t found = GIT_OBJECT_INVALID;
  FERRY_TRY(StatusOf(git_odb_read_header(&length, &found, odb_, &id)));
  if (found != type) {
    return Status::Of(Code::kMalformed, "object {} is a {}", HexOf(id),
                      git_object_type2string(found));
  }
  if (length <= most) return length;
  return Status::Of(Code::kLimitExceeded, "{} bytes, at most {}", length, most);
}

Status Walk::File(const git_oid& id, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const uint64_t length, LengthOf(id, GIT_OBJECT_BLOB, kMaxBlobBytes));
  bytes_ += length;
  if (bytes_ > kMaxTreeBytes) {
    return Status::Of(Code::kLimitExceeded, "files of more than {} bytes together", kMaxTreeBytes);
  }
  git_odb_object* read = nullptr;
  FERRY_TRY(StatusOf(git_odb_read(&read, odb_, &id)));
  const OwnedOdbObject object(read);
  const auto* data = static_cast<const uint8_t*>(git_odb_object_data(read));
  return file_(path, ByteView(data, git_odb_object_size(read)));
}

Status Walk::Entry(const git_tree_entry* entry, const std::string& path, size_t depth) {
  if (++entries_ > kMaxTreeEntries) {
    return Status::Of(Code::kLimitExceeded, "more than {} files and folders", kMaxTreeEntries);
  }
  const git_oid& id = *git_tree_entry_id(entry);
  switch (git_tree_entry_filemode_raw(entry) & kTypeBits) {
    case GIT_FILEMODE_TREE:
      return Folder(id, path + "/", depth + 1);
    case GIT_FILEMODE_BLOB& kTypeBits:
      return File(id, path);
    case GIT_FILEMODE_LINK:
      return Status(Code::kUnsupported, "a symbolic link: packages hold files only");
    case GIT_FILEMODE_COMMIT:
      return Status(Code::kUnsupported, "a submodule: its files are not in this commit");
    default:
      return Status::Of(Code::kMalformed, "mode {:o}", git_tree_entry_filemode_raw(entry));
  }
}

Status Walk::Folder(const git_oid& id, const std::string& path, size_t depth) {
  if (depth > kMaxTreeDepth) {
    return Status::Of(Code::kLimitExceeded, "{}: more than {} folders deep", path, kMaxTreeDepth);
  }
  FERRY_TRY(AsStatus(LengthOf(id, GIT_OBJECT_TREE, kMaxTreeObjectBytes)).Context("{}", path));
  git_tree* found = nullptr;
  FERRY_TRY(StatusOf(git_tree_lookup(&found, repository_, &id)).Context("{}", path));
  const OwnedTree tree(found);
  std::set<std::string_view> names;
  for (size_t i = 0; i < git_tree_entrycount(found); ++i) {
    const git_tree_entry* entry = git_tree_entry_byindex(found, i);
    const std::string name = git_tree_entry_name(entry);
    if (!IsEntryName(name)) {
      return Status::Of(Code::kMalformed, "{}: \"{}\" is no name for a file or folder", path, name);
    }
    if (!names.insert(git_tree_entry_name(entry)).second) {
      return Status::Of(Code::kMalformed, "{}{}: two of this name", path, name);
    }
    const Status status = Entry(entry, path + name, depth);
    // The innermost folder names the path.
    const bool is_folder = (git_tree_entry_filemode_raw(entry) & kTypeBits) == GIT_FILEMODE_TREE;
    if (!status.ok()) return is_folder ? status : status.Context("{}{}", path, name);
  }
  return OkStatus();
}

}  // namespace

Status Repository::ReadTree(const std::string& commit, const FileSink& file) const {
  git_repository* repository = handle_->repository.get();
  FERRY_ASSIGN_OR_RETURN(const git_oid id, IdOf(commit));
  git_commit* found = nullptr;
  FERRY_TRY(StatusOf(git_commit_lookup(&found, repository, &id)).Context("commit {}", commit));
  const OwnedCommit owned(found);
  git_odb* objects = nullptr;
  FERRY_TRY(StatusOf(git_repository_odb(&objects, repository)));
  const OwnedOdb odb(objects);
  return Walk(repository, objects, file).Folder(*git_commit_tree_id(found), "", 0);
}

}  // namespace ferry::git
