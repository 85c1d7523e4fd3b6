// What is erased, or kept from the cloud, is gone from the file and not only from sight.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "pipeline/store/outbox.h"

namespace ferry::store {
namespace {

constexpr char kPrivate[] = "bought_a_pregnancy_test";

class ErasureTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_erasure_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/outbox.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Outbox> Open() {
    auto outbox = OpenOutbox(path_, random_);
    EXPECT_TRUE(outbox.ok()) << outbox.status().ToString();
    EXPECT_TRUE((*outbox)->OpenLog(kEventLog).ok());
    return std::move(*outbox);
  }

  // A run with everything that it can leave.
  static void Leave(Outbox& outbox, uint64_t event) {
    ASSERT_TRUE(
        outbox.tables()
            .Declare(table::DefinitionFromJson({{"name", "seen"},
                                                {"key", {"what"}},
                                                {"columns", {{"what", "text"}, {"n", "int"}}}})
                         .value())
            .ok());
    TaskRun run;
    run.event = event + 1;
    run.task = "t";
    run.result = kPrivate;
    run.records.push_back({"s", 1, std::string("\"") + kPrivate + "\""});
    StateChanges state;
    state.Put("window", kPrivate);
    table::Batch batch(outbox.tables());
    ASSERT_TRUE(batch.Put("seen", {{"what", kPrivate}, {"n", event}}).ok());
    TaskRun* const runs[] = {&run};
    table::Batch* const batches[] = {&batch};
    ASSERT_TRUE(
        outbox.Commit({.runs = runs, .state = &state, .tables = batches, .position = event}).ok());
    ASSERT_TRUE(outbox.Spool({kPrivate}).ok());
  }

  bool OnDisk(std::string_view text) const {
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      std::ifstream in(file.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      if (bytes.find(text) != std::string::npos) return true;
    }
    return false;
  }

  std::string folder_, path_;
  sys::SeededRandom random_{1};
};

TEST_F(ErasureTest, NothingIsLeftAndNumbersGoOn) {
  auto outbox = Open();
  Leave(*outbox, 7);
  const Bytes before = outbox->Read(1, 10, 1000)->outbox_id;
  EXPECT_TRUE(OnDisk(kPrivate));
  const auto number = outbox->BeginErase("app", 500);
  ASSERT_TRUE(number.ok());
  EXPECT_EQ(outbox->last_erasure().device, "");
  const auto counts = outbox->Erase(9);
  ASSERT_TRUE(counts.ok()) << counts.status().ToString();
  EXPECT_EQ(counts->records, 1);
  EXPECT_EQ(counts->state_pairs, 1);
  EXPECT_EQ(counts->table_rows, 1);
  EXPECT_GT(counts->bytes, 60);
  EXPECT_FALSE(OnDisk(kPrivate));
  EXPECT_EQ(outbox->position(), 9u);
  EXPECT_TRUE(outbox->LoadState("")->empty());
  EXPECT_TRUE(outbox->ReadSpool(0, 10, 1000)->empty());
  EXPECT_EQ(outbox->tables().bytes(), 0);
  EXPECT_EQ(outbox->FindRun(8, "t")->value_or(""), "");
  EXPECT_TRUE(outbox->tables().Find("seen").ok());
  EXPECT_EQ(outbox->stats().waiting, 0);
  ASSERT_TRUE(outbox->NoteErased(*number, "{}", "").ok());

  EXPECT_EQ(*outbox->Append({{"s", 2, "1"}}), 2u);
  const auto batch = outbox->Read(1, 10, 1000);
  EXPECT_NE(batch->outbox_id, before);
  EXPECT_EQ(batch->first_seq - batch->base, 1u);  // under its new id it is the first one
  EXPECT_EQ(outbox->SeqOf(before, 1).status().code(), Code::kNotFound);
  outbox = nullptr;
  outbox = Open();
  EXPECT_EQ(outbox->last_erasure().number, *number);
  EXPECT_EQ(outbox->last_erasure().asked, "app");
  EXPECT_EQ(outbox->last_erasure().asked_ms, 500);
  EXPECT_EQ(outbox->last_erasure().device, "{}");
  EXPECT_EQ(outbox->last_erasure().cloud, "");
  EXPECT_EQ(outbox->position(), 9u);
  EXPECT_EQ(outbox->stats().waiting, 1);
  EXPECT_EQ(outbox->NoteErased(*number + 1, "x", "").code(), Code::kNotFound);
}

TEST_F(ErasureTest, WithoutConsentNothingIsKeptForTheCloud) {
  auto outbox = Open();
  Leave(*outbox, 1);
  ASSERT_TRUE(outbox->SetConsent(false).ok());
  EXPECT_EQ(outbox->stats().waiting, 0);
  EXPECT_EQ(outbox->stats().withheld, 1);
  EXPECT_TRUE(outbox->Read(1, 10, 1000)->records.empty());
  Leave(*outbox, 2);
  EXPECT_TRUE(outbox->Append({{"s", 1, "1"}, {"s", 1, "2"}}).ok());
  EXPECT_EQ(outbox->stats().withheld, 4);
  EXPECT_EQ(outbox->LoadState("window")->at(0).second, kPrivate);  // what is here stays here
  EXPECT_GT(outbox->tables().bytes(), 0);
  outbox = nullptr;
  outbox = Open();
  EXPECT_FALSE(outbox->stats().consent);
  EXPECT_EQ(outbox->stats().withheld, 4);
  EXPECT_EQ(outbox->stats().waiting, 0);
  ASSERT_TRUE(outbox->SetConsent(true).ok());
  EXPECT_EQ(*outbox->Append({{"s", 1, "3"}}), 2u);
  EXPECT_EQ(outbox->Read(1, 10, 1000)->records.at(0).json, "3");
}

}  // namespace
}  // namespace ferry::store
