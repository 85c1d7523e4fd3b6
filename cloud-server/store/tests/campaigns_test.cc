#include "cloud-server/store/campaigns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/store/store_fixture.h"

namespace ferry::server {
namespace {

CampaignRow CampaignOf(int64_t number) {
  CampaignRow row;
  row.id = fmt::format("autumn-{}", number);
  row.number = number;
  row.name = "autumn";
  row.spec_json = "{}";
  row.reason = "waits";
  row.account = "ann";
  row.created_ms = 7;
  return row;
}

class CampaignStoreTest : public StoreTest {
 protected:
  void Write(const Store::Body& body) {
    const Status status = store_->Write(body);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
};
INSTANTIATE_TEST_SUITE_P(All, CampaignStoreTest,
                         testing::Values(StorePlace::kMemory, StorePlace::kPostgres), NameOfPlace);

TEST_P(CampaignStoreTest, RowsComeBackAsTheyWerePut) {
  CampaignRow row = CampaignOf(1);
  row.groups = {"eu/de", "eu/fr"};
  Write([&](Transaction& tx) { return tx.campaigns().Put(row); });
  ++row.row_version;
  row.state = CampaignState::kPaused;
  row.pending = true;
  row.releases = {"a-1", "b-2"};
  row.paused = {"b-2"};
  row.back = {"a-1"};
  Write([&](Transaction& tx) -> Status {
    EXPECT_EQ(tx.campaigns().Get("autumn-1")->state, CampaignState::kWaiting);
    FERRY_TRY(tx.campaigns().Put(row));
    CampaignRow stored = row;
    ++stored.row_version;
    EXPECT_EQ(*tx.campaigns().Get("autumn-1"), stored);
    EXPECT_EQ(tx.campaigns().NextNumber().value(), 2);
    EXPECT_EQ(tx.campaigns().Get("autumn-2").code(), Code::kNotFound);
    return OkStatus();
  });
  const Status old = store_->Write([&](Transaction& tx) { return tx.campaigns().Put(row); });
  EXPECT_EQ(old.code(), Code::kConflict) << "its row_version is not the stored one";
}

TEST_P(CampaignStoreTest, OpenOnesAreThoseThatMoveOrHaveSomethingPending) {
  Write([](Transaction& tx) -> Status {
    for (int64_t number = 1; number <= 9; ++number) {
      CampaignRow row = CampaignOf(number);
      row.state = static_cast<CampaignState>(number - 1);
      FERRY_TRY(tx.campaigns().Put(row));
    }
    CampaignRow pending = CampaignOf(10);
    pending.state = CampaignState::kHalted;
    pending.pending = true;
    FERRY_TRY(tx.campaigns().Put(pending));
    std::vector<std::string> open;
    FERRY_ASSIGN_OR_RETURN(const std::vector<CampaignRow> rows, tx.campaigns().Open());
    for (const CampaignRow& row : rows) open.push_back(std::string(NameOf(row.state)));
    EXPECT_THAT(open,
                testing::ElementsAre("waiting", "running", "paused", "rolling_back", "halted"));
    EXPECT_EQ(tx.campaigns().All()->front().number, 10);
    return OkStatus();
  });
  for (int state = 0; state < 9; ++state) {
    const auto each = static_cast<CampaignState>(state);
    EXPECT_EQ(*CampaignStateFromName(NameOf(each)), each);
  }
  EXPECT_EQ(CampaignStateFromName("asleep").code(), Code::kMalformed);
}

TEST_P(CampaignStoreTest, TheLastEventsAreShown) {
  Write([](Transaction& tx) -> Status {
    FERRY_TRY(tx.campaigns().Put(CampaignOf(1)));
    for (size_t i = 0; i < kMaxCampaignEvents + 3; ++i)
      FERRY_TRY(tx.campaigns().AddEvent("autumn-1", 1, "paused", "again"));
    FERRY_ASSIGN_OR_RETURN(const auto events, tx.campaigns().Events("autumn-1"));
    EXPECT_EQ(events.size(), kMaxCampaignEvents);
    EXPECT_EQ(events.front().seq, 4);
    EXPECT_EQ(events.back().seq, static_cast<int64_t>(kMaxCampaignEvents) + 3);
    return OkStatus();
  });
}

}  // namespace
}  // namespace ferry::server
