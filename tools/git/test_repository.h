// Repositories for tests, made by libgit2: whole ones, and such as git itself would refuse to make.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tools/git/handle.h"

namespace ferry::git {

class TestRepository {
 public:
  explicit TestRepository(bool bare = false, const std::string& name = "demo") {
    std::string base = testing::TempDir() + "ferry-git-XXXXXX";
    EXPECT_NE(mkdtemp(base.data()), nullptr);
    base_ = base;
    folder_ = base_ / (bare ? name + ".git" : name);
    git_repository* made = nullptr;
    Must(git_repository_init(&made, folder_.c_str(), bare ? 1 : 0));
    repository_.reset(made);
    git_odb* objects = nullptr;
    Must(git_repository_odb(&objects, made));
    objects_.reset(objects);
  }
  ~TestRepository() { std::filesystem::remove_all(base_); }

  std::string folder() const { return folder_.string(); }
  const std::filesystem::path& base() const { return base_; }
  git_repository* get() { return repository_.get(); }

  std::string Object(std::string_view bytes, git_object_t type) {
    git_oid id;
    Must(git_odb_write(&id, objects_.get(), bytes.data(), bytes.size(), type));
    return HexOf(id);
  }
  std::string Blob(std::string_view bytes) { return Object(bytes, GIT_OBJECT_BLOB); }

  struct Entry {
    std::string name;
    std::string id;
    std::string mode = "100644";
  };
  // As they are given: nothing is sorted or checked.
  std::string Tree(const std::vector<Entry>& entries) {
    return Object(TreeBytes(entries), GIT_OBJECT_TREE);
  }
  static std::string TreeBytes(const std::vector<Entry>& entries) {
    std::string bytes;
    for (const Entry& entry : entries) {
      const git_oid id = *IdOf(entry.id);
      bytes += entry.mode + " " + entry.name + '\0';
      bytes.append(reinterpret_cast<const char*>(id.id), GIT_OID_RAWSZ);
    }
    return bytes;
  }
  std::string Commit(const std::string& tree, const std::vector<std::string>& parents = {},
                     int64_t time_s = 1'767'225'600) {
    std::string text = "tree " + tree + "\n";
    for (const std::string& parent : parents) text += "parent " + parent + "\n";
    const std::string by = fmt::format("A <a@example.org> {} +0000\n", time_s);
    return Object(text + "author " + by + "committer " + by + "\nmessage\n", GIT_OBJECT_COMMIT);
  }
  // A commit with one file.
  std::string CommitOf(std::string_view text, const std::string& parent = {}) {
    std::vector<std::string> parents;
    if (!parent.empty()) parents.push_back(parent);
    return Commit(Tree({{"file.txt", Blob(text)}}), parents);
  }

  // "refs/tags/T", "refs/heads/B"; an older reference of that name goes.
  void Point(const std::string& reference, const std::string& id) {
    const git_oid to = *IdOf(id);
    git_reference* made = nullptr;
    Must(git_reference_create(&made, repository_.get(), reference.c_str(), &to, 1, "test"));
    git_reference_free(made);
  }
  void Annotate(const std::string& tag, const std::string& id) {
    const git_oid to = *IdOf(id);
    git_object* object = nullptr;
    Must(git_object_lookup(&object, repository_.get(), &to, GIT_OBJECT_ANY));
    const OwnedObject owned(object);
    git_signature* by = nullptr;
    Must(git_signature_new(&by, "A", "a@example.org", 1'767'225'600, 0));
    git_oid made;
    const int returned =
        git_tag_create(&made, repository_.get(), tag.c_str(), object, by, "version", 1);
    git_signature_free(by);
    Must(returned);
  }

  static void Must(int returned) {
    EXPECT_TRUE(StatusOf(returned).ok()) << StatusOf(returned).ToString();
  }

 private:
  Library library_;
  std::filesystem::path base_, folder_;
  OwnedRepository repository_;
  OwnedOdb objects_;
};

}  // namespace ferry::git
