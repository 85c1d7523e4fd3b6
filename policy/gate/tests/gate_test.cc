#include "policy/gate/gate.h"

#include "common/base/json.h"
#include "policy/gate/alpha.h"

#include <gmock/gmock.h>

namespace ferry::gate {
namespace {

using testing::HasSubstr;

SliceCounts Slice(std::string name, int64_t exposed, int64_t failed) {
  SliceCounts out;
  out.slice = std::move(name);
  out.treated.exposed = out.treated.closed = exposed;
  out.treated.failed = out.treated.closed_failed = failed;
  out.treated.healthy = exposed - failed;
  return out;
}

TEST(Gates, SharesOfAlphaNeverSumToMoreThanOne) {
  Input input;
  input.stages.resize(1);
  for (int k = 0; k < 2000; ++k) {
    SliceCounts counts = Slice("kind" + std::to_string(k % 7) + "=" + std::to_string(k), 1, 0);
    counts.first_seen = k;
    input.stages[0].slices.push_back(counts);
  }
  double sum = 0;
  for (const SliceShare& share : SliceShares(input)) sum += share.share;
  EXPECT_LE(sum, 1);
  EXPECT_LE(SliceShares(input).size(), kMaxSlices);
  sum = 0;
  for (size_t k = 0; k < 10000; ++k) sum += SequenceShare(k);
  EXPECT_LE(sum, 1);
  Settings settings;
  EXPECT_EQ(FailureAlpha(settings), settings.alpha);
  settings.metrics.resize(3);
  EXPECT_LE(FailureAlpha(settings) + 3 * MetricAlpha(settings), settings.alpha * (1 + 1e-9));
}

TEST(Gates, ASlicesShareStaysWhenOthersCome) {
  Input input;
  input.stages.resize(1);
  std::map<std::string, double> before;
  for (int k = 0; k < 60; ++k) {
    // Later ones come first by name.
    SliceCounts counts = Slice("os=" + std::to_string(99 - k), 1, 0);
    counts.first_seen = k;
    input.stages[0].slices.push_back(counts);
    for (const SliceShare& share : SliceShares(input)) {
      auto [known, fresh] = before.try_emplace(share.slice, share.share);
      EXPECT_EQ(known->second, share.share) << share.slice;
    }
  }
}

TEST(Gates, BaselineIsTheMedian) {
  EXPECT_EQ(BaselineThreshold({3}), 3);
  EXPECT_EQ(BaselineThreshold({9, 1, 5, 7, 3}), 5);
}

TEST(Gates, WeighGivesARowForEachMetricSliceAndStage) {
  Settings settings;
  settings.metrics = {{"latency_ms", false, 200.0}};
  Input input;
  input.stages = {{"beta", 0, {Slice("all", 4, 0), Slice("os=ios", 1, 0)}},
                  {"gray", 0, {Slice("all", 8, 3), Slice("os=ios", 2, 2)}}};
  const std::vector<Verdict> rows = Weigh(settings, input);
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[0].gate, "failure");
  EXPECT_EQ(rows[0].stage, "");
  EXPECT_EQ(rows[1].stage, "gray");
  EXPECT_EQ(rows[1].failed, 3);
  EXPECT_GT(rows[1].threshold, rows[0].threshold);
  EXPECT_EQ(rows[3].slice, "os=ios");
  EXPECT_EQ(rows[4].metric, "latency_ms");
  for (const Verdict& row : rows) EXPECT_LT(row.value, 1e300);
}

TEST(Gates, Json) {
  Input input;
  input.stages = {{"beta", 0.1, {Slice("all", 5, 2)}}};
  for (const Verdict& verdict : JudgeAll({}, input).verdicts) {
    auto again = VerdictFromJson(VerdictToJson(verdict));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(VerdictToJson(*again), VerdictToJson(verdict));
  }
  EXPECT_FALSE(VerdictFromJson({{"gate", "x"}, {"decision", "maybe"}}).ok());
  // As the first release wrote them.
  auto old = VerdictFromJson({{"gate", "failure"}, {"decision", "stop"}, {"value", 120.5}});
  ASSERT_TRUE(old.ok());
  EXPECT_EQ(old->value, 120.5);
}

TEST(Gates, SettingsJson) {
  auto settings = SettingsFromJson({{"tolerated_rate", 0.05}});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(SettingsToJson(*settings), (Json{{"tolerated_rate", 0.05}, {"alpha", 0.01}}));
  EXPECT_TRUE(SettingsFromJson(nullptr).ok());
  const Json all = {
      {"tolerated_rate", 0.05},
      {"alpha", 0.02},
      {"window_ms", 1000},
      {"max_failed_percent", 10.0},
      {"max_failed_min_devices", 5},
      {"stop_slices_alone", true},
      {"metrics",
       {{{"name", "latency_ms"}, {"worse", "higher"}, {"tolerated_rate", 0.1}, {"limit", 200.0}},
        {{"name", "accuracy"}, {"worse", "lower"}, {"tolerated_rate", 0.05}}}}};
  settings = SettingsFromJson(all);
  ASSERT_TRUE(settings.ok()) << settings.status().message();
  EXPECT_EQ(SettingsToJson(*settings), all);
  EXPECT_EQ(WindowMs(*settings, 5, 7), 1000);
  EXPECT_EQ(WindowMs({}, 5, 7), 7);
  EXPECT_EQ(WindowMs({}, 5, 0), kUsualWindowMs);
  EXPECT_EQ(WindowMs({}, 2 * kUsualWindowMs, 0), 2 * kUsualWindowMs);
  const std::pair<Json, Code> bad[] = {
      {{{"alpha", 0.0}}, Code::kInvalidArgument},
      {{{"alpha", 1.0}}, Code::kInvalidArgument},
      {{{"tolerated_rate", -1.0}}, Code::kInvalidArgument},
      {{{"tolerated_rate", 2.0}}, Code::kInvalidArgument},
      {{{"window_ms", -1}}, Code::kInvalidArgument},
      {{{"max_failed_percent", 0}}, Code::kInvalidArgument},
      {{{"max_failed_min_devices", -1}}, Code::kInvalidArgument},
      {{{"stop_slices_alone", 1}}, Code::kMalformed},
      {{{"metrics", {{{"worse", "higher"}}}}}, Code::kMalformed},
      {{{"metrics", {{{"name", ""}}}}}, Code::kInvalidArgument},
      {{{"metrics", {{{"name", "failure"}}}}}, Code::kInvalidArgument},
      {{{"metrics", {{{"name", "x"}, {"worse", "sideways"}}}}}, Code::kInvalidArgument},
      {{{"metrics", {{{"name", "x"}}, {{"name", "x"}}}}}, Code::kInvalidArgument}};
  for (const auto& [json, code] : bad) EXPECT_EQ(SettingsFromJson(json).code(), code) << json;
  Json many = Json::array();
  for (size_t k = 0; k <= kMaxMetricRules; ++k) many.push_back({{"name", std::to_string(k)}});
  EXPECT_EQ(SettingsFromJson({{"metrics", many}}).code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::gate
