#include "policy/when/when.h"

#include <gmock/gmock.h>

#include <ctime>
#include <fstream>
#include <sstream>

#include "common/base/json.h"

namespace ferry::when {
namespace {

using testing::HasSubstr;

constexpr char kFolder[] = "policy/when/cases/";

// "2026-11-23T01:00:00Z", or milliseconds.
int64_t TimeOf(const std::string& text) {
  std::tm parts{};
  if (::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return std::stoll(text);
  return int64_t{::timegm(&parts)} * 1000;
}

// Calls `line(place, key, value)` for each line of a file of cases; an empty key ends a block.
template <typename Line>
void ReadLines(const std::string& name, const Line& line) {
  std::ifstream in(kFolder + name);
  ASSERT_TRUE(in.good()) << "run from the root of the repository";
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (text.starts_with("#")) continue;
    const size_t colon = text.find(": ");
    const std::string place = name + ":" + std::to_string(number);
    if (colon == std::string::npos) {
      line(place, "", "");
    } else {
      line(place, text.substr(0, colon), text.substr(colon + 2));
    }
  }
}

TEST(When, Cases) {
  When when;
  Host host;
  int64_t now_ms = 0;
  int checked = 0;
  ReadLines("windows.txt", [&](const std::string& place, const std::string& key,
                               const std::string& value) {
    if (key == "when") {
      const auto parsed = WhenFromText(value, true);
      ASSERT_TRUE(parsed.ok()) << place << ": " << parsed.status().ToString();
      when = *parsed;
      EXPECT_EQ(*WhenFromJson(WhenToJson(when), true), when) << place;
    } else if (key == "at") {
      std::istringstream in(value);
      std::string time, what;
      in >> time >> host.utc_offset_minutes >> what;
      ASSERT_EQ(what.size(), 3u) << place;
      now_ms = TimeOf(time);
      host.idle = what[0] == 'i';
      host.charging = what[1] == 'c';
      host.unmetered = what[2] == 'u';
    } else if (key == "expect") {
      const Answer answer = MayStart(when, host, now_ms);
      const std::string word = value.substr(0, value.find(' '));
      EXPECT_EQ(answer.may_start ? "start" : answer.too_late ? "late" : "wait", word) << place;
      if (word.size() < value.size()) {
        EXPECT_THAT(answer.why, HasSubstr(value.substr(word.size() + 1))) << place;
      }
      EXPECT_EQ(answer.why.empty(), answer.may_start) << place;
      ++checked;
    } else if (key == "next") {
      EXPECT_EQ(MayStart(when, host, now_ms).look_again_ms, TimeOf(value)) << place;
    }
  });
  EXPECT_GE(checked, 35);
}

TEST(When, Errors) {
  std::string text;
  ReadLines("errors.txt",
            [&](const std::string& place, const std::string& key, const std::string& value) {
              if (key == "when") text = value;
              if (key != "error") return;
              const auto parsed = WhenFromText(text, true);
              EXPECT_EQ(parsed.code(), Code::kMalformed) << place;
              EXPECT_THAT(parsed.status().message(), HasSubstr(value)) << place;
            });
  // What a newer server says is no error on a device.
  EXPECT_TRUE(WhenFromText(R"({"windows":[],"moon":"full"})", false).ok());
  Json many = {{"windows", Json::array()}};
  for (size_t i = 0; i < kMaxWindows; ++i)
    many["windows"].push_back({{"from", "01:00"}, {"to", "02:00"}});
  EXPECT_TRUE(WhenFromJson(many, true).ok());
  many["windows"].push_back({{"from", "01:00"}, {"to", "02:00"}});
  EXPECT_EQ(WhenFromJson(many, true).code(), Code::kLimitExceeded);
  EXPECT_EQ(WhenFromText(std::string(kMaxWhenBytes + 1, ' '), true).code(), Code::kLimitExceeded);
}

// Every minute of a week against a calendar that is walked day by day.
TEST(When, WindowsAreThoseOfANaiveCalendar) {
  uint64_t seed = 7;
  const auto draw = [&seed](uint64_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((seed >> 33) % below);
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<Window> windows(static_cast<size_t>(1 + draw(3)));
    for (Window& window : windows) {
      window.days = static_cast<uint8_t>(1 + draw(127));
      window.from = draw(kDayMinutes);
      do window.to = draw(kDayMinutes + 1);
      while (window.to == window.from);
    }
    std::vector<bool> open(static_cast<size_t>(kWeekMinutes));
    for (const Window& window : windows) {
      for (int day = 0; day < 7; ++day) {
        if ((window.days >> day & 1) == 0) continue;
        int minute = day * kDayMinutes + window.from;
        const int end = day * kDayMinutes + window.to + (window.to > window.from ? 0 : kDayMinutes);
        for (; minute < end; ++minute) open[static_cast<size_t>(minute % kWeekMinutes)] = true;
      }
    }
    const int offset = draw(2 * 14 * 60) - 14 * 60;
    for (int step = 0; step < 500; ++step) {
      const int64_t now_ms =
          int64_t{1'790'000'000'000} + int64_t{draw(40'000)} * 60'000 + draw(60'000);
      const int minute = MinuteOfWeek(now_ms, offset);
      ASSERT_EQ(IsOpen(windows, minute), open[static_cast<size_t>(minute)]);
      int wait = 0;
      while (wait < kWeekMinutes && !open[static_cast<size_t>((minute + wait) % kWeekMinutes)])
        ++wait;
      const int64_t next_ms = NextOpenMs(windows, now_ms, offset);
      ASSERT_EQ(next_ms, wait == 0 ? now_ms : (now_ms / 60'000 + wait) * 60'000);
    }
  }
}

}  // namespace
}  // namespace ferry::when
