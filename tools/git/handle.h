// The one place that sees libgit2: its objects, freed by themselves, and its errors as Status.
// Private to this room.
#pragma once

#include <git2.h>

#include <memory>
#include <string>

#include "tools/git/repository.h"

namespace ferry::git {

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
template <typename T, void (*Free)(T*)>
using Owned = std::unique_ptr<T, Freed<T, Free>>;

using OwnedRepository = Owned<git_repository, git_repository_free>;
using OwnedReference = Owned<git_reference, git_reference_free>;
using OwnedObject = Owned<git_object, git_object_free>;
using OwnedCommit = Owned<git_commit, git_commit_free>;
using OwnedTree = Owned<git_tree, git_tree_free>;
using OwnedOdb = Owned<git_odb, git_odb_free>;
using OwnedOdbObject = Owned<git_odb_object, git_odb_object_free>;
using OwnedIterator = Owned<git_reference_iterator, git_reference_iterator_free>;

// What libgit2 keeps for the process, from the first of these to the last.
class Library {
 public:
  Library();
  ~Library() {
    if (started_) git_libgit2_shutdown();
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  bool started() const { return started_; }

 private:
  bool started_;
};

struct Repository::Handle {
  Library library;  // goes last
  OwnedRepository repository;
};

// Of what a call of libgit2 returned; success from 0 on. Right after the call, on its thread.
Status StatusOf(int returned);
Result<git_oid> IdOf(const std::string& hex);
std::string HexOf(const git_oid& id);

}  // namespace ferry::git
