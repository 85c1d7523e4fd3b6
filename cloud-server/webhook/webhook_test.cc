#include "cloud-server/webhook/webhook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <thread>

#include "cloud-server/store/test_store.h"
#include "common/base/json.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

class HookClock : public sys::Clock {
 public:
  int64_t NowUnixMs() const override { return now_ms; }
  int64_t MonotonicNs() const override { return now_ms * 1'000'000; }
  int64_t now_ms = 1'767'225'600'000;
};

struct HookFixture {
  HookFixture() : store(*OpenTestStore()) {
    parts.store = store.get();
    parts.clock = &clock;
    parts.random = &random;
    parts.send = [this](const WebhookPost& post) -> Result<int> {
      sent.push_back(post);
      return answer;
    };
  }
  void Do(const Store::Body& body) {
    const Status done = store->Write(body);
    EXPECT_TRUE(done.ok()) << done.ToString();
  }
  void AddHook(const std::string& id, std::vector<std::string> events) {
    Do([&](Transaction& tx) -> Status {
      WebhookRow row{id, "http://127.0.0.1:1/x", events, "secret", "admin", 1, 0, 0, 0, ""};
      FERRY_ASSIGN_OR_RETURN(row.cursor, tx.webhooks().LastEvent());
      return tx.webhooks().Add(row);
    });
  }
  void AddEvent(const std::string& kind) {
    Do([&](Transaction& tx) { return tx.webhooks().AddEvent(clock.now_ms, kind, "{\"a\":1}"); });
  }
  std::vector<WebhookDeliveryRow> Deliveries(const std::string& id, bool dead = false) {
    std::vector<WebhookDeliveryRow> rows;
    Do([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(rows, tx.webhooks().Deliveries(id, dead, 100));
      return OkStatus();
    });
    return rows;
  }
  void Pass() {
    Webhooks hooks(parts);
    const Status passed = hooks.Pass();
    EXPECT_TRUE(passed.ok()) << passed.ToString();
  }
  HookClock clock;
  sys::SeededRandom random{3};
  std::unique_ptr<Store> store;
  Webhooks::Parts parts;
  std::vector<WebhookPost> sent;
  Result<int> answer = 200;
};

TEST(Webhook, TellsWhatIsWantedOnceAndInOrder) {
  HookFixture fixture;
  fixture.AddEvent("release.created");  // nobody listens yet: it is not queued
  fixture.AddHook("a", {"release.*"});
  fixture.AddHook("b", {"*"});
  for (const char* kind : {"release.started", "user.changed", "release.paused"})
    fixture.AddEvent(kind);
  fixture.Pass();
  std::vector<std::string> told;
  for (const WebhookPost& post : fixture.sent)
    told.push_back(post.delivery.substr(0, 2) + post.kind);
  EXPECT_THAT(told,
              testing::ElementsAre("a-release.started", "a-release.paused", "b-release.started",
                                   "b-user.changed", "b-release.paused"));
  const Result<Json> body = ParseJson(fixture.sent[0].body);
  ASSERT_TRUE(body.ok());
  EXPECT_EQ((*body)["kind"], "release.started");
  EXPECT_EQ((*body)["data"]["a"], 1);
  EXPECT_EQ((*body)["time_ms"], fixture.clock.now_ms);
  fixture.Pass();
  EXPECT_EQ(fixture.sent.size(), 5u);
  EXPECT_EQ(fixture.Deliveries("a").size(), 2u);
}

TEST(Webhook, TriesAgainWithBackOffAndGivesUpAfterADay) {
  HookFixture fixture;
  fixture.AddHook("a", {"*"});
  fixture.AddEvent("one");
  fixture.AddEvent("two");
  fixture.answer = Status(Code::kUnavailable, "nobody there");
  const int64_t began_ms = fixture.clock.now_ms;
  int64_t last_ms = began_ms;
  std::vector<int64_t> pauses;
  while (fixture.Deliveries("a").empty() && pauses.size() < 1000) {
    const size_t before = fixture.sent.size();
    fixture.Pass();
    if (fixture.sent.size() > before) {
      pauses.push_back(fixture.clock.now_ms - last_ms);
      last_ms = fixture.clock.now_ms;
    }
    fixture.clock.now_ms += 10'000;
  }
  EXPECT_GE(fixture.clock.now_ms - began_ms, kWebhookGiveUpMs);
  EXPECT_LE(fixture.clock.now_ms - began_ms, kWebhookGiveUpMs + 2 * kMostRetryMs);
  EXPECT_GT(pauses.size(), 15u);
  EXPECT_LT(pauses.size(), 60u);
  EXPECT_GE(pauses[1], kFirstRetryMs / 2);
  EXPECT_LE(pauses[1], kFirstRetryMs * 3 / 2 + 10'000);
  EXPECT_EQ(fixture.sent.back().kind, "two") << "an old one gets one try when its turn comes";
  const auto dead = fixture.Deliveries("a", true);
  ASSERT_EQ(dead.size(), 2u);
  EXPECT_THAT(dead[0].error, HasSubstr("nobody there"));

  // Told again, by the same names.
  fixture.answer = 204;
  const std::string name = fixture.sent.front().delivery;
  fixture.sent.clear();
  fixture.Do([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const int64_t count, tx.webhooks().Replay("a", began_ms));
    EXPECT_EQ(count, 2);
    return OkStatus();
  });
  fixture.Pass();
  ASSERT_EQ(fixture.sent.size(), 2u);
  EXPECT_EQ(fixture.sent[0].delivery, name);
}

TEST(Webhook, ARefusedEventDoesNotHoldTheOthersForADay) {
  HookFixture fixture;
  fixture.AddHook("a", {"*"});
  fixture.AddEvent("one");
  fixture.answer = 400;
  for (int hour = 0; hour < 3; ++hour) {
    for (int i = 0; i < 60; ++i) {
      fixture.Pass();
      fixture.clock.now_ms += 60'000;
    }
  }
  ASSERT_EQ(fixture.Deliveries("a", true).size(), 1u);
  EXPECT_EQ(fixture.Deliveries("a", true)[0].tries, kWebhookRefusals);
  fixture.AddEvent("two");
  fixture.answer = 200;
  fixture.Pass();
  EXPECT_EQ(fixture.sent.back().kind, "two");
  fixture.clock.now_ms += kWebhookKeepMs + 1;
  fixture.Pass();
  EXPECT_TRUE(fixture.Deliveries("a").empty()) << "a month later nobody asks";
}

// Release history and the audit log queue by themselves, with the change that they are about.
TEST(Webhook, ChangesQueueEventsInTheirTransaction) {
  HookFixture fixture;
  fixture.AddHook("a", {"*"});
  fixture.Do([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.packages().Put({"digits", "1.0.0", 1, std::string(64, 'a'), 1000, "", 5}));
    ReleaseRow release;
    release.id = "r1";
    release.package = "digits";
    release.version = "1.0.0";
    release.plan_json = "{}";
    release.settings_json = "{}";
    FERRY_TRY(tx.releases().Put(release));
    return tx.releases().AddEvent({"r1", 1, fixture.clock.now_ms, "paused", "looks \"odd\"", "{}"});
  });
  const auto entry = [&](const char* action, const char* outcome) {
    AuditEntry row;
    row.time_ms = fixture.clock.now_ms;
    row.action = action;
    row.outcome = outcome;
    EXPECT_TRUE(WriteAudit(*fixture.store, row).ok());
  };
  entry("POST /api/v1/packages", "done");
  entry("POST /api/v1/packages", "failed");
  entry("POST /api/v1/releases/{id}/start", "asked");
  entry("PUT /api/v1/users/{name}", "done");
  entry("POST /api/v1/login", "done");
  entry("POST /api/v1/approvals/{id}/approve", "done");
  const Status rolled_back = fixture.store->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.releases().AddEvent({"r1", 2, 1, "resumed", "", "{}"}));
    return Status(Code::kIo, "no");
  });
  EXPECT_FALSE(rolled_back.ok());
  fixture.Pass();
  std::vector<std::string> kinds;
  for (const WebhookPost& post : fixture.sent) kinds.push_back(post.kind);
  EXPECT_THAT(kinds, testing::ElementsAre("release.paused", "package.published", "approval.asked",
                                          "user.changed", "approval.approved"));
  EXPECT_THAT(fixture.sent[0].body, HasSubstr("\"package\":\"digits\""));
  EXPECT_THAT(fixture.sent[0].body, HasSubstr("looks \\\"odd\\\""));
}

TEST(WebhookPost, SignsAndKeepsItsLimits) {
  // HMAC-SHA-256, RFC 4231 case 2 has this key; the text is t.body.
  EXPECT_EQ(WebhookSignature("Jefe", 0, ""),
            "t=0,v1=" + ToHex(crypto::HmacSha256(AsBytes("Jefe"), AsBytes("0."))));
  httplib::Server server;
  std::string heard, signature, delivery;
  server.Post("/hook", [&](const httplib::Request& request, httplib::Response&) {
    heard = request.body;
    signature = request.get_header_value("Ferry-Signature");
    delivery = request.get_header_value("Ferry-Delivery");
  });
  server.Post("/away", [](const httplib::Request&, httplib::Response& response) {
    response.set_redirect("/hook");
  });
  server.Post("/much", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(std::string(2 * kMaxAnswerBytes, 'x'), "text/plain");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { server.listen_after_bind(); });
  WebhookPost post;
  post.secret = "s";
  post.body = "{\"x\":1}";
  post.delivery = "a-1";
  post.time_ms = 1'700'000'000'123;
  const auto send = [&](const std::string& path) {
    post.url = fmt::format("http://127.0.0.1:{}{}", port, path);
    return SendWebhook(post);
  };
  EXPECT_EQ(send("/hook").code(), Code::kPermissionDenied) << "loopback, unless it is allowed";
  EXPECT_EQ(heard, "");
  post.allow_private = true;
  EXPECT_EQ(send("/hook").value(), 200);
  EXPECT_EQ(heard, post.body);
  EXPECT_EQ(delivery, "a-1");
  EXPECT_EQ(signature, WebhookSignature("s", 1'700'000'000, post.body));
  heard.clear();
  EXPECT_EQ(send("/away").value(), 302);
  EXPECT_EQ(heard, "") << "it went where it was told";
  EXPECT_EQ(send("/much").code(), Code::kLimitExceeded);
  EXPECT_EQ(send("/none").value(), 404);
  server.stop();
  thread.join();
  EXPECT_EQ(send("/hook").code(), Code::kUnavailable);
}

TEST(WebhookPost, KnowsUrlsAndAddresses) {
  for (const char* bad :
       {"ftp://x/", "http://", "http://user:word@x/", "http://x:0/", "http://x:99999/", "x",
        "http://x/a b", "https://[::1/", "file:///etc/passwd", "http://x/\r\nA: b"})
    EXPECT_EQ(ParseWebhookUrl(bad).code(), Code::kInvalidArgument) << bad;
  const auto url = ParseWebhookUrl("https://[2001:db8::1]:8443/a?b=c");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->host, "2001:db8::1");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->path, "/a?b=c");
  EXPECT_EQ(ParseWebhookUrl("http://example.org?x")->path, "/?x");
  for (const char* address :
       {"127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1",
        "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1", "no"})
    EXPECT_TRUE(IsPrivateAddress(address)) << address;
  for (const char* address :
       {"8.8.8.8", "172.32.0.1", "192.169.0.1", "2606:4700::1111", "::ffff:8.8.8.8"})
    EXPECT_EQ(IsPrivateAddress(address), std::string(address) == "none") << address;
}

}  // namespace
}  // namespace ferry::server
