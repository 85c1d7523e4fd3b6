#include "common/trust/fresh.h"

#include <gmock/gmock.h>

#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {
namespace {

using testing::HasSubstr;

// Targets of `days`, seen while they held; then the server's own documents are signed anew.
struct Later {
  explicit Later(int64_t targets_days) {
    repository.targets.expires_ms = kTestNow + targets_days * kDayMs;
    repository.Publish();
    set = repository.Updated();
  }
  void SignOnlineAt(int64_t now_ms) {
    repository.online_expires_ms = now_ms + kDayMs;
    ++repository.snapshot_version;
    ++repository.timestamp_version;
    repository.Publish();
    EXPECT_EQ(set->UpdateTimestamp(repository.timestamp_document, now_ms).ToString(), "ok");
    EXPECT_EQ(set->UpdateSnapshot(repository.snapshot_document, now_ms).ToString(), "ok");
  }
  TestRepository repository;
  std::optional<TrustedSet> set;
};

TEST(Fresh, ExpiredTargetsStillLeadBackAndStop) {
  Later later(90);
  const int64_t now_ms = kTestNow + 91 * kDayMs;
  later.SignOnlineAt(now_ms);
  EXPECT_EQ(CheckFreshFor(*later.set, Purpose::kInstall, now_ms).code(), Code::kExpired);
  EXPECT_EQ(CheckFreshFor(*later.set, Purpose::kGoBack, now_ms).ToString(), "ok");
  EXPECT_EQ(CheckFreshFor(*later.set, Purpose::kStop, now_ms).ToString(), "ok");
}

TEST(Fresh, AFrozenDeviceDoesNotGoBack) {
  Later later(90);
  const int64_t now_ms = kTestNow + 2 * kDayMs;  // snapshot and timestamp lived one
  EXPECT_EQ(CheckFreshFor(*later.set, Purpose::kGoBack, now_ms).code(), Code::kExpired);
  EXPECT_EQ(CheckFreshFor(*later.set, Purpose::kStop, now_ms).ToString(), "ok");
}

TEST(Fresh, NewerTargetsThatWereNotVerifiedAreNotGuessed) {
  Later later(90);
  const int64_t now_ms = kTestNow + 91 * kDayMs;
  ++later.repository.targets.version;  // expired as well: the device cannot take it
  later.SignOnlineAt(now_ms);
  EXPECT_EQ(later.set->UpdateTargets(later.repository.targets_document, now_ms).code(),
            Code::kExpired);
  const Status status = CheckFreshFor(*later.set, Purpose::kGoBack, now_ms);
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("newer targets"));
}

TEST(Fresh, AnExpiredRootOrAnEmptySetLeadsNowhere) {
  Later later(90);
  const int64_t now_ms = later.repository.root.expires_ms;
  EXPECT_THAT(CheckFreshFor(*later.set, Purpose::kGoBack, now_ms).message(),
              HasSubstr("root expired"));
  const TrustedSet empty = later.repository.Pinned();
  EXPECT_EQ(CheckFreshFor(empty, Purpose::kGoBack, kTestNow).code(), Code::kFailedPrecondition);
  EXPECT_EQ(CheckFreshFor(empty, Purpose::kInstall, kTestNow).code(), Code::kFailedPrecondition);
}

TEST(Fresh, AFreshChainIsFreshForAll) {
  Later later(90);
  for (const Purpose purpose : {Purpose::kInstall, Purpose::kGoBack, Purpose::kStop}) {
    EXPECT_EQ(CheckFreshFor(*later.set, purpose, kTestNow).ToString(), "ok");
  }
}

}  // namespace
}  // namespace ferry::trust
