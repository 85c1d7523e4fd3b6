// An attacker with every online key signs any assignment; these are the most it can reach.
#include "common/trust/authorize.h"

#include "common/base/json.h"
#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {
namespace {

// Versions 1 to 4; each falls back to the one before, 4 to 2 (3 was bad).
struct Fleet {
  TestRepository repo;
  std::vector<TargetEntry> entries;

  Fleet() {
    for (int i = 1; i <= 4; ++i) {
      TargetEntry entry = TestEntry(fmt::format("{}.0.0", i), i, static_cast<uint8_t>(i));
      if (i > 1) {
        const TargetEntry& back = entries[i == 4 ? 1 : static_cast<size_t>(i) - 2];
        entry.fallback = Fallback{back.version, back.plain_sha256};
      }
      repo.targets.entries[FullPath("digits", entry.version)] = entry;
      entries.push_back(entry);
    }
  }
  std::string Path(int version) const { return FullPath("digits", fmt::format("{}.0.0", version)); }
  const TargetEntry& Entry(int version) const { return entries[static_cast<size_t>(version) - 1]; }
  Running After(std::initializer_list<int> versions) const {
    std::optional<Running> running;
    for (const int version : versions) {
      running = AfterInstall(running ? &*running : nullptr, Entry(version));
    }
    return *running;
  }
  Status Try(int version, Action action, const Running* running) const {
    const Assignment assignment = repo.MakeAssignment(1, action, {Path(version)});
    return AuthorizeInstall(repo.targets, assignment, Path(version), running).status();
  }
};

TEST(AuthorizeTest, NewerVersionsInstall) {
  const Fleet fleet;
  EXPECT_TRUE(fleet.Try(2, Action::kInstall, nullptr).ok());
  const Running running = fleet.After({2});
  EXPECT_TRUE(fleet.Try(3, Action::kInstall, &running).ok());
  EXPECT_TRUE(fleet.Try(2, Action::kInstall, &running).ok());  // the same again
  EXPECT_EQ(fleet.Try(3, Action::kNone, &running).code(), Code::kNotAuthorizedTarget);
}

TEST(AuthorizeTest, WhatOfflineKeysDidNotSignIsRefused) {
  const Fleet fleet;
  const Assignment assignment = fleet.repo.MakeAssignment(9, Action::kInstall, {"evil/1.0.0/full"});
  EXPECT_EQ(AuthorizeInstall(fleet.repo.targets, assignment, "evil/1.0.0/full", nullptr)
                .status()
                .ToString(),
            "not_authorized_target: \"evil/1.0.0/full\" is not in targets version 1: offline keys "
            "did not sign it");
}

TEST(AuthorizeTest, WhatIsNotAssignedIsRefused) {
  const Fleet fleet;
  const Assignment assignment = fleet.repo.MakeAssignment(9, Action::kInstall, {fleet.Path(1)});
  EXPECT_EQ(
      AuthorizeInstall(fleet.repo.targets, assignment, fleet.Path(2), nullptr).status().ToString(),
      "not_authorized_target: \"digits/2.0.0/full\" is not assigned to this device "
      "(assignment 9)");
}

TEST(AuthorizeTest, TheOnlyWayBackIsTheChainOfSignedFallbacks) {
  const Fleet fleet;
  const Running running = fleet.After({1, 2, 4});
  for (int version = 1; version <= 3; ++version) {
    EXPECT_EQ(fleet.Try(version, Action::kInstall, &running).code(), Code::kVersionRollback);
    EXPECT_EQ(fleet.Try(version, Action::kRollback, &running).ok(), version != 3) << version;
  }
  const Status refused = fleet.Try(3, Action::kRollback, &running);
  EXPECT_NE(refused.message().find("rollback attack refused: digits 3.0.0"), std::string::npos);
  EXPECT_NE(refused.message().find("the signed fallbacks of version 4.0.0 are 2.0.0, 1.0.0"),
            std::string::npos)
      << refused.message();
}

// Each step is from the entry that is signed for the version before it; what is not there leads on
// to nothing.
TEST(AuthorizeTest, AChainEndsWhereAnEntryIsGone) {
  Fleet fleet;
  const Running running = fleet.After({4});
  EXPECT_TRUE(fleet.Try(1, Action::kRollback, &running).ok());
  TargetEntry& two = fleet.repo.targets.entries[fleet.Path(2)];
  two.plain_sha256[0] ^= 1;  // another file under the same version
  EXPECT_EQ(fleet.Try(1, Action::kRollback, &running).code(), Code::kVersionRollback);
  fleet.repo.targets.entries.erase(fleet.Path(2));
  EXPECT_EQ(fleet.Try(1, Action::kRollback, &running).code(), Code::kVersionRollback);
}

TEST(AuthorizeTest, FallbacksThatNameEachOtherEnd) {
  Fleet fleet;
  TargetEntry& one = fleet.repo.targets.entries[fleet.Path(1)];
  one.fallback = Fallback{"2.0.0", fleet.Entry(2).plain_sha256};
  const Running running = fleet.After({4});
  EXPECT_EQ(fleet.Try(3, Action::kRollback, &running).code(), Code::kVersionRollback);
}

TEST(AuthorizeTest, AFallbackOfAnotherHashIsRefused) {
  Fleet fleet;
  const Running running = fleet.After({4});
  fleet.repo.targets.entries[fleet.Path(2)].plain_sha256[0] ^= 1;
  EXPECT_EQ(fleet.Try(2, Action::kRollback, &running).code(), Code::kVersionRollback);
}

// A release below one that was taken back may have to be taken back, too.
TEST(AuthorizeTest, ASecondStepBackIsTheFallbackOfWhatRuns) {
  const Fleet fleet;
  const Running back = fleet.After({4, 2});
  EXPECT_EQ(back.highest_counter, 4);
  const Status second = fleet.Try(1, Action::kRollback, &back);
  EXPECT_TRUE(second.ok()) << second.ToString();
  EXPECT_EQ(fleet.Try(1, Action::kInstall, &back).code(), Code::kVersionRollback);
  // Forward again only to the highest that ran, or above.
  EXPECT_EQ(fleet.Try(3, Action::kInstall, &back).code(), Code::kVersionRollback);
  EXPECT_EQ(fleet.Try(3, Action::kRollback, &back).code(), Code::kVersionRollback);
  EXPECT_TRUE(fleet.Try(4, Action::kInstall, &back).ok());
  const Running twice = fleet.After({4, 2, 1});
  EXPECT_EQ(twice.highest_counter, 4);
  EXPECT_EQ(fleet.Try(2, Action::kInstall, &twice).code(), Code::kVersionRollback);
  EXPECT_EQ(fleet.Try(2, Action::kRollback, &twice).code(), Code::kVersionRollback);
}

// Its file was damaged, or it was removed: that takes no leave to go back.
TEST(AuthorizeTest, WhatRunsMayBePutInPlaceAgain) {
  const Fleet fleet;
  const Running back = fleet.After({4, 2});
  EXPECT_TRUE(fleet.Try(2, Action::kInstall, &back).ok());
}

TEST(AuthorizeTest, DeltasNeedTheirBaseRunning) {
  Fleet fleet;
  TargetEntry delta = fleet.Entry(3);
  delta.kind = ArtefactKind::kDelta;
  delta.base_version = "2.0.0";
  delta.base_sha256 = fleet.Entry(2).plain_sha256;
  const std::string path = DeltaPath("digits", "3.0.0", "2.0.0");
  fleet.repo.targets.entries[path] = delta;
  const Assignment assignment = fleet.repo.MakeAssignment(1, Action::kInstall, {path});
  const auto status = [&](const Running* running) {
    return AuthorizeInstall(fleet.repo.targets, assignment, path, running).status();
  };
  const Running one = fleet.After({1}), two = fleet.After({2});
  EXPECT_EQ(status(nullptr).code(), Code::kBadDelta);
  EXPECT_EQ(status(&one).code(), Code::kBadDelta);
  EXPECT_TRUE(status(&two).ok());
}

TEST(AuthorizeTest, ExclusiveFilesBelongToTheirVersionAndDevice) {
  Fleet fleet;
  TargetEntry entry = fleet.Entry(3);
  entry.kind = ArtefactKind::kExclusive;
  const std::string path = ExclusivePath("digits", "3.0.0", "calibration.json");
  fleet.repo.targets.entries[path] = entry;
  Assignment assignment = fleet.repo.MakeAssignment(1, Action::kInstall, {fleet.Path(3), path});
  EXPECT_EQ(AuthorizeInstall(fleet.repo.targets, assignment, path, nullptr).code(),
            Code::kNotAuthorizedTarget);
  EXPECT_EQ(AuthorizeExclusive(fleet.repo.targets, assignment, path, fleet.Entry(3)).code(),
            Code::kNotAuthorizedTarget);
  assignment.exclusive = {path};
  EXPECT_TRUE(AuthorizeExclusive(fleet.repo.targets, assignment, path, fleet.Entry(3)).ok());
  EXPECT_EQ(AuthorizeExclusive(fleet.repo.targets, assignment, path, fleet.Entry(2)).code(),
            Code::kNotAuthorizedTarget);
}

TEST(AuthorizeTest, WhatIsRememberedRoundTrips) {
  const Fleet fleet;
  const Running running = fleet.After({1, 4, 2});
  EXPECT_EQ(*RunningFromJson(RunningToJson(running)), running);
  Json json = RunningToJson(running);
  json["highest_counter"] = 1;  // below the running version's own
  EXPECT_EQ(RunningFromJson(json).code(), Code::kMalformed);
}

}  // namespace
}  // namespace ferry::trust
