#include "tools/git/repository.h"

#include "tools/git/handle.h"

namespace ferry::git {
namespace {

// "/srv/demo/.git/" and "/srv/demo.git/" are both of "demo".
std::string NameFrom(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (folder.ends_with("/.git")) folder.resize(folder.size() - 5);
  if (folder.ends_with(".git")) folder.resize(folder.size() - 4);
  return folder.substr(folder.find_last_of('/') + 1);
}

// What `reference` comes to in the end; null when it does not exist.
Result<OwnedObject> Peeled(git_repository* repository, const std::string& reference) {
  git_reference* found = nullptr;
  const int looked = git_reference_lookup(&found, repository, reference.c_str());
  if (looked == GIT_ENOTFOUND) return OwnedObject();
  FERRY_TRY(StatusOf(looked));
  const OwnedReference owned(found);
  git_object* object = nullptr;
  FERRY_TRY(StatusOf(git_reference_peel(&object, found, GIT_OBJECT_ANY)));
  return OwnedObject(object);
}

Result<bool> Contains(git_repository* repository, const git_oid& tip, const git_oid& commit) {
  if (git_oid_equal(&tip, &commit) != 0) return true;
  const int found = git_graph_descendant_of(repository, &tip, &commit);
  FERRY_TRY(StatusOf(found).Context("its history is not whole here (a shallow clone?)"));
  return found == 1;
}

// The branch's names: its own, and as each remote's.
Result<std::vector<std::string>> BranchReferences(git_repository* repository,
                                                  const std::string& branch) {
  std::vector<std::string> names = {"refs/heads/" + branch};
  git_reference_iterator* made = nullptr;
  FERRY_TRY(StatusOf(git_reference_iterator_glob_new(&made, repository, "refs/remotes/*")));
  const OwnedIterator iterator(made);
  const char* name = nullptr;
  int next = 0;
  while ((next = git_reference_next_name(&name, made)) == 0) {
    std::string_view rest = name;
    rest.remove_prefix(std::string_view("refs/remotes/").size());
    if (const size_t slash = rest.find('/');
        slash != std::string_view::npos && rest.substr(slash + 1) == branch)
      names.emplace_back(name);
  }
  if (next != GIT_ITEROVER) FERRY_TRY(StatusOf(next));
  return names;
}

// libgit2 1.5 says so, or, where safe.directory is not set at all, that it did not find that.
bool IsOfAnotherUser(int opened) {
  if (opened == GIT_EOWNER) return true;
  const git_error* error = git_error_last();
  return opened == GIT_ENOTFOUND && error != nullptr && error->klass == GIT_ERROR_CONFIG;
}

bool IsReferenceName(const std::string& name) {
  int valid = 0;
  return name.find('\0') == std::string::npos &&
         git_reference_name_is_valid(&valid, name.c_str()) == 0 && valid == 1;
}

}  // namespace

Repository::Repository(std::unique_ptr<Handle> handle, std::string name)
    : handle_(std::move(handle)), name_(std::move(name)) {}
Repository::Repository(Repository&&) noexcept = default;
Repository& Repository::operator=(Repository&&) noexcept = default;
Repository::~Repository() = default;

Result<Repository> Repository::Open(const std::string& path) {
  auto handle = std::make_unique<Handle>();
  if (!handle->library.started()) return Status(Code::kInternal, "libgit2 does not start");
  git_repository* opened = nullptr;
  const int returned =
      git_repository_open_ext(&opened, path.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  if (IsOfAnotherUser(returned)) {
    return Status::Of(Code::kPermissionDenied,
                      "{}: another user owns it; git's setting safe.directory allows it", path);
  }
  if (returned == GIT_ENOTFOUND) {
    return Status::Of(Code::kNotFound, "{}: no git repository in this folder of this machine",
                      path);
  }
  FERRY_TRY(StatusOf(returned).Context("{}", path));
  handle->repository.reset(opened);
  return Repository(std::move(handle), NameFrom(git_repository_commondir(opened)));
}

Result<std::string> Repository::CommitOfTag(const std::string& tag) const {
  const std::string name = "refs/tags/" + tag;
  if (!IsReferenceName(name)) {
    return Status::Of(Code::kInvalidArgument, "\"{:.200}\" is no name for a tag", tag);
  }
  auto object = Peeled(handle_->repository.get(), name);
  FERRY_TRY(AsStatus(object).Context("tag {}", tag));
  if (*object == nullptr) return Status::Of(Code::kNotFound, "{} has no tag {}", name_, tag);
  if (git_object_type(object->get()) != GIT_OBJECT_COMMIT) {
    return Status::Of(Code::kInvalidArgument, "tag {} names a {}, not a commit", tag,
                      git_object_type2string(git_object_type(object->get())));
  }
  return HexOf(*git_object_id(object->get()));
}

Status Repository::CheckOnBranch(const std::string& branch, const std::string& commit) const {
  git_repository* repository = handle_->repository.get();
  FERRY_ASSIGN_OR_RETURN(const git_oid id, IdOf(commit));
  if (!IsReferenceName("refs/heads/" + branch)) {
    return Status::Of(Code::kInvalidArgument, "\"{:.200}\" is no name for a branch", branch);
  }
  FERRY_ASSIGN_OR_RETURN(const auto names, BranchReferences(repository, branch));
  bool found = false;
  for (const std::string& name : names) {
    auto tip = Peeled(repository, name);
    FERRY_TRY(AsStatus(tip).Context("branch {}", branch));
    if (*tip == nullptr) continue;
    found = true;
    auto contains = Contains(repository, *git_object_id(tip->get()), id);
    FERRY_TRY(AsStatus(contains).Context("branch {}", branch));
    if (*contains) return OkStatus();
  }
  if (!found) return Status::Of(Code::kNotFound, "{} has no branch {}", name_, branch);
  return Status::Of(Code::kFailedPrecondition, "commit {:.12} is not on branch {}", commit, branch);
}

}  // namespace ferry::git
