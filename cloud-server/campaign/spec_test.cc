#include "cloud-server/campaign/spec.h"

#include <gmock/gmock.h>

#include "policy/stage/plan.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

Json Good() {
  return *ParseJson(R"({"name":"autumn","start":"2026-12-01T02:00:00Z",
    "deadline":"2026-12-08T02:00:00Z","on_stop":"rollback_all",
    "rate":{"per_minute":10,"factor":2,"after_succeeded":50,"max_per_minute":1000},
    "when":{"windows":[{"days":["sat"],"from":"22:00","to":"06:00"}],"charging":true},
    "releases":[
      {"package":"base","version":"1.0.0","rule":"os == \"android\"","stages":[{"kind":"full"}]},
      {"package":"digits","version":"2.0.0","after":"first_stage","rate":{"per_minute":3},
       "when":{"idle":true,"deadline_ms":5},"retries":{"count":2}}]})");
}

TEST(CampaignSpec, IsReadWithWhatTheCampaignSaysForAll) {
  const auto spec = SpecFromJson(Good());
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->name, "autumn");
  EXPECT_EQ(spec->deadline_ms - spec->start_ms, 7 * int64_t{86'400'000});
  EXPECT_EQ(spec->on_stop, OnStop::kRollbackAll);
  ASSERT_EQ(spec->releases.size(), 2u);
  const auto base = stage::PlanFromJson(spec->releases[0].release.plan);
  EXPECT_EQ(base->rate->max_per_minute, 1000);
  EXPECT_TRUE(base->when.charging);
  EXPECT_EQ(base->when.deadline_ms, spec->deadline_ms);
  EXPECT_EQ(base->retries.count, 0);
  EXPECT_EQ(spec->releases[1].after, After::kFirstStage);
  const auto digits = stage::PlanFromJson(spec->releases[1].release.plan);
  EXPECT_EQ(digits->rate->per_minute, 3) << "its own instead";
  EXPECT_FALSE(digits->when.charging);
  EXPECT_EQ(digits->when.deadline_ms, 5) << "the earlier one";
  EXPECT_EQ(digits->retries.count, 2);
  EXPECT_EQ(digits->rule_text, "all");
  EXPECT_FALSE(digits->stages.empty()) << "the default ones";
}

TEST(CampaignSpec, BadFilesAreRefusedByName) {
  struct Bad {
    const char* pointer;
    Json value;
    Code code;
    const char* part;
  };
  const std::vector<Bad> all = {
      {"/name", "two words", Code::kInvalidArgument, "name \"two words\""},
      {"/name", "", Code::kInvalidArgument, "name \"\""},
      {"/name", std::string(65, 'a'), Code::kInvalidArgument, "1 to 64"},
      {"/names", 1, Code::kMalformed, "no member \"names\""},
      {"/start", "tomorrow", Code::kMalformed, "start"},
      {"/start", 7, Code::kMalformed, "start"},
      {"/deadline", "2026-12-01T02:00:00Z", Code::kInvalidArgument, "not after the start"},
      {"/on_stop", "cry", Code::kInvalidArgument, "on_stop \"cry\""},
      {"/releases", Json::array(), Code::kInvalidArgument, "releases: there is none"},
      {"/releases", Json::object(), Code::kMalformed, "releases"},
      {"/releases/0", 3, Code::kMalformed, "releases[0]: it is no object"},
      {"/releases/1/after", "lunch", Code::kInvalidArgument, "releases[1]: after \"lunch\""},
      {"/releases/1/pakage", "x", Code::kMalformed, "releases[1]: there is no member \"pakage\""},
      {"/releases/0/version", nullptr, Code::kMalformed, "releases[0]: "},
      {"/releases/0/rule", "os = 3", Code::kBadRule, "releases[0]: rule: "},
      {"/releases/0/stages/0/kind", "moon", Code::kMalformed, "releases[0]: stage 1: "},
      {"/releases/1/rate/per_minute", 0, Code::kInvalidArgument, "releases[1]: rate: per_minute"},
      {"/rate", 3, Code::kMalformed, "releases[0]: "},
      {"/when/windows/0/from", "9", Code::kMalformed, "releases[0]: when: windows[0]: from \"9\""},
      {"/releases/1/retries/count", 99, Code::kInvalidArgument, "releases[1]: retries: count 99"},
      {"/releases/1/gate", {{"alpha", 7}}, Code::kInvalidArgument, "releases[1]: gate: "},
      {"/releases/1/package", "base", Code::kInvalidArgument, "releases[1].after: base has an"}};
  for (const Bad& bad : all) {
    Json json = Good();
    json[Json::json_pointer(bad.pointer)] = bad.value;
    const auto spec = SpecFromJson(json);
    EXPECT_EQ(spec.code(), bad.code) << bad.pointer << ": " << spec.status().ToString();
    EXPECT_THAT(spec.status().message(), HasSubstr(bad.part)) << bad.pointer;
  }
  EXPECT_EQ(SpecFromJson(Json::array()).code(), Code::kMalformed);
}

TEST(CampaignSpec, Limits) {
  Json json = Good();
  Json& releases = json["releases"];
  while (releases.size() < kMaxCampaignReleases) releases.push_back(releases[0]);
  EXPECT_TRUE(SpecFromJson(json).ok());
  releases.push_back(releases[0]);
  EXPECT_EQ(SpecFromJson(json).code(), Code::kLimitExceeded);
  json = Good();
  json["releases"][0]["salt"] = std::string(kMaxCampaignBytes, 'x');
  EXPECT_EQ(SpecFromJson(json).code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::server
