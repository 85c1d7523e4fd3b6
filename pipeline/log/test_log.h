// A log on a disk in memory, and events made of a seed; for the tests of the room.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/sys/sim/filesystem.h"
#include "pipeline/log/log.h"

namespace ferry::log {

// Time that a test moves.
class TestClock : public sys::Clock {
 public:
  int64_t NowUnixMs() const override { return ns / 1'000'000; }
  int64_t MonotonicNs() const override { return ns; }
  int64_t ns = 1'700'000'000'000'000'000;
};

// The event that always has this number.
inline event::Event NumberedEvent(uint64_t number) {
  event::Event event;
  event.id = number % 3 == 0 ? "click" : "page_enter";
  event.page = "p" + std::to_string(number % 5);
  event.time_ms = static_cast<int64_t>(1'700'000'000'000 + 37 * number);
  event.data = {{"item", "item-" + std::to_string(number * 7919 % 1000)},
                {"at", number},
                {"price", static_cast<double>(number % 90) / 4}};
  return event;
}

class LogFixture : public testing::Test {
 protected:
  std::unique_ptr<Log> Open() {
    auto log = Log::Open(fs_, clock_, random_, options_);
    EXPECT_TRUE(log.ok()) << log.status().ToString();
    return log.ok() ? std::move(*log) : nullptr;
  }
  // Appends `count` events as one block, on the disk.
  void Fill(Log& log, int count) {
    uint64_t number = 0;
    for (int k = 0; k < count; ++k) {
      auto appended = log.Append(NumberedEvent(log.next()), ArrivalOf(log.next()));
      ASSERT_TRUE(appended.ok()) << appended.status().ToString();
      number = *appended;
    }
    ASSERT_TRUE(log.WaitDurable(number).ok());
  }
  static int64_t ArrivalOf(uint64_t number) {
    return static_cast<int64_t>(1'700'000'000'100 + 40 * number);
  }
  // All events by number; each must be what was appended under it.
  std::map<uint64_t, Entry> ReadAll(Log& log) {
    std::map<uint64_t, Entry> all;
    uint64_t last = 0;
    EXPECT_TRUE(log.ForEach(0, UINT64_MAX,
                            [&](const Entry& entry) {
                              EXPECT_GT(entry.event.number, last);
                              last = entry.event.number;
                              EXPECT_EQ(entry.arrival_ms, ArrivalOf(last));
                              EXPECT_EQ(event::EventToJson(entry.event),
                                        event::EventToJson(NumberedEvent(last)));
                              all[last] = entry;
                              return true;
                            })
                    .ok());
    return all;
  }
  std::vector<std::string> Files() {
    std::vector<std::string> files;
    const auto names = fs_.List(options_.directory);
    for (const std::string& name : names.ok() ? *names : std::vector<std::string>())
      if (name.ends_with(".log")) files.push_back(sys::JoinPath(options_.directory, name));
    return files;
  }

  sys::SimFileSystem fs_;
  TestClock clock_;
  sys::SeededRandom random_{7};
  LogOptions options_ = {.directory = "/log"};
};

}  // namespace ferry::log
