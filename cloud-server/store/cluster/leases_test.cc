// Who does what one node does at a time.
#include "cloud-server/store/cluster/leases.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "cloud-server/store/store_fixture.h"

namespace ferry::server {
namespace {

constexpr int64_t kShortLifeMs = 300;

class LeaseTest : public StoreTest {
 protected:
  Status PutSetting(const std::string& value) {
    return store_->Write([&](Transaction& tx) { return tx.access().PutSetting("did", value); });
  }
  std::string Setting() {
    std::optional<std::string> value;
    EXPECT_TRUE(store_
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(value, tx.access().Setting("did"));
                      return OkStatus();
                    })
                    .ok());
    return value.value_or("");
  }
  void Sleep(int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }
};
INSTANTIATE_TEST_SUITE_P(Places, LeaseTest,
                         testing::Values(StorePlace::kMemory, StorePlace::kFile,
                                         StorePlace::kPostgres),
                         NameOfPlace);

TEST_P(LeaseTest, OneNodeDoesItUntilItIsGone) {
  auto one = std::make_unique<Once>(store_.get(), "tick", "one");
  Once two(store_.get(), "tick", "two");
  Once other(store_.get(), "else", "two");
  int did = 0;
  const auto work = [&] {
    ++did;
    return OkStatus();
  };
  ASSERT_TRUE(one->Run(work).ok());
  ASSERT_TRUE(two.Run(work).ok());
  EXPECT_EQ(did, 1);
  EXPECT_TRUE(one->held());
  EXPECT_FALSE(two.held());
  ASSERT_TRUE(other.Run(work).ok());
  EXPECT_EQ(did, 2) << "another name is another lease";
  one.reset();
  ASSERT_TRUE(two.Run(work).ok());
  EXPECT_EQ(did, 3) << "it was given back";
}

// A node that was stopped in the middle, and wakes up after another has taken over.
TEST_P(LeaseTest, WhoWakesUpLateChangesNothing) {
  Once late(store_.get(), "tick", "late", kShortLifeMs);
  Once next(store_.get(), "tick", "next", kShortLifeMs);
  const Status woke = late.Run([&]() -> Status {
    FERRY_TRY(PutSetting("late, in time"));
    Sleep(2 * kShortLifeMs);
    std::thread other([&] { EXPECT_TRUE(next.Run([&] { return PutSetting("next"); }).ok()); });
    other.join();
    return PutSetting("late");
  });
  EXPECT_EQ(woke.code(), Code::kFailedPrecondition) << woke.ToString();
  EXPECT_EQ(Setting(), "next");
  EXPECT_TRUE(PutSetting("a person").ok()) << "what is no part of it goes on";
}

TEST_P(LeaseTest, ItIsRenewedWhileItIsUsed) {
  Once one(store_.get(), "tick", "one", kShortLifeMs);
  Once two(store_.get(), "tick", "two", kShortLifeMs);
  int other = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(one.Run([] { return OkStatus(); }).ok());
    ASSERT_TRUE(two.Run([&] {
                     ++other;
                     return OkStatus();
                   })
                    .ok());
    Sleep(kShortLifeMs / 5);
  }
  EXPECT_EQ(other, 0);
}

TEST_P(LeaseTest, TheDatabasesClockIsOurs) {
  int64_t database_ms = 0;
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(database_ms, tx.leases().NowMs());
                    return OkStatus();
                  })
                  .ok());
  const int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count();
  EXPECT_LT(std::abs(now_ms - database_ms), 2'000);
}

}  // namespace
}  // namespace ferry::server
