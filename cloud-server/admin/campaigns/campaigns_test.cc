// Who may start and stop campaigns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/admin/rights/test_rights.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

Json CampaignOf(std::vector<std::string> packages) {
  Json spec = {{"name", "autumn"}, {"start", "2099-01-01T00:00:00Z"}};
  for (const std::string& package : packages)
    spec["releases"].push_back(
        {{"package", package}, {"version", "1.0.0"}, {"rule", "os == \"android\""}});
  return spec;
}

TEST(CampaignRights, EveryPackageMustBeInScope) {
  RightsFixture fixture;
  fixture.Add("sums", "releaser", {"sums*"});
  fixture.Add("dig", "releaser", {"dig*"});
  const std::string sums = fixture.TokenOf("sums"), dig = fixture.TokenOf("dig");
  for (const Json& spec : {CampaignOf({"digits"}), CampaignOf({"sums", "digits"})}) {
    const auto [status, answer] = fixture.Call(sums, "POST", "/campaigns", spec);
    EXPECT_EQ(status, 403);
    EXPECT_THAT(TextOf(answer), HasSubstr("package \\\"digits\\\" is not in the scope of sums"));
  }
  const auto [status, made] = fixture.Call(dig, "POST", "/campaigns", CampaignOf({"digits"}));
  ASSERT_EQ(status, 200) << TextOf(made);
  EXPECT_EQ(made["state"], "waiting");
  const std::string at = "/campaigns/" + made["id"].get<std::string>();
  for (const char* order : {"/pause", "/halt", "/kill", "/rollback"})
    EXPECT_EQ(fixture.Call(sums, "POST", at + order).first, 403) << order;
  EXPECT_EQ(fixture.Call(dig, "POST", at + "/halt", {{"why", "enough"}}).first, 200);
}

TEST(CampaignRights, WhoHasGroupsReachesThoseAlone) {
  RightsFixture fixture;
  fixture.Add("berlin", "releaser", {"*"}, {"eu/de"});
  fixture.Add("paris", "releaser", {"*"}, {"eu/fr"});
  const std::string berlin = fixture.TokenOf("berlin"), paris = fixture.TokenOf("paris");
  Json spec = CampaignOf({"digits"});
  spec.erase("start");
  spec["releases"][0]["stages"] = {{{"kind", "full"}}};
  const auto [status, made] = fixture.Call(berlin, "POST", "/campaigns", spec);
  ASSERT_EQ(status, 200) << TextOf(made);
  EXPECT_EQ(made["groups"], Json({"eu/de"}));
  const std::string release = made["releases"][0]["release"];
  EXPECT_EQ(fixture.Call(berlin, "GET", "/releases/" + release).second["rule"],
            "(tag(\"eu/de\")) and (os == \"android\")");
  const std::string at = "/campaigns/" + made["id"].get<std::string>();
  EXPECT_EQ(fixture.Call(paris, "POST", at + "/halt").first, 403);
  EXPECT_EQ(fixture.Call(paris, "POST", "/releases/" + release + "/halt").first, 403);
  EXPECT_EQ(fixture.Call(berlin, "POST", "/releases/" + release + "/halt").first, 200);
  const std::string all =
      fixture.Call(fixture.token, "POST", "/campaigns", CampaignOf({"digits"})).second["id"];
  EXPECT_EQ(fixture.Call(berlin, "POST", "/campaigns/" + all + "/halt").first, 403);
}

TEST(CampaignRights, TwoPeopleStartOne) {
  RightsFixture fixture;
  fixture.Add("rolf", "releaser");
  fixture.Add("anna", "approver");
  const std::string rolf = fixture.TokenOf("rolf"), anna = fixture.TokenOf("anna");
  EXPECT_EQ(fixture.Call(fixture.token, "PUT", "/approval-policy", {{"packages", {"dig*"}}}).first,
            200);
  const auto [status, answer] = fixture.Call(rolf, "POST", "/campaigns", CampaignOf({"digits"}));
  EXPECT_EQ(status, 409) << TextOf(answer);
  EXPECT_EQ(fixture.Call(rolf, "GET", "/campaigns").second["campaigns"].size(), 0u);
  const std::string id = answer["approval"];
  EXPECT_EQ(fixture.Call(anna, "POST", "/approvals/" + id + "/approve").first, 200);
  const Json campaigns = fixture.Call(rolf, "GET", "/campaigns").second["campaigns"];
  ASSERT_EQ(campaigns.size(), 1u);
  EXPECT_THAT(TextOf(campaigns[0]["by"]), HasSubstr("rolf, approved by anna"));
}

}  // namespace
}  // namespace ferry::server
