// What is appended comes back; groups, limits, retention, sealing, erasing.
#include <atomic>
#include <bit>
#include <thread>

#include "pipeline/log/test_log.h"

namespace ferry::log {
namespace {

class LogTest : public LogFixture {};

TEST_F(LogTest, EventsComeBackInOrderOverReopening) {
  for (int opening = 0; opening < 4; ++opening) {
    auto log = Open();
    EXPECT_EQ(log->next(), static_cast<uint64_t>(opening) * 300 + 1);
    for (int block = 0; block < 3; ++block) Fill(*log, 100);
    EXPECT_EQ(ReadAll(*log).size(), log->next() - 1);
  }
  auto log = Open();
  EXPECT_EQ(ReadAll(*log).size(), 1200u);
  EXPECT_EQ(log->stats().segments, 4u);
  for (const uint64_t number : {1, 77, 300, 301, 1200}) {
    auto one = log->Read(number);
    ASSERT_TRUE(one.ok()) << one.status().ToString();
    EXPECT_EQ(one->event.number, number);
  }
  EXPECT_EQ(log->Read(1201).code(), Code::kNotFound);
  uint64_t given = 0;
  ASSERT_TRUE(log->ForEach(250, 350, [&](const Entry&) { return ++given < 60; }).ok());
  EXPECT_EQ(given, 60u);
}

TEST_F(LogTest, AGroupIsWrittenAfterFiftyMillisecondsOrWhenItIsFull) {
  auto log = Open();
  EXPECT_EQ(log->due_ns(), INT64_MAX);
  ASSERT_TRUE(log->Append(NumberedEvent(1), ArrivalOf(1)).ok());
  EXPECT_EQ(log->due_ns(), clock_.ns + kGroupMs * 1'000'000);
  ASSERT_TRUE(log->Flush(log->due_ns() - 1).ok());
  EXPECT_EQ(log->durable(), 0u);
  EXPECT_TRUE(ReadAll(*log).empty());
  ASSERT_TRUE(log->Flush(log->due_ns()).ok());
  EXPECT_EQ(log->durable(), 1u);
  EXPECT_EQ(log->due_ns(), INT64_MAX);
  while (log->due_ns() > clock_.ns)
    ASSERT_TRUE(log->Append(NumberedEvent(log->next()), ArrivalOf(log->next())).ok());
  const uint64_t before = log->next();
  EXPECT_GE(log->stats().waiting_bytes, kGroupBytes);
  ASSERT_TRUE(log->Flush(clock_.ns).ok());
  EXPECT_EQ(log->durable(), before - 1);
  EXPECT_EQ(log->stats().commits, 2u);
  EXPECT_EQ(ReadAll(*log).size(), before - 1);
}

TEST_F(LogTest, WhatWaitsIsBoundedInBytes) {
  options_.max_waiting_bytes = 2000;
  auto log = Open();
  uint64_t taken = 0;
  Result<uint64_t> last = uint64_t{0};
  while ((last = log->Append(NumberedEvent(log->next()), ArrivalOf(log->next()))).ok()) ++taken;
  EXPECT_EQ(last.code(), Code::kLimitExceeded);
  EXPECT_LE(log->stats().waiting_bytes, 2000u);
  EXPECT_EQ(log->stats().refused, 1u);
  ASSERT_TRUE(log->WaitDurable(taken).ok());
  EXPECT_EQ(*log->Append(NumberedEvent(taken + 1), ArrivalOf(taken + 1)), taken + 1);
  EXPECT_EQ(log->WaitDurable(taken + 2).code(), Code::kInvalidArgument);
}

TEST_F(LogTest, TheLargestEventGoesInAndOneAboveIsRefused) {
  auto log = Open();
  event::Event event;
  event.id = "big";
  event.data = std::string(event::kMaxEventBytes, 'x');
  ASSERT_TRUE(log->WaitDurable(*log->Append(event, 1)).ok());
  EXPECT_EQ(log->Read(1)->event.data, event.data);
  event.data = std::string(event::kMaxEventBytes + (4 << 10), 'x');
  EXPECT_EQ(log->Append(event, 1).code(), Code::kLimitExceeded);
}

TEST_F(LogTest, RetentionKeepsWhatRulesNeedUntilTheHardLimit) {
  options_.segment_bytes = 4000;
  options_.max_bytes = 6'000;
  options_.hard_max_bytes = 20'000;
  auto log = Open();
  for (int block = 0; block < 20; ++block) Fill(*log, 100);
  ASSERT_TRUE(log->Retain(0, 1200).ok());
  EXPECT_LE(log->stats().first, 1200u);
  EXPECT_GT(log->stats().first, 1u);
  EXPECT_EQ(log->stats().lost_to_limit, 0u);
  ASSERT_TRUE(log->Retain(0, log->next()).ok());
  EXPECT_LE(log->stats().bytes, 6'000u);
  const uint64_t first = log->stats().first;
  ASSERT_TRUE(log->Retain(0, first).ok());
  for (int block = 0; block < 60; ++block) Fill(*log, 100);
  EXPECT_LE(log->stats().bytes, 30'000u);
  EXPECT_EQ(log->stats().lost_to_limit, log->stats().first - first);
  EXPECT_EQ(ReadAll(*log).size(), log->stats().last - log->stats().first + 1);
  // By age all go but the last segment.
  ASSERT_TRUE(log->Retain(ArrivalOf(log->next()) + options_.max_age_ms + 1, log->next()).ok());
  EXPECT_EQ(log->stats().segments, 1u);
}

TEST_F(LogTest, ASealedLogOpensWithItsKeyOnly) {
  options_.key = crypto::Secret32::Generate(random_);
  Fill(*Open(), 200);
  EXPECT_EQ(ReadAll(*Open()).size(), 200u);
  for (const std::string& file : Files()) {
    const std::string bytes(AsText(*sys::ReadFile(fs_, file)));
    EXPECT_EQ(bytes.find("page_enter"), std::string::npos);
    EXPECT_EQ(bytes.find("item-"), std::string::npos);
    EXPECT_EQ(fs_.Stat(file)->permissions, 0600);
  }
  EXPECT_EQ(fs_.Stat(options_.directory)->permissions, 0700);
  options_.key = crypto::Secret32::Generate(random_);
  EXPECT_EQ(Log::Open(fs_, clock_, random_, options_).code(), Code::kWrongKey);
  options_.key.reset();
  EXPECT_EQ(Log::Open(fs_, clock_, random_, options_).code(), Code::kWrongKey);
}

TEST_F(LogTest, APlainLogIsSealedFromTheFirstKeyOn) {
  Fill(*Open(), 50);
  options_.key = crypto::Secret32::Generate(random_);
  Fill(*Open(), 50);
  EXPECT_EQ(ReadAll(*Open()).size(), 100u);
  const auto plain_files = [&] {
    int plain = 0;
    for (const std::string& file : Files()) {
      const std::string bytes(AsText(*sys::ReadFile(fs_, file)));
      plain += bytes.starts_with("FERRYLOG") && bytes[9] == 0 ? 1 : 0;  // segment.h: "sealed"
    }
    return plain;
  };
  // While somebody may need it, it stays; then nothing of it is left in plain.
  auto log = Open();
  ASSERT_TRUE(log->Retain(0, 50).ok());
  EXPECT_EQ(ReadAll(*log).size(), 100u);
  EXPECT_EQ(plain_files(), 1);
  ASSERT_TRUE(log->Retain(0, 51).ok());
  EXPECT_EQ(ReadAll(*log).size(), 50u);
  EXPECT_EQ(plain_files(), 0);
}

TEST_F(LogTest, ErasingLeavesNothingButTheNumbers) {
  for (const bool sealed : {false, true}) {
    options_.directory = sealed ? "/sealed" : "/plain";
    if (sealed) options_.key = crypto::Secret32::Generate(random_);
    auto log = Open();
    Fill(*log, 100);
    ASSERT_TRUE(log->Append(NumberedEvent(101), ArrivalOf(101)).ok());
    const auto receipt = log->Erase();
    ASSERT_TRUE(receipt.ok()) << receipt.status().ToString();
    EXPECT_EQ(receipt->segments, 1u);
    EXPECT_EQ(receipt->events, 101u);
    EXPECT_EQ(receipt->first, 1u);
    EXPECT_EQ(receipt->last, 101u);
    EXPECT_EQ(receipt->key_destroyed, sealed);
    EXPECT_TRUE(Files().empty());
    EXPECT_TRUE(ReadAll(*log).empty());
    Fill(*log, 10);
    EXPECT_EQ(log->stats().last, 111u);
    log = Open();
    EXPECT_EQ(ReadAll(*log).size(), 10u);
    EXPECT_EQ(log->Erase()->events, 10u);
    EXPECT_EQ(Open()->next(), 112u);
  }
}

TEST_F(LogTest, NumbersGoOnBehindAllThatHadAnEffect) {
  options_.next_at_least = 50;
  auto log = Open();
  EXPECT_EQ(log->next(), 50u);
  EXPECT_EQ(log->durable(), 49u);
  Fill(*log, 3);
  EXPECT_EQ(log->stats().missing_events, 0u);
  EXPECT_EQ(Open()->next(), 53u);
}

// What JSON can say comes back as it was, value by value and type by type.
TEST_F(LogTest, AnyDataComesBack) {
  auto log = Open();
  std::vector<Json> given;
  const std::function<Json(int)> make = [&](int depth) -> Json {
    switch (random_.Below(depth > 9 ? 7 : 10)) {
      case 0:
        return nullptr;
      case 1:
        return random_.Below(2) == 0;
      case 2:
        return random_.Next64() >> random_.Below(64);
      case 3:
        return -static_cast<int64_t>(random_.Next64() >> (1 + random_.Below(63)));
      case 4:
        return std::bit_cast<double>((random_.Next64() & ~(uint64_t{1} << 62)));
      case 5:
        return static_cast<double>(random_.Below(100000)) / 1000 * (random_.Below(2) ? 1 : -1);
      case 6:
        return "item-" + std::to_string(random_.Below(1000) * (random_.Below(9) ? 1 : 0));
      case 7: {
        Json list = Json::array();
        for (uint64_t k = random_.Below(4); k > 0; --k) list.push_back(make(depth + 1));
        return list;
      }
      default: {
        Json object = Json::object();
        for (uint64_t k = random_.Below(6); k > 0; --k)
          object[std::string(random_.Below(3), static_cast<char>('a' + random_.Below(26)))] =
              make(depth + 1);
        return object;
      }
    }
  };
  for (int k = 0; k < 3000; ++k) {
    event::Event event;
    event.id = "e" + std::to_string(random_.Below(5));
    event.time_ms = static_cast<int64_t>(random_.Below(event::kMaxTimeMs));
    event.data = make(0);
    given.push_back(event::EventToJson(event));
    ASSERT_TRUE(log->Append(event, static_cast<int64_t>(random_.Next64() >> 10)).ok());
    if (random_.Below(50) == 0) {
      ASSERT_TRUE(log->WaitDurable(log->next() - 1).ok());
    }
  }
  ASSERT_TRUE(log->WaitDurable(3000).ok());
  size_t at = 0;
  ASSERT_TRUE(log->ForEach(1, 3000,
                           [&](const Entry& entry) {
                             const Json back = event::EventToJson(entry.event);
                             EXPECT_EQ(back.dump(), given[at++].dump());
                             return !HasFailure();
                           })
                  .ok());
  EXPECT_EQ(at, 3000u);
}

// One thread's Append does not wait for another's write.
TEST_F(LogTest, AppendsGoOnWhileAWriteIsUnderWay) {
  auto log = Open();
  Fill(*log, 1);
  std::atomic<bool> syncing = false, release = false;
  fs_.SetFault([&](const std::string& what, const std::string&) {
    if (what != "sync") return OkStatus();
    syncing = true;
    while (!release) std::this_thread::yield();
    return OkStatus();
  });
  const uint64_t number = *log->Append(NumberedEvent(2), ArrivalOf(2));
  std::thread writer([&] { EXPECT_TRUE(log->WaitDurable(number).ok()); });
  while (!syncing) std::this_thread::yield();
  for (uint64_t k = 3; k < 100; ++k) ASSERT_EQ(*log->Append(NumberedEvent(k), ArrivalOf(k)), k);
  EXPECT_EQ(log->durable(), 1u);
  release = true;
  writer.join();
  fs_.SetFault(nullptr);
  ASSERT_TRUE(log->WaitDurable(99).ok());
  EXPECT_EQ(ReadAll(*log).size(), 99u);
  EXPECT_EQ(log->stats().commits, 3u);
}

}  // namespace
}  // namespace ferry::log
