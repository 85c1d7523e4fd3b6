#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/registry/registry.h"
#include "cloud-server/registry/test_publisher.h"
#include "common/sys/net.h"
#include "common/trust/trusted_set.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

class WithdrawTest : public testing::Test {
 protected:
  WithdrawTest() { EXPECT_TRUE(server_.registry->PutRoot(publisher_.RootDocument()).ok()); }
  TestServer server_;
  TestPublisher publisher_{server_};
};

TEST_F(WithdrawTest, TargetsThatFitNoFrameAreRefused) {
  publisher_.Add("1.0.0", 1, "package one");
  ASSERT_TRUE(server_.registry->Publish(publisher_.Make()).ok());
  const trust::TargetEntry like = publisher_.targets.entries.begin()->second;
  Publication large;
  for (int i = 0; i < 14'000; ++i) {
    trust::TargetEntry entry = like;
    entry.package = fmt::format("package-{}", i);
    const std::string path = trust::FullPath(entry.package, entry.version);
    publisher_.targets.entries[path] = entry;
    large.absent.push_back(path);
  }
  large.targets = publisher_.Make().targets;
  ASSERT_GT(large.targets.size(), sys::kMaxFrameBytes);
  const auto published = server_.registry->Publish(large);
  EXPECT_EQ(published.code(), Code::kLimitExceeded) << "no device could ever get it";
  EXPECT_THAT(published.status().message(), HasSubstr("4190208"));
  EXPECT_EQ(server_.registry->Metadata("targets", 0)->version, 1);
}

TEST_F(WithdrawTest, AVersionGoesOnlyWhenItIsNamedAndItsCounterStays) {
  publisher_.Add("1.0.0", 1, "package one");
  publisher_.Add("2.0.0", 2, "package two");
  ASSERT_TRUE(server_.registry->Publish(publisher_.Make()).ok());
  ASSERT_TRUE(trust::Withdraw(publisher_.targets, "digits", "2.0.0", "bad", false).ok());
  Publication withdrawal = publisher_.Make();
  ASSERT_TRUE(server_.registry->Publish(withdrawal).ok());
  EXPECT_TRUE(server_.registry->Publish(withdrawal).ok()) << "a repeated upload is fine";
  ASSERT_EQ(server_.registry->Withdrawn()->size(), 1u);
  EXPECT_EQ(server_.registry->Withdrawn()->front().reason, "bad");
  EXPECT_TRUE(server_.store
                  ->Read([](Transaction& tx) -> Status {
                    EXPECT_EQ(tx.packages().Get("digits", "2.0.0").code(), Code::kNotFound);
                    EXPECT_EQ(tx.packages().Artefact("digits/2.0.0/full").code(), Code::kNotFound);
                    EXPECT_TRUE(tx.packages().Get("digits", "1.0.0").ok());
                    return OkStatus();
                  })
                  .ok());
  // Its counter and its name are used up.
  const trust::Targets before = publisher_.targets;
  publisher_.Add("2.1.0", 2, "package two");
  EXPECT_EQ(server_.registry->Publish(publisher_.Make()).code(), Code::kVersionRollback);
  publisher_.targets = before;
  publisher_.Add("2.0.0", 3, "package two");
  EXPECT_EQ(server_.registry->Publish(publisher_.Make()).code(), Code::kInvalidArgument);
  publisher_.targets = before;
  publisher_.targets.withdrawn.clear();
  EXPECT_EQ(server_.registry->Publish(publisher_.Make()).code(), Code::kInvalidArgument)
      << "a withdrawal is for good";
  publisher_.targets = before;
  publisher_.Add("2.1.0", 3, "package two");
  EXPECT_TRUE(server_.registry->Publish(publisher_.Make()).ok());
}

TEST_F(WithdrawTest, AVersionThatAReleaseNeedsStaysUnlessForced) {
  publisher_.Add("1.0.0", 1, "package one");
  publisher_.Add("2.0.0", 2, "package two");
  ASSERT_TRUE(server_.registry->Publish(publisher_.Make()).ok());
  ReleaseRow release;
  release.id = "digits-2.0.0-1";
  release.package = "digits";
  release.version = "2.0.0";
  release.fallback_version = "1.0.0";
  const auto put = [&](ReleaseState state) {
    release.state = state;
    ASSERT_TRUE(server_.store
                    ->Write([&](Transaction& tx) -> Status {
                      const Result<ReleaseRow> present = tx.releases().Get(release.id);
                      if (present.ok()) release.row_version = present->row_version;
                      return tx.releases().Put(release);
                    })
                    .ok());
  };
  const trust::Targets before = publisher_.targets;
  const auto withdraw = [&](const char* version, bool force) {
    publisher_.targets = before;
    EXPECT_TRUE(trust::Withdraw(publisher_.targets, "digits", version, "bad", false).ok());
    Publication publication = publisher_.Make();
    publication.force = force;
    return AsStatus(server_.registry->Publish(publication));
  };
  put(ReleaseState::kGray);
  EXPECT_THAT(withdraw("2.0.0", false).message(), HasSubstr("release digits-2.0.0-1 (gray) gives"));
  EXPECT_THAT(withdraw("1.0.0", false).message(), HasSubstr("goes back to digits 1.0.0"));
  put(ReleaseState::kRollingBack);
  EXPECT_EQ(withdraw("1.0.0", false).code(), Code::kFailedPrecondition);
  EXPECT_EQ(withdraw("1.0.0", true).ToString(), "ok");
}

TEST_F(WithdrawTest, ALaterExpiryNeedsNoPublication) {
  publisher_.Add("1.0.0", 1, "package one");
  ASSERT_TRUE(server_.registry->Publish(publisher_.Make()).ok());
  server_.clock.now_ms += 91 * trust::kDayMs;
  const Bytes root = server_.registry->Metadata("root", 0)->document;
  trust::TrustedSet set = *trust::TrustedSet::FromPinnedRoot(root, crypto::Sha256(root));
  const auto update = [&]() -> Status {
    const int64_t now_ms = server_.clock.now_ms;
    FERRY_TRY(set.UpdateTimestamp(server_.registry->Metadata("timestamp", 0)->document, now_ms));
    FERRY_TRY(set.UpdateSnapshot(server_.registry->Metadata("snapshot", 0)->document, now_ms));
    return set.UpdateTargets(server_.registry->Metadata("targets", 0)->document, now_ms);
  };
  EXPECT_EQ(update().code(), Code::kExpired);
  publisher_.targets.expires_ms = server_.clock.now_ms + 90 * trust::kDayMs;
  ASSERT_TRUE(server_.registry->Publish(publisher_.Make()).ok());
  EXPECT_EQ(update().ToString(), "ok");
  EXPECT_EQ(set.targets()->entries.size(), 1u);
}

TEST_F(WithdrawTest, TooFewSignaturesChangeNothing) {
  publisher_.root.AddKey(publisher_.root.targets,
                         crypto::SigningKey::Generate(server_.random).public_key());
  publisher_.root.targets.threshold = 2;
  publisher_.root.version = 2;
  ASSERT_TRUE(server_.registry->PutRoot(publisher_.RootDocument()).ok());
  publisher_.Add("1.0.0", 1, "package one");
  EXPECT_EQ(server_.registry->Publish(publisher_.Make()).code(), Code::kBadSignature);
  EXPECT_EQ(server_.registry->Metadata("targets", 0).code(), Code::kNotFound);
}

}  // namespace
}  // namespace ferry::server
