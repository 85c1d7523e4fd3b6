#include "tools/git/repository.h"

#include <gmock/gmock.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "common/sys/random.h"
#include "tools/git/test_repository.h"

namespace ferry::git {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using Files = std::vector<std::pair<std::string, std::string>>;

Result<Files> Read(const std::string& folder, const std::string& commit) {
  FERRY_ASSIGN_OR_RETURN(const Repository repository, Repository::Open(folder));
  Files files;
  FERRY_TRY(repository.ReadTree(commit, [&](const std::string& path, ByteView bytes) {
    files.emplace_back(path, AsText(bytes));
    return OkStatus();
  }));
  return files;
}

Status ReadStatus(const TestRepository& repository, const std::string& commit) {
  return Read(repository.folder(), commit).status();
}

TEST(RepositoryTest, TagsOfBothKindsNameTheirCommit) {
  TestRepository made;
  const std::string commit = made.CommitOf("one");
  made.Point("refs/tags/sums/1.0.0", commit);
  made.Annotate("sums/1.0.1", commit);
  git_refdb* references = nullptr;
  TestRepository::Must(git_repository_refdb(&references, made.get()));
  TestRepository::Must(git_refdb_compress(references));  // into packed-refs
  git_refdb_free(references);
  made.Annotate("sums/1.0.2", commit);
  const Repository repository = *Repository::Open(made.folder());
  for (const char* tag : {"sums/1.0.0", "sums/1.0.1", "sums/1.0.2"})
    EXPECT_EQ(*repository.CommitOfTag(tag), commit) << tag;
  EXPECT_EQ(repository.CommitOfTag("sums/2.0.0").status().message(), "demo has no tag sums/2.0.0");
  made.Point("refs/tags/sums/3.0.0", made.Blob("no commit"));
  EXPECT_THAT(repository.CommitOfTag("sums/3.0.0").status().message(), HasSubstr("names a blob"));
  for (const std::string& tag : {std::string("a b"), std::string("../heads/sums"), std::string(),
                                 std::string("a\0b", 3), std::string("sums/")})
    EXPECT_EQ(repository.CommitOfTag(tag).code(), Code::kInvalidArgument) << tag;
}

TEST(RepositoryTest, ANameIsThatOfTheRepository) {
  TestRepository plain(false, "vision"), bare(true, "vision");
  EXPECT_EQ(Repository::Open(plain.folder())->name(), "vision");
  EXPECT_EQ(Repository::Open(plain.folder() + "/")->name(), "vision");
  EXPECT_EQ(Repository::Open(plain.folder() + "/.git")->name(), "vision");
  EXPECT_EQ(Repository::Open(bare.folder())->name(), "vision");
  // A second work tree of the first.
  plain.Point("refs/heads/main", plain.CommitOf("one"));
  TestRepository::Must(git_repository_set_head(plain.get(), "refs/heads/main"));
  git_worktree* added = nullptr;
  const std::string second = (plain.base() / "second").string();
  TestRepository::Must(git_worktree_add(&added, plain.get(), "second", second.c_str(), nullptr));
  git_worktree_free(added);
  EXPECT_EQ(Repository::Open(second)->name(), "vision");
}

TEST(RepositoryTest, WhatIsNoRepositoryIsNamed) {
  TestRepository made;
  const std::string below = made.folder() + "/below";
  std::filesystem::create_directory(below);
  for (const std::string& path : {below, std::string("/nowhere"),
                                  std::string("https://example.org/demo.git"), std::string()}) {
    const Status status = Repository::Open(path).status();
    EXPECT_EQ(status.code(), Code::kNotFound) << path;
    EXPECT_THAT(status.message(), HasSubstr(path));
  }
}

TEST(RepositoryTest, ARepositoryOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  TestRepository made;
  for (const auto level : {GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_SYSTEM})
    TestRepository::Must(git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, made.base().c_str()));
  ASSERT_EQ(chown(made.folder().c_str(), 65534, 65534), 0);
  ASSERT_EQ(chown((made.folder() + "/.git").c_str(), 65534, 65534), 0);
  EXPECT_EQ(Repository::Open(made.folder()).code(), Code::kPermissionDenied);
  std::ofstream(made.base() / ".gitconfig") << "[safe]\n\tdirectory = /elsewhere\n";
  EXPECT_EQ(Repository::Open(made.folder()).code(), Code::kPermissionDenied);
  std::ofstream(made.base() / ".gitconfig") << "[safe]\n\tdirectory = " << made.folder() << "\n";
  EXPECT_EQ(Repository::Open(made.folder()).status().ToString(), "ok");
  for (const auto level : {GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_SYSTEM})
    TestRepository::Must(git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, nullptr));
}

TEST(RepositoryTest, ABranchContainsItsCommits) {
  TestRepository made;
  const std::string first = made.CommitOf("one"), second = made.CommitOf("two", first);
  const std::string other = made.CommitOf("other", first);
  made.Point("refs/heads/sums", second);
  made.Point("refs/remotes/origin/words", other);
  made.Point("refs/remotes/origin/team/words", second);
  const Repository repository = *Repository::Open(made.folder());
  EXPECT_TRUE(repository.CheckOnBranch("sums", second).ok());
  EXPECT_TRUE(repository.CheckOnBranch("sums", first).ok());
  EXPECT_EQ(repository.CheckOnBranch("sums", other).code(), Code::kFailedPrecondition);
  EXPECT_TRUE(repository.CheckOnBranch("words", other).ok()) << "a remote's branch";
  EXPECT_EQ(repository.CheckOnBranch("words", second).code(), Code::kFailedPrecondition);
  EXPECT_EQ(repository.CheckOnBranch("letters", second).code(), Code::kNotFound);
  // A clone without its history.
  const std::string orphan = made.CommitOf("three", std::string(40, 'a'));
  made.Point("refs/heads/sums", orphan);
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler libgit2_loses_its_list;  // 1.5 does, where a walk fails
#endif
  EXPECT_THAT(repository.CheckOnBranch("sums", first).message(), HasSubstr("shallow"));
}

// Histories with merges and clocks that were wrong, against what a walk through all parents finds.
TEST(RepositoryTest, ContainmentIsThatOfTheWholeHistory) {
  sys::SeededRandom random(11);
  for (int round = 0; round < 8; ++round) {
    TestRepository made;
    const std::string tree = made.Tree({{"file.txt", made.Blob(fmt::format("{}", round))}});
    std::vector<std::string> commits;
    std::vector<std::set<size_t>> before;  // what each contains
    for (size_t i = 0; i < 16; ++i) {
      std::vector<std::string> parents;
      std::set<size_t> contains = {i};
      for (uint64_t count = i == 0 ? 0 : random.Below(3); count > 0; --count) {
        const size_t parent = random.Below(i);
        if (std::find(parents.begin(), parents.end(), commits[parent]) != parents.end()) continue;
        parents.push_back(commits[parent]);
        contains.insert(before[parent].begin(), before[parent].end());
      }
      // The number keeps commits of the same parents apart.
      const auto time_s = static_cast<int64_t>(1'700'000'000 + random.Below(1000) * 1000 + i);
      commits.push_back(made.Commit(tree, parents, time_s));
      before.push_back(std::move(contains));
    }
    const Repository repository = *Repository::Open(made.folder());
    for (size_t tip = 0; tip < commits.size(); ++tip) {
      made.Point("refs/heads/sums", commits[tip]);
      for (size_t i = 0; i < commits.size(); ++i)
        EXPECT_EQ(repository.CheckOnBranch("sums", commits[i]).ok(), before[tip].contains(i))
            << "round " << round << " tip " << tip << " commit " << i;
    }
  }
}

TEST(RepositoryTest, ATreeIsReadAsItWasCommitted) {
  TestRepository made;
  const std::string text = "line\r\nline\n";
  const std::string tree =
      made.Tree({{".gitattributes", made.Blob("* text eol=lf\nhidden.txt export-ignore\n")},
                 {"folder", made.Tree({{"run.sh", made.Blob("#!/bin/sh\n"), "100755"}}), "40000"},
                 {"hidden.txt", made.Blob(text)},
                 {"old.txt", made.Blob(""), "100664"}});
  const std::string commit = made.Commit(tree);
  // What lies in the work tree says nothing.
  std::ofstream(made.folder() + "/hidden.txt") << "changed";
  std::ofstream(made.folder() + "/more.txt") << "more";
  const Files files = *Read(made.folder(), commit);
  EXPECT_THAT(files, ElementsAre(Pair(".gitattributes", HasSubstr("export-ignore")),
                                 Pair("folder/run.sh", "#!/bin/sh\n"), Pair("hidden.txt", text),
                                 Pair("old.txt", "")));
  EXPECT_EQ(ReadStatus(made, std::string(40, 'b')).code(), Code::kNotFound);
  EXPECT_FALSE(ReadStatus(made, "no commit").ok());
}

TEST(RepositoryTest, WhatIsNoFileIsRefusedByName) {
  TestRepository made;
  const auto refused = [&](const TestRepository::Entry& entry) {
    const std::string inner = made.Tree({entry});
    return ReadStatus(made, made.Commit(made.Tree({{"folder", inner, "40000"}})));
  };
  const Status link = refused({"link", made.Blob("/etc/passwd"), "120000"});
  EXPECT_EQ(link.code(), Code::kUnsupported);
  EXPECT_THAT(link.message(), HasSubstr("folder/link: a symbolic link"));
  const Status submodule = refused({"library", std::string(40, 'c'), "160000"});
  EXPECT_EQ(submodule.code(), Code::kUnsupported);
  EXPECT_THAT(submodule.message(), HasSubstr("folder/library: a submodule"));
  for (const char* name : {"..", ".", ".git", ".GIT", "a/b", "..\\b", "/etc"}) {
    const Status status = refused({name, made.Blob("x")});
    EXPECT_EQ(status.code(), Code::kMalformed) << name;
    EXPECT_THAT(status.message(), HasSubstr(name));
  }
  EXPECT_EQ(refused({"pipe", made.Blob("x"), "10000"}).code(), Code::kMalformed);
  EXPECT_EQ(refused({"not-a-folder", made.Blob("x"), "40000"}).code(), Code::kMalformed);
  const std::string twice = made.Tree({{"a", made.Blob("1")}, {"a", made.Blob("2")}});
  EXPECT_THAT(ReadStatus(made, made.Commit(twice)).message(), HasSubstr("a: two of this name"));
}

TEST(RepositoryTest, LimitsHoldForTreesOfTrees) {
  TestRepository made;
  std::string deep = made.Tree({{"file", made.Blob("x")}});
  for (size_t i = 0; i < kMaxTreeDepth; ++i) deep = made.Tree({{"d", deep, "40000"}});
  EXPECT_TRUE(ReadStatus(made, made.Commit(deep)).ok());
  deep = made.Tree({{"d", deep, "40000"}});
  EXPECT_EQ(ReadStatus(made, made.Commit(deep)).code(), Code::kLimitExceeded);
  // Ten folders of one tree, ten of that, and so on: a billion files in ten objects.
  std::string bomb = made.Tree({});
  for (int level = 0; level < 9; ++level) {
    std::vector<TestRepository::Entry> entries;
    for (char c = '0'; c <= '9'; ++c) entries.push_back({std::string(1, c), bomb, "40000"});
    bomb = made.Tree(entries);
  }
  const Status status = ReadStatus(made, made.Commit(bomb));
  EXPECT_EQ(status.code(), Code::kLimitExceeded);
  EXPECT_THAT(status.message(), HasSubstr("files and folders"));
}

// A length that is only said costs nothing.
TEST(RepositoryTest, AnObjectsLengthIsKnownBeforeItIsRead) {
  TestRepository made;
  const std::string id(40, 'd');
  const std::string header = fmt::format("blob {}", kMaxBlobBytes + 1) + '\0';
  std::string packed(compressBound(header.size()), '\0');
  uLongf length = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &length,
                     reinterpret_cast<const Bytef*>(header.data()), header.size()),
            Z_OK);
  const std::string folder = made.folder() + "/.git/objects/dd";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/" + id.substr(2)).write(packed.data(), static_cast<long>(length));
  const Status status = ReadStatus(made, made.Commit(made.Tree({{"weights.bin", id}})));
  EXPECT_EQ(status.code(), Code::kLimitExceeded) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("weights.bin: 4294967297 bytes"));
}

// Whatever a tree's bytes say, the walk ends, and no path leads out of the folder.
TEST(RepositoryTest, MutatedTreesAreReadOrRefused) {
  TestRepository made;
  sys::SeededRandom random(5);
  const std::string blob = made.Blob("text");
  const std::string inner = made.TreeBytes({{"b.py", blob}});
  const std::string good = made.TreeBytes(
      {{"a.py", blob}, {"folder", made.Object(inner, GIT_OBJECT_TREE), "40000"}, {"z", blob}});
  const Repository repository = *Repository::Open(made.folder());
  int read = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    for (uint64_t change = 0; change <= random.Below(3); ++change)
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
    if (random.Below(4) == 0) bytes.resize(random.Below(bytes.size()));
    const std::string commit = made.Commit(made.Object(bytes, GIT_OBJECT_TREE));
    const Status status = repository.ReadTree(commit, [](const std::string& path, ByteView) {
      const std::string whole = "/" + path + "/";
      for (const char* part : {"/../", "/./", "//", "/.git/"})
        EXPECT_EQ(whole.find(part), std::string::npos) << path;
      return OkStatus();
    });
    read += status.ok() ? 1 : 0;
  }
  EXPECT_GT(read, 20);
  EXPECT_LT(read, 1000);
}

// Any byte of an object that changed is found, and the object named.
TEST(RepositoryTest, ChangedObjectsAreCorrupt) {
  TestRepository made;
  const std::string blob = made.Blob("one"), other = made.Blob("two");
  const std::string commit = made.Commit(made.Tree({{"file.txt", blob}}));
  const auto path = [&](const std::string& id) {
    return made.folder() + "/.git/objects/" + id.substr(0, 2) + "/" + id.substr(2);
  };
  std::filesystem::remove(path(blob));
  std::filesystem::copy_file(path(other), path(blob));  // whole, but another
  EXPECT_EQ(ReadStatus(made, commit).code(), Code::kCorruptContent);
  std::filesystem::permissions(path(blob), std::filesystem::perms::owner_all);
  std::filesystem::resize_file(path(blob), 5);
  EXPECT_EQ(ReadStatus(made, commit).code(), Code::kCorruptContent);
  std::filesystem::remove(path(blob));
  const Status status = ReadStatus(made, commit);
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("file.txt"));
}

TEST(RepositoryTest, AFileThatIsNotTakenEndsTheWalk) {
  TestRepository made;
  const std::string commit = made.Commit(made.Tree({{"a", made.Blob("1")}, {"b", made.Blob("2")}}));
  int files = 0;
  const Status status =
      Repository::Open(made.folder())->ReadTree(commit, [&](const std::string&, ByteView) {
        ++files;
        return Status(Code::kDiskFull, "no room");
      });
  EXPECT_EQ(status.message(), "a: no room");
  EXPECT_EQ(files, 1);
}

}  // namespace
}  // namespace ferry::git
