// Two people, and the log of who did what, over real loopback HTTP.
#include "cloud-server/admin/rights/approvals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "cloud-server/admin/rights/test_rights.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

struct TwoFixture : RightsFixture {
  TwoFixture() {
    Add("rolf", "releaser");
    Add("anna", "approver");
    Add("ada", "admin");
    rolf = TokenOf("rolf");
    anna = TokenOf("anna");
    ada = TokenOf("ada");
    EXPECT_EQ(Call(token, "PUT", "/approval-policy", {{"packages", {"dig*"}}}).first, 200);
  }
  Json Digits() {
    return {{"package", "digits"},
            {"version", "1.0.0"},
            {"rule", "all"},
            {"stages", {{{"kind", "full"}}}}};
  }
  // The id of the request that the call waits for.
  std::string Asked(const std::string& who, const std::string& path,
                    const Json& body = Json::object()) {
    const auto [status, answer] = Call(who, "POST", path, body);
    EXPECT_EQ(status, 409) << TextOf(answer);
    return answer.value("approval", "");
  }
  std::string StateOfRelease(const std::string& at) {
    return Call(token, "GET", at).second.value("state", "");
  }
  std::vector<AuditRow> Log() {
    std::vector<AuditRow> rows;
    EXPECT_TRUE(store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(rows, tx.audit().List({}, 1000));
                      return OkStatus();
                    })
                    .ok());
    return rows;
  }
  std::string rolf, anna, ada;
};

TEST(Approvals, AStartWaitsForAnotherAndIsCarriedOutOnce) {
  TwoFixture fixture;
  const auto [made, release] = fixture.Call(fixture.rolf, "POST", "/releases", fixture.Digits());
  ASSERT_EQ(made, 200) << "a draft reaches nobody";
  const std::string at = "/releases/" + release["id"].get<std::string>();
  const std::string id = fixture.Asked(fixture.rolf, at + "/start");
  ASSERT_FALSE(id.empty());
  EXPECT_EQ(fixture.StateOfRelease(at), "draft");
  EXPECT_EQ(fixture.Asked(fixture.rolf, at + "/start"), id) << "the same call asks once";
  const auto shown = fixture.Call(fixture.anna, "GET", "/approvals/" + id).second;
  EXPECT_EQ(shown["user"], "rolf");
  EXPECT_EQ(shown["path"], "/api/v1" + at + "/start");
  EXPECT_EQ(shown["state"], "open");
  EXPECT_EQ(fixture.Call(fixture.rolf, "POST", "/approvals/" + id + "/approve").first, 403);

  // Of many who agree at once one does it.
  std::atomic<int> done = 0, late = 0;
  std::vector<std::thread> people;
  for (int i = 0; i < 4; ++i)
    people.emplace_back([&] {
      const int status = fixture.Call(fixture.anna, "POST", "/approvals/" + id + "/approve").first;
      (status == 200 ? done : late) += 1;
    });
  for (std::thread& person : people) person.join();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(late, 3);
  EXPECT_EQ(fixture.StateOfRelease(at), "full");
  const auto after = fixture.Call(fixture.anna, "GET", "/approvals/" + id).second;
  EXPECT_EQ(after["state"], "done");
  EXPECT_EQ(after["decided_by"], "anna");
  const auto events = fixture.Call(fixture.anna, "GET", at).second["events"];
  EXPECT_THAT(TextOf(events), HasSubstr("rolf, approved by anna"));

  // Stopping what is in motion never waits.
  EXPECT_EQ(fixture.Call(fixture.rolf, "POST", at + "/pause").first, 200);
  fixture.Asked(fixture.rolf, at + "/resume");
  EXPECT_EQ(fixture.Call(fixture.rolf, "POST", at + "/rollback").first, 200);
}

TEST(Approvals, NobodyAgreesToHisOwnAndRightsAreLookedAtAgain) {
  TwoFixture fixture;
  Json started = fixture.Digits();
  started["start"] = true;
  const std::string own = fixture.Asked(fixture.ada, "/releases", started);
  EXPECT_EQ(fixture.Call(fixture.ada, "POST", "/approvals/" + own + "/approve").first, 403);
  const std::string id = fixture.Asked(fixture.rolf, "/releases", started);
  EXPECT_NE(id, own);
  // Who lost the role, asked in vain.
  EXPECT_EQ(fixture.Call(fixture.token, "PUT", "/users/rolf", {{"role", "viewer"}}).first, 200);
  EXPECT_EQ(fixture.Call(fixture.anna, "POST", "/approvals/" + id + "/approve").first, 403);
  EXPECT_EQ(fixture.Call(fixture.token, "PUT", "/users/rolf", {{"role", "releaser"}}).first, 200);
  EXPECT_EQ(
      fixture.Call(fixture.anna, "POST", "/approvals/" + own + "/reject", {{"why", "no"}}).first,
      200);
  EXPECT_EQ(fixture.Call(fixture.anna, "POST", "/approvals/" + own + "/approve").first, 409);
  EXPECT_EQ(fixture.Call(fixture.anna, "GET", "/approvals/" + own).second["reason"], "no");
  fixture.clock.now_ms += kApprovalLifeMs;
  EXPECT_EQ(fixture.Call(fixture.anna, "POST", "/approvals/" + id + "/approve").first, 409);
  EXPECT_EQ(fixture.Call(fixture.anna, "GET", "/approvals/" + id).second["state"], "expired");
}

TEST(Approvals, ThePolicyIsOfTwoPeopleItself) {
  TwoFixture fixture;
  const auto [status, answer] =
      fixture.Call(fixture.ada, "PUT", "/approval-policy", {{"packages", Json::array()}});
  EXPECT_EQ(status, 409) << TextOf(answer);
  const std::string id = answer.value("approval", "");
  EXPECT_EQ(fixture.Call(fixture.anna, "POST", "/approvals/" + id + "/approve").first, 200);
  Json started = fixture.Digits();
  started["start"] = true;
  EXPECT_EQ(fixture.Call(fixture.rolf, "POST", "/releases", started).first, 200);
}

TEST(Audit, EveryChangingCallHasARow) {
  TwoFixture fixture;
  const size_t before = fixture.Log().size();
  fixture.Add("vera", "viewer");  // not a call: no row
  const std::string vera = fixture.TokenOf("vera");
  EXPECT_EQ(fixture.Log().size(), before);
  EXPECT_EQ(fixture.Call(vera, "GET", "/status").first, 200);
  EXPECT_EQ(fixture.Call(vera, "POST", "/releases/preview", {{"rule", "all"}}).first, 200);
  EXPECT_EQ(fixture.Log().size(), before) << "nothing was changed";

  EXPECT_EQ(fixture.Call(fixture.rolf, "POST", "/releases", fixture.Digits()).first, 200);
  AuditEntry row = fixture.Log().back().entry;
  EXPECT_EQ(row.user, "rolf");
  EXPECT_EQ(row.source, "127.0.0.1");
  EXPECT_EQ(row.action, "POST /api/v1/releases");
  EXPECT_EQ(row.target, "digits/1.0.0");
  EXPECT_EQ(row.package, "digits");
  EXPECT_EQ(row.outcome, "done");
  EXPECT_EQ(row.time_ms, fixture.clock.now_ms);

  EXPECT_EQ(
      fixture.Call(fixture.rolf, "POST", "/releases/digits-1.0.0-1/pause", {{"why", "odd"}}).first,
      409);
  row = fixture.Log().back().entry;
  EXPECT_EQ(row.outcome, "failed") << "a draft cannot pause";
  EXPECT_EQ(row.target, "digits-1.0.0-1");
  EXPECT_EQ(fixture.Call(vera, "POST", "/devices/d1/block", {{"blocked", true}}).first, 403);
  row = fixture.Log().back().entry;
  EXPECT_EQ(row.outcome, "refused");
  EXPECT_EQ(row.user, "vera");
  EXPECT_THAT(row.reason, HasSubstr("needs the role releaser"));

  // Logins, right and wrong; the user is who was named.
  httplib::Client client = fixture.Client();
  const auto log_in = [&](const char* password) {
    const Json body = {{"user", "vera"}, {"password", password}};
    return client.Post("/api/v1/login", WriteJson(body), "application/json")->status;
  };
  EXPECT_EQ(log_in(kTestPassword), 200);
  EXPECT_EQ(fixture.Log().back().entry.outcome, "done");
  EXPECT_EQ(fixture.Log().back().entry.user, "vera");
  EXPECT_EQ(log_in("wrong"), 401);
  EXPECT_EQ(fixture.Log().back().entry.outcome, "refused");
  EXPECT_THAT(fixture.Log().back().entry.reason, testing::Not(HasSubstr("wrong horse")));

  // Strangers get a row a minute.
  const size_t strangers = fixture.Log().size();
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(fixture.Call("nothing", "POST", "/devices/d1/block").first, 401);
  EXPECT_EQ(fixture.Log().size(), strangers + 1);

  // A request, and the call that it became.
  const std::string id = fixture.Asked(fixture.rolf, "/releases/digits-1.0.0-1/start");
  EXPECT_EQ(fixture.Log().back().entry.outcome, "asked");
  EXPECT_EQ(fixture.Call(fixture.anna, "POST", "/approvals/" + id + "/approve").first, 200);
  const auto rows = fixture.Log();
  const AuditEntry &asked = rows.at(rows.size() - 2).entry, &agreed = rows.back().entry;
  EXPECT_EQ(asked.user, "rolf");
  EXPECT_EQ(asked.action, "POST /api/v1/releases/{id}/start");
  EXPECT_EQ(asked.reason, "approved by anna in " + id);
  EXPECT_EQ(agreed.user, "anna");

  const auto check = fixture.Call(vera, "GET", "/audit/verify").second;
  EXPECT_EQ(check["ok"], true) << TextOf(check);
  EXPECT_EQ(check["head"]["hash"], rows.back().hash);
  const auto found = fixture.Call(vera, "GET", "/audit?user=anna&limit=10").second;
  EXPECT_EQ(found["rows"].size(), 1u) << TextOf(found);
  EXPECT_EQ(found["rows"][0]["hash"], rows.back().hash);
  EXPECT_THAT(TextOf(fixture.Call(vera, "GET", "/audit?limit=1000").second),
              testing::Not(HasSubstr(kTestPassword)));
}

}  // namespace
}  // namespace ferry::server
