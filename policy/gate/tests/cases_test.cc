#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/base/json.h"
#include "policy/gate/gate.h"

namespace ferry::gate {
namespace {

// "exposed=5 failed=2" into the members of that name.
template <typename Set>
void ReadPairs(std::istringstream& in, const std::string& place, const Set& set) {
  for (std::string pair; in >> pair;) {
    const size_t equals = pair.find('=');
    ASSERT_NE(equals, std::string::npos) << place << ": " << pair;
    EXPECT_TRUE(set(pair.substr(0, equals), pair.substr(equals + 1))) << place << ": " << pair;
  }
}

bool SetCount(Counts& counts, const std::string& name, int64_t value) {
  const std::map<std::string, int64_t Counts::*> members = {
      {"exposed", &Counts::exposed}, {"failed", &Counts::failed},
      {"silent", &Counts::silent},   {"pending", &Counts::pending},
      {"closed", &Counts::closed},   {"closed_failed", &Counts::closed_failed},
      {"healthy", &Counts::healthy}, {"late", &Counts::late},
      {"dropped", &Counts::dropped}};
  const auto found = members.find(name);
  if (found == members.end()) return false;
  counts.*found->second = value;
  return true;
}

bool SetMetric(MetricCounts& counts, const std::string& name, int64_t value) {
  if (name == "past") counts.past = value;
  if (name == "within") counts.within = value;
  if (name == "control_past") counts.control_past = value;
  if (name == "control_within") counts.control_within = value;
  return true;
}

bool SetInput(Input& input, const std::string& name, const std::string& value) {
  if (name == "hold") {
    input.hold = true;
    input.hold_reason = value;
    return true;
  }
  const std::map<std::string, int64_t Input::*> members = {{"now", &Input::now_ms},
                                                           {"since", &Input::stage_since_ms},
                                                           {"min_healthy", &Input::min_healthy_ms},
                                                           {"min_reports", &Input::min_reports},
                                                           {"planned", &Input::planned},
                                                           {"overdue", &Input::next_overdue_ms}};
  const auto found = members.find(name);
  if (found == members.end()) return false;
  input.*found->second = std::stoll(value);
  return true;
}

struct Case {
  Settings settings;
  Input input;

  SliceCounts& SliceNamed(const std::string& name) {
    std::vector<SliceCounts>& slices = input.stages.back().slices;
    for (SliceCounts& counts : slices)
      if (counts.slice == name) return counts;
    slices.push_back({});
    slices.back().slice = name;
    slices.back().first_seen = static_cast<int64_t>(slices.size());
    return slices.back();
  }

  void Read(const std::string& key, const std::string& value, const std::string& place) {
    std::istringstream in(value);
    std::string name;
    if (key == "settings") {
      auto json = ParseJson(value);
      ASSERT_TRUE(json.ok()) << place;
      auto read = SettingsFromJson(*json);
      ASSERT_TRUE(read.ok()) << place << ": " << read.status().message();
      settings = *read;
    } else if (key == "set") {
      ReadPairs(in, place, [&](const auto& k, const auto& v) { return SetInput(input, k, v); });
    } else if (key == "stage") {
      double percent = 0;
      in >> name >> percent;
      input.stages.push_back({name, percent / 100, {}});
    } else if (key == "slice" || key == "control") {
      in >> name;
      SliceCounts& counts = SliceNamed(name);
      ReadPairs(in, place, [&](const auto& k, const auto& v) {
        return SetCount(key == "slice" ? counts.treated : counts.control, k, std::stoll(v));
      });
    } else if (key == "metric") {
      MetricCounts metric;
      in >> name >> metric.metric;
      ReadPairs(in, place,
                [&](const auto& k, const auto& v) { return SetMetric(metric, k, std::stoll(v)); });
      SliceNamed(name).metrics.push_back(metric);
    } else {
      ADD_FAILURE() << place << ": no key " << key;
    }
  }

  void Expect(const std::string& value, const std::string& place) const {
    std::istringstream in(value);
    std::string decision, gate, reason;
    in >> decision >> gate >> std::ws;
    std::getline(in, reason);
    const Judgement judgement = JudgeAll(settings, input);
    EXPECT_EQ(DecisionName(judgement.decision), decision) << place << ": " << judgement.reason;
    EXPECT_THAT(judgement.reason, testing::HasSubstr(reason)) << place;
    for (const Verdict& verdict : judgement.verdicts)
      if (verdict.reason == judgement.reason) {
        EXPECT_EQ(verdict.gate, gate) << place;
      }
  }
};

TEST(GateCases, AllOfThem) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("policy/gate/cases"))
    files.push_back(entry);
  std::sort(files.begin(), files.end());
  int expected = 0;
  for (const auto& file : files) {
    std::ifstream lines(file);
    Case now;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      const std::string place = file.filename().string() + ":" + std::to_string(++number);
      if (line.empty()) now = {};
      const size_t colon = line.find(':');
      if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
      const std::string key = line.substr(0, colon);
      const std::string value = line.substr(std::min(line.size(), colon + 2));
      if (key == "expect") {
        now.Expect(value, place);
        ++expected;
      } else if (key == "alone") {
        EXPECT_EQ(JudgeAll(now.settings, now.input).stopped_slice, value) << place;
      } else {
        now.Read(key, value, place);
      }
    }
  }
  EXPECT_GE(expected, 30);
}

}  // namespace
}  // namespace ferry::gate
