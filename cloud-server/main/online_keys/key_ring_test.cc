#include "cloud-server/main/online_keys/key_ring.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "cloud-server/main/home.h"
#include "cloud-server/main/online_keys/key_files.h"
#include "cloud-server/main/online_keys/ring_note.h"
#include "common/sys/sim/world.h"

namespace ferry::server {
namespace {

class KeyRingTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fs_.RemoveTree(folder_).ok());
    ASSERT_TRUE(MakeHome(fs_, one_, {}, random_).ok());
  }
  void TearDown() override { EXPECT_TRUE(fs_.RemoveTree(folder_).ok()); }

  Bytes Seal() {
    const auto sealed = SealKeyRing(one_, place_, world_.clock(), random_);
    EXPECT_TRUE(sealed.ok()) << sealed.status().ToString();
    return sealed.ok() ? sealed->bytes : Bytes();
  }
  static OnlineSecrets Secrets(const std::string& directory) {
    return *KeyFiles(sys::SystemFileSystem(), directory).Read();
  }
  // Fresh keys of the first node, as after a root that named them.
  void Rotate() {
    KeyFiles files(fs_, one_);
    const std::vector<std::string> roles = {"director", "escrow"};
    ASSERT_TRUE(files.MakeWaiting(roles, false, random_).ok());
    const WaitingKeys waiting = *files.Waiting();
    OnlineSecrets present = Secrets(one_);
    present.old_escrow.push_back(present.escrow);
    present.director = *waiting.director;
    present.escrow = *waiting.escrow;
    ASSERT_TRUE(files.Settle(present).ok());
  }

  sys::FileSystem& fs_ = sys::SystemFileSystem();
  sys::Random& random_ = sys::SystemRandom();
  sys::SimWorld world_{1};
  const std::string folder_ = testing::TempDir() + "ferry_ring_" + std::to_string(getpid());
  const std::string one_ = folder_ + "/one", two_ = folder_ + "/two";
  const std::string place_ = "file:" + folder_ + "/secret";
};

TEST_F(KeyRingTest, AnEmptyDirectoryBecomesANodes) {
  ASSERT_TRUE(sys::WriteFileAtomically(fs_, one_ + "/drain.json", ToBytes("{}")).ok());
  const Bytes ring = Seal();
  const auto use = OpenKeyRing(ring, place_, two_);
  ASSERT_TRUE(use.ok()) << use.status().ToString();
  EXPECT_EQ(*use, RingUse::kMade);
  EXPECT_EQ(Secrets(two_).director.public_key(), Secrets(one_).director.public_key());
  EXPECT_TRUE(OpenHome(fs_, two_).ok());
  EXPECT_FALSE(sys::Exists(fs_, two_ + "/drain.json")) << "what is asked of one node alone";
  const auto again = OpenKeyRing(ring, place_, two_);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again, RingUse::kNotNewer);
}

TEST_F(KeyRingTest, ANewerRingBringsFreshKeysAndOldOnesOpenStill) {
  ASSERT_TRUE(OpenKeyRing(Seal(), place_, two_).ok());
  const OnlineSecrets before = Secrets(two_);
  Rotate();
  const Bytes ring = Seal();  // in the same millisecond
  const auto use = OpenKeyRing(ring, place_, two_);
  ASSERT_TRUE(use.ok()) << use.status().ToString();
  EXPECT_EQ(*use, RingUse::kTaken);
  const OnlineSecrets after = Secrets(two_);
  EXPECT_EQ(after.director.public_key(), Secrets(one_).director.public_key());
  EXPECT_NE(after.director.public_key(), before.director.public_key());
  ASSERT_EQ(after.old_escrow.size(), 1u);
  EXPECT_EQ(after.old_escrow[0].public_key(), before.escrow.public_key());
}

TEST_F(KeyRingTest, AnOlderRingChangesNothingWhereALaterOneWasSealed) {
  const Bytes old = Seal();
  Rotate();
  Seal();
  const OnlineSecrets before = Secrets(one_);
  const auto use = OpenKeyRing(old, place_, one_);
  ASSERT_TRUE(use.ok()) << use.status().ToString();
  EXPECT_EQ(*use, RingUse::kNotNewer);
  EXPECT_EQ(Secrets(one_).director.public_key(), before.director.public_key());
}

// Two nodes that rotated escrow keys apart from each other lose neither.
TEST_F(KeyRingTest, AnEscrowKeyThatTheRingLacksIsKept) {
  const Bytes ring = Seal();
  ASSERT_TRUE(OpenKeyRing(ring, place_, two_).ok());
  ASSERT_TRUE(fs_.Remove(two_ + "/" + kRingNoteFile).ok());
  const crypto::AgreementKey own = crypto::AgreementKey::Generate(random_);
  ASSERT_TRUE(crypto::WriteKey(fs_, two_ + "/keys/escrow.key", own).ok());
  ASSERT_TRUE(OpenKeyRing(ring, place_, two_).ok());
  const OnlineSecrets after = Secrets(two_);
  EXPECT_EQ(after.escrow.public_key(), Secrets(one_).escrow.public_key());
  ASSERT_EQ(after.old_escrow.size(), 1u);
  EXPECT_EQ(after.old_escrow[0].public_key(), own.public_key());
}

TEST_F(KeyRingTest, RefusesWhatIsNotItsOwn) {
  const Bytes ring = Seal();
  ASSERT_TRUE(MakeHome(fs_, two_, {}, random_).ok());
  EXPECT_EQ(OpenKeyRing(ring, place_, two_).code(), Code::kWrongKey) << "another server";
  const std::string three = folder_ + "/three";
  EXPECT_EQ(OpenKeyRing(ToBytes("ferry key ring 1\n"), place_, three).code(), Code::kMalformed);
  Bytes spoilt = ring;
  spoilt.back() ^= 1;
  EXPECT_EQ(OpenKeyRing(spoilt, place_, three).code(), Code::kCorruptContent);
  ASSERT_TRUE(
      sys::WriteFileAtomically(fs_, folder_ + "/other", ToBytes(std::string(64, '0'))).ok());
  EXPECT_EQ(OpenKeyRing(ring, "file:" + folder_ + "/other", three).code(), Code::kWrongKey);
  EXPECT_EQ(OpenKeyRing(ring, "file:" + folder_ + "/none", three).code(), Code::kNotFound);
  EXPECT_EQ(OpenKeyRing(ring, "ftp:x", three).code(), Code::kInvalidArgument);
  EXPECT_FALSE(sys::Exists(fs_, three + "/server.json"));
}

}  // namespace
}  // namespace ferry::server
