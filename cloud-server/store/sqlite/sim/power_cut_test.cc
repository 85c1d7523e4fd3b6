// What is committed survives: transactions on a disk that loses power at any of its operations,
// compared with a map.
#include <gtest/gtest.h>

#include "cloud-server/store/sqlite/sim/disk.h"
#include "cloud-server/store/sqlite/sqlite_store.h"

namespace ferry::server {
namespace {

using Settings = std::map<std::string, std::string>;

class PowerCutTest : public ::testing::Test {
 protected:
  void Begin(uint64_t seed) {
    store_.reset();
    disk_ = std::make_unique<SimStoreDisk>(seed);
    random_ = std::make_unique<sys::SeededRandom>(seed);
    held_.clear();
    Open();
  }
  void Open() {
    auto store = OpenSimulatedStore(disk_->vfs());
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = *std::move(store);
  }
  // Some settings at once; what they shall be is in `next`.
  Status WriteSome(Settings* next) {
    return store_->Write([&](Transaction& tx) -> Status {
      *next = held_;
      const uint64_t count = 1 + random_->Below(6);
      for (uint64_t i = 0; i < count; ++i) {
        const std::string key = "s" + std::to_string(random_->Below(40));
        if (random_->Below(5) == 0) {
          next->erase(key);
          FERRY_TRY(tx.access().RemoveSetting(key));
          continue;
        }
        // Some fill several pages.
        const std::string value(random_->Below(10) == 0 ? 9'000 : 40,
                                static_cast<char>('a' + random_->Below(26)));
        (*next)[key] = value;
        FERRY_TRY(tx.access().PutSetting(key, value));
      }
      return OkStatus();
    });
  }
  Settings Read() {
    Settings found;
    const Status read = store_->Read([&](Transaction& tx) -> Status {
      for (int i = 0; i < 40; ++i) {
        const std::string key = "s" + std::to_string(i);
        FERRY_ASSIGN_OR_RETURN(const auto value, tx.access().Setting(key));
        if (value) found[key] = *value;
      }
      return OkStatus();
    });
    EXPECT_TRUE(read.ok()) << read.ToString();
    return found;
  }
  // Writes until the power is gone, restores it, and looks.
  void LiveOnce() {
    Settings next = held_;
    while (!disk_->dead()) {
      if (WriteSome(&next).ok()) held_ = next;
    }
    store_.reset();
    disk_->Restore();
    Open();
    const Settings found = Read();
    // The last one was not acknowledged: all of it is there, or nothing.
    EXPECT_TRUE(found == held_ || found == next);
    held_ = found;
  }

  std::unique_ptr<SimStoreDisk> disk_;
  std::unique_ptr<sys::SeededRandom> random_;
  std::unique_ptr<Store> store_;
  Settings held_;  // by what was acknowledged
};

TEST_F(PowerCutTest, WhatWasAcknowledgedIsThereAfterEachCut) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Begin(seed);
    for (int life = 0; life < 15; ++life) {
      disk_->CutAt(static_cast<int64_t>(1 + random_->Below(300)));
      ASSERT_NO_FATAL_FAILURE(LiveOnce());
      ASSERT_FALSE(HasFailure());
    }
  }
}

// The first start makes the schema: at whatever operation it ends, the next one begins anew or goes
// on.
TEST_F(PowerCutTest, ACutWhileTheSchemaIsMadeLeavesNoHalfOfIt) {
  Begin(1);
  const int64_t all = disk_->operations();
  ASSERT_GT(all, 100);
  for (int64_t at = 1; at < all; at += 1 + all / 60) {
    SCOPED_TRACE(at);
    store_.reset();
    disk_ = std::make_unique<SimStoreDisk>(static_cast<uint64_t>(at));
    disk_->CutAt(at);
    ASSERT_FALSE(OpenSimulatedStore(disk_->vfs()).ok());
    ASSERT_TRUE(disk_->dead());
    disk_->Restore();
    ASSERT_NO_FATAL_FAILURE(Open());
    Settings next;
    ASSERT_TRUE(WriteSome(&next).ok());
    EXPECT_EQ(Read(), next);
  }
}

TEST_F(PowerCutTest, WritesThatEndEarlyAndSyncsThatFailLoseNothingThatWasAcknowledged) {
  int64_t refused = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Begin(seed);
    for (int life = 0; life < 10; ++life) {
      disk_->SetTrouble(0.05);
      Settings next;
      for (int i = 0; i < 40; ++i) {
        const Status written = WriteSome(&next);
        refused += written.ok() ? 0 : 1;
        // After an error the outcome is open: a reader says which.
        held_ = written.ok() ? next : Read();
      }
      disk_->SetTrouble(0);
      disk_->CutAt(static_cast<int64_t>(1 + random_->Below(60)));
      ASSERT_NO_FATAL_FAILURE(LiveOnce());
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(refused, 100);
}

// What the others stand on.
TEST_F(PowerCutTest, ACommitIsSyncedAndWithoutASyncThereIsNone) {
  Begin(3);
  Settings next;
  ASSERT_TRUE(WriteSome(&next).ok());
  EXPECT_EQ(disk_->unsynced(), 0u) << "a commit is synced";
  // Each write and each sync fails.
  disk_->SetTrouble(1);
  EXPECT_FALSE(WriteSome(&next).ok());
}

}  // namespace
}  // namespace ferry::server
