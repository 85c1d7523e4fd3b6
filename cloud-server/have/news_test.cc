// MayHaveNews beside LookAt: what a look would give to a device that is no member yet is never
// missed.
#include "cloud-server/have/news.h"

#include <gtest/gtest.h>

#include <random>

#include "cloud-server/core/test_rows.h"

namespace ferry::server {
namespace {

constexpr int64_t kLookMs = 1'000'000;

Catalogue::Release MakeOf(const std::string& version, ReleaseState state, const std::string& rule,
                          int64_t stage, int64_t control = 0) {
  Catalogue::Release release;
  release.row = MakeRelease(rule).release;
  release.row.id = "digits-" + version + "-1";
  release.row.version = version;
  release.row.release_counter = version[0] - '0';
  release.row.state = state;
  release.row.stage = stage;
  release.plan = PlanOf(release.row).value();
  for (auto& one : release.plan.stages) one.control = static_cast<double>(control);
  return release;
}

Catalogue Of(std::vector<Catalogue::Release> releases) {
  Catalogue catalogue;
  catalogue.tenant = "default";
  catalogue.packages["digits"] = MakePackage({"1.0.0", "2.0.0", "3.0.0"});
  catalogue.packages["digits"].releases = std::move(releases);
  return catalogue;
}

const target::Attributes kBeta = AttributesOf(MakeDevice("d1", "high", "1.0.0", {"beta"}));
const target::Attributes kPlain = AttributesOf(MakeDevice("d2", "high", "1.0.0"));

TEST(MayHaveNews, AReleaseIsNewsToWhomItsStageTakes) {
  const Catalogue catalogue = Of({MakeOf("2.0.0", ReleaseState::kBeta, "all", 1),
                                  MakeOf("1.0.0", ReleaseState::kComplete, "all", 3)});
  EXPECT_TRUE(MayHaveNews(catalogue, kBeta, {{"digits", "1.0.0"}}));
  EXPECT_FALSE(MayHaveNews(catalogue, kPlain, {{"digits", "1.0.0"}}));
  EXPECT_TRUE(MayHaveNews(catalogue, kPlain, {}));
  EXPECT_FALSE(MayHaveNews(catalogue, kBeta, {{"digits", "2.0.0"}}));
}

TEST(MayHaveNews, WhatIsTakenBackIsNewsToWhoRunsIt) {
  for (const auto state :
       {ReleaseState::kRollingBack, ReleaseState::kRolledBack, ReleaseState::kKilled}) {
    const Catalogue catalogue =
        Of({MakeOf("2.0.0", state, "all", 3), MakeOf("1.0.0", ReleaseState::kComplete, "all", 3)});
    EXPECT_TRUE(MayHaveNews(catalogue, kPlain, {{"digits", "2.0.0"}}));
    EXPECT_FALSE(MayHaveNews(catalogue, kPlain, {{"digits", "1.0.0"}}));
  }
}

TEST(MayHaveNews, WhatIsNotUnderWayIsNoNews) {
  for (const auto state : {ReleaseState::kDraft, ReleaseState::kSimulating, ReleaseState::kStopped,
                           ReleaseState::kPaused, ReleaseState::kFailedSimulation}) {
    const Catalogue catalogue = Of({MakeOf("2.0.0", state, "all", 1)});
    EXPECT_FALSE(MayHaveNews(catalogue, kBeta, {})) << NameOf(state);
  }
}

TEST(MayHaveNews, NeverMissesWhatALookWouldGive) {
  std::mt19937_64 draw(5);
  const std::vector<ReleaseState> states = {
      ReleaseState::kDraft,      ReleaseState::kBeta,        ReleaseState::kGray,
      ReleaseState::kFull,       ReleaseState::kComplete,    ReleaseState::kPaused,
      ReleaseState::kRolledBack, ReleaseState::kRollingBack, ReleaseState::kStopped,
      ReleaseState::kSuperseded, ReleaseState::kKilled};
  int given = 0, told = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<Catalogue::Release> releases;
    for (const char* version : {"3.0.0", "2.0.0", "1.0.0"}) {
      if (draw() % 4 == 0) continue;
      const char* rule = draw() % 3 == 0 ? "tag(\"beta\")" : "all";
      releases.push_back(MakeOf(version, states[draw() % states.size()], rule,
                                1 + static_cast<int64_t>(draw() % 3), draw() % 4 == 0 ? 50 : 0));
    }
    const Catalogue catalogue = Of(std::move(releases));
    DeviceView view;
    view.device = MakeDevice("d" + std::to_string(draw() % 50), "high", "1.0.0");
    if (draw() % 2 == 0) view.device.tags = {"beta"};
    view.device.tenant = catalogue.tenant;
    view.device.reads_desired = true;
    std::map<std::string, std::string> running;
    if (const auto has = draw() % 4; has != 0) {
      running["digits"] = std::to_string(has) + ".0.0";
      view.installed["digits"] = {view.device.id, "digits", running["digits"], "", false};
    }
    const Look look = LookAt(catalogue, view, kLookMs);
    const AssignmentRow row = look.assignment.value_or(AssignmentRow());
    const auto wanted = PackagesOf(row).value();
    const bool differs = wanted.contains("digits") &&
                         wanted.at("digits").version != running["digits"] &&
                         wanted.at("digits").state == trust::DesiredState::kRun;
    const bool news = MayHaveNews(catalogue, AttributesOf(view.device), running);
    given += differs ? 1 : 0;
    told += news ? 1 : 0;
    // A version above what any look would take it from is not gone below by a look alone.
    if (!differs) continue;
    const std::string& version = wanted.at("digits").version;
    ASSERT_TRUE(news || version < running["digits"])
        << i << " has " << running["digits"] << ", shall have " << version;
  }
  EXPECT_GT(given, 1'000);
  EXPECT_LT(told, 15'000);
}

}  // namespace
}  // namespace ferry::server
