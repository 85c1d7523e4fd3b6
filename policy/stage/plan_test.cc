#include "policy/stage/plan.h"

#include "common/base/json.h"

#include <gmock/gmock.h>

namespace ferry::stage {
namespace {

using testing::HasSubstr;

constexpr char kPlan[] = R"j({"rule":"os == \"android\"","stages":[{"kind":"simulation"},
  {"kind":"beta","who":"tag(\"beta\")",
               "min_healthy_ms" : 5000
},
  {"kind":"gray","percent":20},{"kind":"gray","percent":60.5,"hold":true},
  {"kind":"full","report_timeout_ms":60000,"min_reports":3}]
})j";

Plan Parse(const std::string& text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json.ok());
  auto plan = PlanFromJson(*json);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  return plan.ok() ? *plan : Plan{};
}

TEST(Plan, JsonRoundTrip) {
  const Plan plan = Parse(kPlan);
  ASSERT_EQ(plan.stages.size(), 5u);
  EXPECT_EQ(plan.stages[3].name, "gray 60.5%");
  EXPECT_EQ(plan.stages[3].share, 60'500'000);
  EXPECT_EQ(plan.stages[4].min_reports, 3);
  const Json json = PlanToJson(plan);
  EXPECT_EQ(PlanToJson(Parse(WriteJson(json))), json);
}

TEST(Plan, WithoutStagesTakesTheDefault) {
  const Plan plan = Parse(R"j({"rule":"all"})j");
  ASSERT_EQ(plan.stages.size(), 5u);
  EXPECT_TRUE(CheckPlan(plan).ok());
  EXPECT_EQ(PlanToJson(Parse(WriteJson(PlanToJson(plan)))), PlanToJson(plan));
}

TEST(Plan, StagesReachDevicesInOrder) {
  const Plan plan = Parse(kPlan);
  std::vector<int> first(5, 0);
  for (int k = 0; k < 2000; ++k) {
    target::Attributes device;
    device.device_id = "d" + std::to_string(k);
    device.os = k % 4 == 0 ? "ios" : "android";
    if (k % 10 == 1) device.tags = {"beta"};
    const auto stage = FirstStage(plan, device, "salt");
    if (k % 4 == 0) {
      EXPECT_FALSE(stage.has_value());
      EXPECT_THAT(Includes(plan, 4, device, "salt").reason, HasSubstr("os is \"ios\""));
      continue;
    }
    ASSERT_TRUE(stage.has_value());
    ++first[*stage];
    EXPECT_EQ(*stage == 1, k % 10 == 1);
    for (size_t s = 0; s < plan.stages.size(); ++s)
      EXPECT_EQ(Includes(plan, s, device, "salt").matches, s >= *stage);
  }
  EXPECT_EQ(first[0], 0);
  EXPECT_NEAR(first[2], 1350 * 0.2, 75);
  EXPECT_NEAR(first[3], 1350 * 0.405, 90);
}

TEST(Plan, HoldsBackByABucketOfItsOwn) {
  const Plan plan = Parse(R"j({"rule":"all","stages":[{"kind":"gray","percent":10,"control":20.5},
    {"kind":"full","control":50}]})j");
  EXPECT_EQ(plan.stages[0].control, 20.5 * target::kOnePercent);
  EXPECT_EQ(PlanToJson(Parse(WriteJson(PlanToJson(plan)))), PlanToJson(plan));
  int taken = 0, held = 0, held_by_more = 0;
  for (int k = 0; k < 20000; ++k) {
    const std::string id = "d" + std::to_string(k);
    const bool is_held = IsHeldBack(plan.stages[0], id, "salt");
    EXPECT_TRUE(!is_held || IsHeldBack(plan.stages[1], id, "salt"));
    held_by_more += IsHeldBack(plan.stages[1], id, "salt");
    if (!target::InShare(plan.stages[0].share, "salt", id)) continue;
    ++taken;
    held += is_held;
  }
  EXPECT_NEAR(held, taken * 0.205, 70) << "the control bucket does not follow the gray one";
  EXPECT_NEAR(held_by_more, 10000, 300);
  EXPECT_FALSE(IsHeldBack(plan.stages[1], "", "salt"));
  EXPECT_FALSE(IsHeldBack(Stage{}, "d1", "salt"));
}

TEST(Plan, ASimulationIsComparedAsItSays) {
  const Plan plan = Parse(R"j({"rule":"all","stages":[{"kind":"simulation","same_outputs":true,
    "max_time_ratio":1.5,"max_memory_ratio":2},{"kind":"full"}]})j");
  EXPECT_TRUE(plan.stages[0].same_outputs);
  EXPECT_EQ(plan.stages[0].max_time_ratio, 1.5);
  EXPECT_EQ(plan.stages[0].max_memory_ratio, 2);
  EXPECT_EQ(PlanToJson(Parse(WriteJson(PlanToJson(plan)))), PlanToJson(plan));
  const Plan silent = Parse(R"j({"rule":"all","stages":[{"kind":"simulation"},{"kind":"full"}]})j");
  EXPECT_FALSE(silent.stages[0].same_outputs);
  EXPECT_EQ(silent.stages[0].max_time_ratio, 0);
  EXPECT_EQ(WriteJson(PlanToJson(silent)).find("ratio"), std::string::npos);
}

TEST(Plan, ReasonsNameTheShare) {
  const Plan plan = Parse(R"j({"rule":"all","stages":[{"kind":"gray","percent":0.000001},
    {"kind":"full"}]})j");
  target::Attributes device;
  device.device_id = "d1";
  EXPECT_THAT(Includes(plan, 0, device, "s").reason, HasSubstr("the stage takes 0.000001 percent"));
  device.device_id.clear();
  EXPECT_THAT(Includes(plan, 0, device, "s").reason, HasSubstr("id is not known"));
  EXPECT_TRUE(Includes(plan, 1, device, "s").matches);
}

TEST(Plan, Bad) {
  const std::pair<const char*, const char*> cases[] = {
      {R"j([])j", "a plan is a JSON object"},
      {R"j({"stages":[]})j", "rule"},
      {R"j({"rule":"os","stages":[{"kind":"full"}]})j", "rule: line 1"},
      {R"j({"rule":"all","stages":[]})j", "without stages"},
      {R"j({"rule":"all","stages":[{"kind":"slow"}]})j", "stage 1: there is no kind \"slow\""},
      {R"j({"rule":"all","stages":[{"kind":"beta","who":"tag("},{"kind":"full"}]})j",
       "stage 1: who"},
      {R"j({"rule":"all","stages":[{"kind":"gray","percent":120},{"kind":"full"}]})j", "percent"},
      {R"j({"rule":"all","stages":[{"kind":"gray","percent":0},{"kind":"full"}]})j", "between 0"},
      {R"j({"rule":"all","stages":[{"kind":"gray","percent":20},{"kind":"gray","percent":20},
         {"kind":"full"}]})j",
       "stage 2"},
      {R"j({"rule":"all","stages":[{"kind":"full"},{"kind":"gray","percent":5}]})j",
       "the order is"},
      {R"j({"rule":"all","stages":[{"kind":"simulation"}]})j", "the last stage must be full"},
      {R"j({"rule":"all","stages":[{"kind":"simulation"},{"kind":"simulation","name":"b"},
         {"kind":"full"}]})j",
       "one of its kind"},
      {R"j({"rule":"all","stages":[{"kind":"full","min_healthy_ms":-1}]})j", "min_healthy_ms"},
      {R"j({"rule":"all","stages":[{"kind":"full","hurry":true}]})j", "no member \"hurry\""},
      {R"j({"rule":"all","stages":[{"kind":"full","control":95}]})j", "control is not from 0"},
      {R"j({"rule":"all","stages":[{"kind":"full","control":101}]})j", "control 101 is not"},
      {R"j({"rule":"all","stages":[{"kind":"simulation","control":5},{"kind":"full"}]})j",
       "no devices to hold back"},
      {R"j({"rule":"all","stages":[{"kind":"full","max_time_ratio":2}]})j",
       "belong to a simulation"},
      {R"j({"rule":"all","stages":[{"kind":"full","same_outputs":true}]})j",
       "belong to a simulation"},
      {R"j({"rule":"all","stages":[{"kind":"simulation","max_time_ratio":0},{"kind":"full"}]})j",
       "stage 1: max_time_ratio 0 is not above 0"},
      {R"j({"rule":"all","stages":[{"kind":"simulation","max_time_ratio":1001},{"kind":"full"}]})j",
       "max_time_ratio is not from 0.1 to 1000"},
      {R"j({"rule":"all","stages":[{"kind":"simulation","max_memory_ratio":0.01},
         {"kind":"full"}]})j",
       "max_memory_ratio is not from 0.1 to 1000"},
      {R"j({"rule":"all","stages":[{"kind":"simulation","max_memory_ratio":"2"},
         {"kind":"full"}]})j",
       "max_memory_ratio"},
      {R"j({"rule":"all","stages":[{"kind":"simulation","same_outputs":1},{"kind":"full"}]})j",
       "same_outputs"},
      {R"j({"rule":"all","stages":[{"kind":"beta","who":"all","name":"x"},
         {"kind":"full","name":"x"}]})j",
       "name is taken"}};
  for (const auto& [text, part] : cases) {
    auto json = ParseJson(text);
    ASSERT_TRUE(json.ok()) << text;
    auto plan = PlanFromJson(*json);
    ASSERT_FALSE(plan.ok()) << text;
    EXPECT_THAT(plan.status().message(), HasSubstr(part));
  }
  Json stages = Json::array();
  for (size_t k = 0; k + 1 < kMaxStages; ++k)
    stages.push_back({{"kind", "gray"}, {"percent", 1 + static_cast<int>(k)}});
  stages.push_back({{"kind", "full"}});
  EXPECT_TRUE(PlanFromJson({{"rule", "all"}, {"stages", stages}}).ok());
  stages.insert(stages.begin(), Json{{"kind", "simulation"}});
  EXPECT_EQ(PlanFromJson({{"rule", "all"}, {"stages", stages}}).code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::stage
