// If-Match and Idempotency-Key over real loopback HTTP, and undoing a change of many devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "cloud-server/admin/interface/edits.h"
#include "cloud-server/admin/interface/repeats.h"
#include "cloud-server/admin/rights/test_rights.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

struct ConventionsFixture : RightsFixture {
  httplib::Result Ask(const std::string& method, const std::string& path, const Json& body,
                      httplib::Headers headers = {}, const std::string& bearer = {}) {
    httplib::Client client = Client();
    headers.emplace("Authorization", "Bearer " + (bearer.empty() ? token : bearer));
    httplib::Request request;
    request.method = method;
    request.path = "/api/v1" + path;
    request.headers = std::move(headers);
    if (!body.is_null()) request.body = WriteJson(body);
    return client.send(request);
  }
  std::string Tag(const std::string& path) {
    return Ask("GET", path, Json())->get_header_value("ETag");
  }
};

TEST(Conventions, TagsAreOfListsAndStars) {
  EXPECT_TRUE(MatchesTag("\"a\", \"b\"", "\"b\""));
  EXPECT_TRUE(MatchesTag("*", "\"b\""));
  EXPECT_FALSE(MatchesTag("\"a\"", "\"b\""));
  EXPECT_FALSE(MatchesTag("W/\"b\"", "\"b\""));
  EXPECT_FALSE(MatchesTag("", "\"b\""));
  EXPECT_NE(TagOfThing({{"a", 1}}), TagOfThing({{"a", 2}}));
}

// The second of two editors is told, sees what there is, and overwrites nothing.
TEST(Conventions, AnEditOfWhatChangedMeanwhileIsRefused) {
  ConventionsFixture door;
  door.Add("vera", "releaser");
  ASSERT_EQ(door.Ask("POST", "/groups", {{"name", "phones"}, {"rule", "all"}})->status, 200);
  const struct {
    const char* path;
    Json first, second;
  } edits[] = {
      {"/groups/phones", {{"rule", "os == \"ios\""}}, {{"rule", "os == \"linux\""}}},
      {"/users/vera", {{"role", "viewer"}}, {{"disabled", true}}},
      {"/devices/d1/tags", {{"tags", {"eu"}}}, {{"tags", {"us"}}}},
      {"/approval-policy", {{"packages", {"x"}}}, {{"packages", {"y"}}}},
  };
  for (const auto& edit : edits) {
    const std::string tag = door.Tag(edit.path);
    EXPECT_EQ(tag.size(), 34u) << edit.path;
    const httplib::Result first = door.Ask("PUT", edit.path, edit.first, {{"If-Match", tag}});
    EXPECT_EQ(first->status, 200) << edit.path << first->body;
    EXPECT_EQ(first->get_header_value("ETag"), door.Tag(edit.path)) << edit.path;
    const httplib::Result second = door.Ask("PUT", edit.path, edit.second, {{"If-Match", tag}});
    EXPECT_EQ(second->status, 412) << edit.path << second->body;
    const Json refused = *ParseJson(second->body);
    EXPECT_EQ(refused["error"]["name"], "failed_precondition");
    EXPECT_EQ(refused["error"]["next"], "reload");
    for (const auto& [key, value] : edit.first.items())
      EXPECT_EQ(refused["current"][key], value) << edit.path;
    // With what it was shown it may; of the policy, two people have to agree by now.
    if (edit.path == std::string("/approval-policy")) continue;
    EXPECT_EQ(
        door.Ask("PUT", edit.path, edit.second, {{"If-Match", second->get_header_value("ETag")}})
            ->status,
        200)
        << edit.path;
  }
  EXPECT_EQ(door.Ask("DELETE", "/groups/phones", Json(), {{"If-Match", "\"old\""}})->status, 412);
  EXPECT_EQ(door.Ask("DELETE", "/groups/phones", Json(), {{"If-Match", "*"}})->status, 200);
  EXPECT_EQ(door.Ask("PUT", "/groups/phones", {{"rule", "all"}}, {{"If-Match", "*"}})->status, 404);
}

TEST(Conventions, OfManyEditorsAtOnceOneWins) {
  ConventionsFixture door;
  ASSERT_EQ(door.Ask("POST", "/groups", {{"name", "g"}, {"rule", "all"}})->status, 200);
  const std::string tag = door.Tag("/groups/g");
  std::atomic<int> won = 0, refused = 0;
  std::vector<std::thread> editors;
  for (int i = 0; i < 8; ++i)
    editors.emplace_back([&, i] {
      const int status =
          door.Ask("PUT", "/groups/g", {{"rule", fmt::format("app_version < \"{}.0.0\"", i)}},
                   {{"If-Match", tag}})
              ->status;
      ++(status == 200 ? won : refused);
    });
  for (std::thread& editor : editors) editor.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(refused, 7);
}

TEST(Conventions, ACallWithAKeyIsCarriedOutOnce) {
  ConventionsFixture door;
  const Json body = {{"package", "digits"}, {"version", "1.0.0"}, {"rule", "all"}};
  const httplib::Headers key = {{"Idempotency-Key", "abc-1"}};
  const httplib::Result first = door.Ask("POST", "/releases", body, key);
  ASSERT_EQ(first->status, 200) << first->body;
  const httplib::Result again = door.Ask("POST", "/releases", body, key);
  EXPECT_EQ(again->status, 200);
  EXPECT_EQ(again->body, first->body);
  EXPECT_EQ(again->get_header_value("Idempotency-Replayed"), "true");
  EXPECT_EQ((*ParseJson(door.Ask("GET", "/releases", Json())->body))["releases"].size(), 1u);
  // Another call with the key, another user, and after a day.
  Json other = body;
  other["rule"] = "os == \"ios\"";
  const httplib::Result clash = door.Ask("POST", "/releases", other, key);
  EXPECT_EQ(clash->status, 422);
  EXPECT_THAT(clash->body, HasSubstr("invalid_argument"));
  door.Add("vera", "releaser");
  EXPECT_EQ(door.Ask("POST", "/groups", {{"name", "x"}}, key, door.TokenOf("vera"))->status, 200);
  door.clock.now_ms += kAnswerLifeMs + 1;
  EXPECT_EQ(door.Ask("POST", "/groups", {{"name", "y"}}, key)->status, 200);
}

TEST(Conventions, AFailureIsAnsweredAgainToo) {
  ConventionsFixture door;
  const httplib::Headers key = {{"Idempotency-Key", "k"}};
  const Json body = {{"name", "g"}, {"devices", {"d1"}}};
  ASSERT_EQ(door.Ask("POST", "/groups", body)->status, 200);
  const httplib::Result first = door.Ask("POST", "/groups", body, key);
  EXPECT_EQ(first->status, 409);
  ASSERT_EQ(door.Ask("DELETE", "/groups/g", Json())->status, 200);
  const httplib::Result again = door.Ask("POST", "/groups", body, key);
  EXPECT_EQ(again->status, 409);
  EXPECT_EQ(again->body, first->body);
}

TEST(Conventions, SecretsAreNotKept) {
  ConventionsFixture door;
  const httplib::Headers key = {{"Idempotency-Key", "k"}};
  const httplib::Result first = door.Ask("POST", "/join-tokens", {{"uses", 1}}, key);
  ASSERT_EQ(first->status, 200);
  const httplib::Result again = door.Ask("POST", "/join-tokens", {{"uses", 1}}, key);
  EXPECT_EQ(again->status, 409);
  EXPECT_THAT(again->body, HasSubstr("its answer is not kept"));
  EXPECT_EQ((*ParseJson(door.Ask("GET", "/join-tokens", Json())->body))["join_tokens"].size(), 1u);
}

TEST(Conventions, OfManyCallsWithAKeyAtOnceOneIsCarriedOut) {
  ConventionsFixture door;
  std::vector<std::thread> callers;
  std::atomic<int> done = 0, waiting = 0;
  for (int i = 0; i < 8; ++i)
    callers.emplace_back([&] {
      const int status = door.Ask("POST", "/releases",
                                  {{"package", "digits"}, {"version", "1.0.0"}, {"again", true}},
                                  {{"Idempotency-Key", "same"}})
                             ->status;
      ++(status == 200 ? done : waiting);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_GE(done, 1);
  EXPECT_EQ(done + waiting, 8);
  EXPECT_EQ((*ParseJson(door.Ask("GET", "/releases", Json())->body))["releases"].size(), 1u);
}

TEST(Conventions, KeysAreShortAndVisible) {
  ConventionsFixture door;
  for (const std::string& key : {std::string(129, 'k'), std::string("a b")})
    EXPECT_EQ(door.Ask("POST", "/groups", {{"name", "g"}}, {{"Idempotency-Key", key}})->status, 400)
        << key;
}

TEST(Conventions, ABulkChangeIsUndoneWhereItChangedSomething) {
  ConventionsFixture door;
  ASSERT_EQ(door.Ask("PUT", "/devices/d2/tags", {{"tags", {"lab"}}})->status, 200);
  const httplib::Result done =
      door.Ask("POST", "/devices/bulk", {{"filter", "all"}, {"action", "tag"}, {"tag", "lab"}});
  ASSERT_EQ(done->status, 200) << done->body;
  EXPECT_EQ((*ParseJson(done->body))["changed"], 5);
  const auto undo = (*ParseJson(done->body))["undo"].get<std::string>();
  const auto tagged = [&] {
    return (*ParseJson(
        door.Ask("GET", "/devices?filter=tag(%22lab%22)&total=1", Json())->body))["total"];
  };
  EXPECT_EQ(tagged(), 6);
  door.Add("vera", "releaser");
  EXPECT_EQ(
      door.Ask("POST", "/devices/bulk/" + undo + "/undo", Json::object(), {}, door.TokenOf("vera"))
          ->status,
      403);
  const httplib::Result undone =
      door.Ask("POST", "/devices/bulk/" + undo + "/undo", Json::object());
  EXPECT_EQ((*ParseJson(undone->body))["changed"], 5) << undone->body;
  EXPECT_EQ(tagged(), 1);
  EXPECT_EQ(door.Ask("POST", "/devices/bulk/" + undo + "/undo", Json::object())->status, 409);
}

TEST(Conventions, ABulkChangeStaysWithinTheCallersGroups) {
  ConventionsFixture door;
  door.Add("eva", "releaser", {"*"}, {"eu"});
  ASSERT_EQ(door.Ask("PUT", "/devices/d3/tags", {{"tags", {"eu/de"}}})->status, 200);
  const std::string eva = door.TokenOf("eva");
  const httplib::Result blocked =
      door.Ask("POST", "/devices/bulk", {{"filter", "all"}, {"action", "block"}}, {}, eva);
  const Json answer = *ParseJson(blocked->body);
  EXPECT_EQ(answer["matched"], 1);
  EXPECT_EQ(answer["out_of_scope"], 5);
  EXPECT_EQ(answer["devices"], Json::array({"d3"}));
  EXPECT_EQ(door.Ask("POST", "/devices/bulk", {{"filter", "all"}, {"action", "tag"}, {"tag", "us"}},
                     {}, eva)
                ->status,
            403);
}

}  // namespace
}  // namespace ferry::server
