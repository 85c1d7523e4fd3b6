#include "cloud-server/have/door.h"

#include <gtest/gtest.h>

#include "cloud-server/rollout/new_release.h"
#include "cloud-server/rollout/test_rollout.h"
#include "common/proto/have_text.h"

namespace ferry::server {
namespace {

// Counts how often the store is asked.
class CountingStore : public Store {
 public:
  explicit CountingStore(Store* store) : store_(store) {}
  Status Write(const Body& body) override { return ++calls, store_->Write(body); }
  Status Read(const Body& body) override { return ++calls, store_->Read(body); }
  int64_t schema_version() override { return store_->schema_version(); }
  Result<StoreSizes> Sizes() override { return store_->Sizes(); }
  Status Shrink(int64_t bytes) override { return store_->Shrink(bytes); }
  int calls = 0;

 private:
  Store* store_;
};

struct HaveDoorTest : testing::Test, TestFleet {
  HaveDoorTest() : publisher(*this) {
    Rollout::Options asked;
    asked.store = &counting;
    asked.registry = registry.get();
    asked.bus = bus.get();
    asked.clock = &clock;
    asked.random = &random;
    counted = std::make_unique<Rollout>(asked);
    door = std::make_unique<HaveDoor>(HaveDoor::Parts{&fleet, counted.get(), &clock, &secret});
    EXPECT_TRUE(registry->PutRoot(publisher.RootDocument()).ok());
    publisher.Add("1.0.0", 1, "package one");
    EXPECT_TRUE(registry->Publish(publisher.Make()).ok());
    for (int i = 0; i < 3; ++i) AddDevice(Id(i), i == 0 ? "high" : "mid", "1.4.0");
  }
  static std::string Id(int i) { return fmt::format("{:032x}", 0xabc000 + i); }
  // What the device was told when it asked now.
  std::string Text(int i) {
    int64_t generation = 0;
    EXPECT_TRUE(rollout->Epoch(Id(i), &generation).ok());
    return SealHave(secret, {Id(i), generation}, clock.now_ms, random);
  }
  std::string Release(const std::string& rule) {
    NewRelease release;
    release.package = "digits";
    release.version = "1.0.0";
    release.plan = {{"rule", rule}, {"stages", {{{"kind", "full"}, {"min_reports", 3}}}}};
    const auto row = rollout->Create(release);
    EXPECT_TRUE(row.ok()) << row.status().ToString();
    EXPECT_TRUE(rollout->Do(row->id, command::Start{}).ok());
    clock.now_ms += kHaveFreshMs;
    return row->id;
  }
  std::string Answer(const std::string& text) { return door->Answer({text}).value().at(0); }

  TestPublisher publisher;
  crypto::Secret32 secret = crypto::Secret32::Generate(random);
  CountingStore counting{store.get()};
  fleet::Fleet fleet{&counting};
  std::unique_ptr<Rollout> counted;
  std::unique_ptr<HaveDoor> door;
};

TEST_F(HaveDoorTest, TellsThoseWhomAReleaseTakes) {
  const std::vector<std::string> before = {Text(0), Text(1), Text(2)};
  EXPECT_EQ(door->Answer(before).value(), std::vector<std::string>(3));
  Release("device_class == \"high\"");
  const std::vector<std::string> answers = door->Answer(before).value();
  const auto take = proto::TakeFromText(answers[0]);
  ASSERT_TRUE(take.ok()) << answers[0];
  EXPECT_EQ(take->name, proto::HaveNameOf(before[0]));
  EXPECT_EQ(take->within_s, kTakeWithinS);
  EXPECT_EQ(answers[1], "");
  EXPECT_EQ(answers[2], "");
  EXPECT_EQ(door->answered(), 6);
  EXPECT_EQ(door->told(), 1);
}

TEST_F(HaveDoorTest, WhoHasAskedSinceIsToldNothing) {
  const std::string before = Text(0);
  Release("all");
  EXPECT_NE(Answer(before), "");
  const std::string after = Text(0);  // it was told, whatever it makes of that
  EXPECT_EQ(Answer(after), "");
  EXPECT_EQ(door->Answer({after, before}).value()[0], "");
}

TEST_F(HaveDoorTest, WhatIsNoTextOfAnEnrolledDeviceIsAnsweredByNothing) {
  const std::string good = Text(0);
  Release("all");
  sys::SeededRandom other(99);
  const crypto::Secret32 foreign = crypto::Secret32::Generate(other);
  const std::string stranger = SealHave(secret, {Id(77), 0}, clock.now_ms, random);
  const std::vector<std::string> texts = {"",
                                          "have1.",
                                          "nonsense",
                                          good + "0",
                                          SealHave(foreign, {Id(0), 0}, clock.now_ms, other),
                                          stranger,
                                          std::string(1 << 20, 'a'),
                                          good};
  const std::vector<std::string> answers = door->Answer(texts).value();
  ASSERT_EQ(answers.size(), texts.size());
  for (size_t i = 0; i + 1 < texts.size(); ++i) EXPECT_EQ(answers[i], "") << i;
  EXPECT_NE(answers.back(), "");
}

TEST_F(HaveDoorTest, ABlockedDeviceIsToldNothing) {
  const std::string text = Text(1);
  Release("all");
  EXPECT_TRUE(store
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(Id(1)));
                    row.blocked = true;
                    return tx.devices().Put(row);
                  })
                  .ok());
  clock.now_ms += kHaveFreshMs;
  EXPECT_EQ(Answer(text), "");
}

TEST_F(HaveDoorTest, ManyAreAnsweredWithoutTheStore) {
  const std::string text = Text(0);
  const std::vector<std::string> texts(kMaxHaveTexts, text);
  ASSERT_TRUE(door->Answer(texts).ok());
  const int calls = counting.calls;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(door->Answer(texts).ok());
  EXPECT_EQ(counting.calls, calls);
  clock.now_ms += kHaveFreshMs;
  ASSERT_TRUE(door->Answer(texts).ok());
  EXPECT_EQ(counting.calls, calls + 2);  // the releases and the fleet, however many texts there are
  EXPECT_EQ(door->Answer(std::vector<std::string>(kMaxHaveTexts + 1)).code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::server
