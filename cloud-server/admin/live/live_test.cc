// Live events: what readers are told, who may listen, and that who does not read is let go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "cloud-server/admin/live/changes.h"
#include "cloud-server/admin/live/hub.h"
#include "cloud-server/admin/rights/test_rights.h"
#include "cloud-server/rollout/new_release.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct LiveEvent {
  std::string id, kind;
  Json data;
};

// The events of a stream's text, as a browser reads them.
std::vector<LiveEvent> EventsOf(const std::string& text) {
  std::vector<LiveEvent> events;
  LiveEvent event;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) break;
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("id: ")) event.id = line.substr(4);
    if (line.starts_with("event: ")) event.kind = line.substr(7);
    if (line.starts_with("data: ")) event.data = *ParseJson(line.substr(6));
    if (line.empty() && !event.kind.empty()) events.push_back(std::exchange(event, {}));
  }
  return events;
}

// A reader as README.md tells them to be: it merges members, and events by their numbers.
struct NaiveReader {
  std::map<std::string, Json> things;
  std::string last_id;
  int resets = 0;
  void Read(const LiveEvent& event) {
    last_id = event.id;
    if (event.kind == "reset") {
      things.clear();
      ++resets;
      return;
    }
    const auto id = event.data.find("id");
    Json& thing = things[event.kind + (id == event.data.end() ? "" : id->get<std::string>())];
    if (thing.is_null()) thing = Json::object();
    if (event.data.contains("whole")) {
      const Json events = thing.contains("events") ? thing["events"] : Json::array();
      thing = {{"events", events}};
    }
    for (const auto& [key, value] : event.data.items()) {
      if (key == "whole") continue;
      if (value.is_null()) {
        thing.erase(key);
      } else if (key == "events" && thing.contains(key)) {
        for (const Json& one : value)
          if (thing[key].empty() || thing[key].back()["seq"] < one["seq"])
            thing[key].push_back(one);
      } else {
        thing[key] = value;
      }
    }
  }
};

TEST(LiveChanges, OnlyWhatDiffersIsTold) {
  const Json then = *ParseJson(
      R"({"id":"r","a":1,"b":{"c":2},"gone":3,"time_ms":5,"events":[{"seq":1},{"seq":2}]})");
  EXPECT_TRUE(DifferenceOf(then, then).empty());
  Json now = then;
  now["time_ms"] = 6;
  EXPECT_TRUE(DifferenceOf(then, now).empty());
  now["b"]["c"] = 4;
  now.erase("gone");
  now["new"] = 7;
  now["events"] = *ParseJson(R"([{"seq":2},{"seq":3}])");
  EXPECT_EQ(
      DifferenceOf(then, now),
      *ParseJson(R"({"id":"r","b":{"c":4},"gone":null,"new":7,"time_ms":6,"events":[{"seq":3}]})"));
}

TEST(LiveChanges, AReleaseIsToldWithoutItsMembers) {
  Json release = {{"id", "r"}, {"members", {1, 2}}, {"exclusive", {1}}, {"events", Json::array()}};
  for (int i = 0; i < 50; ++i) release["events"].push_back({{"seq", i}});
  TrimRelease(&release);
  EXPECT_FALSE(release.contains("members"));
  EXPECT_FALSE(release.contains("exclusive"));
  ASSERT_EQ(release["events"].size(), kLiveReleaseEvents);
  EXPECT_EQ(release["events"].back()["seq"], 49);
}

// Two hundred slices of three metrics, and the longest history: still little.
TEST(LiveChanges, AnUpdateOfALargeReleaseIsSmall) {
  Json release = {{"id", "digits-1.0.0-1"}, {"rule", std::string(200, 'r')}};
  for (int i = 0; i < 600; ++i)
    release["gates"].push_back({{"stage", "gray 25 %"},
                                {"metric", "latency_ms"},
                                {"slice", fmt::format("app_version=1.{}.0", i)},
                                {"control", 50'000},
                                {"decision", "continue"},
                                {"devices", 100'000},
                                {"failed", i},
                                {"healthy", 99'000},
                                {"pending", 1'000},
                                {"evidence", 1.0 / (i + 1)},
                                {"threshold", 80.0},
                                {"stop", false}});
  for (int i = 0; i < 500; ++i)
    release["events"].push_back({{"seq", i}, {"text", std::string(300, 'e')}, {"numbers", {1, 2}}});
  for (int i = 0; i < 10; ++i)
    release["stages"].push_back({{"kind", "gray"}, {"who", std::string(200, 'w')}, {"planned", i}});
  TrimRelease(&release);
  EXPECT_EQ(release["gates"].size(), kLiveGates);
  EXPECT_EQ(release["gates_left_out"], 500);
  EXPECT_EQ(release["gates"][0]["slice"], "app_version=1.0.0");
  const size_t bytes = EventText("0123456789ab-1000", "release", WholeOf(release)).size();
  EXPECT_LT(bytes, 50'000U);
  EXPECT_GT(bytes, 10'000U);
}

// Whoever is cut off anywhere and comes back with the id that it heard last ends where those are
// who heard all; whatever it missed.
TEST(LiveLog, WhoComesBackMissesNothing) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    LiveLog log("boot");
    std::map<std::string, Json> truth;
    NaiveReader constant, cut;
    std::vector<int64_t> seqs(6, 0);
    for (int step = 0; step < 200; ++step) {
      const size_t which = random() % seqs.size();
      const std::string id = fmt::format("r{}", which);
      Json& release = truth["release" + id];
      if (release.is_null()) release = {{"id", id}, {"events", Json::array()}};
      release[fmt::format("m{}", random() % 4)] = random() % 3;
      if (random() % 5 == 0) release.erase(fmt::format("m{}", random() % 4));
      if (random() % 2 == 0) release["events"].push_back({{"seq", ++seqs[which]}});
      std::string fresh;
      log.Tell("release", id, release, false, &fresh);
      for (const LiveEvent& event : EventsOf(fresh)) constant.Read(event);
      if (random() % 7 != 0) continue;
      std::vector<LiveEvent> greeting = EventsOf(log.Greeting(cut.last_id));
      const size_t heard = random() % 3 == 0 ? random() % (greeting.size() + 1) : greeting.size();
      greeting.resize(heard);
      for (const LiveEvent& event : greeting) cut.Read(event);
    }
    for (const LiveEvent& event : EventsOf(log.Greeting(cut.last_id))) cut.Read(event);
    EXPECT_EQ(constant.things, truth) << seed;
    EXPECT_EQ(cut.things, truth) << seed;
    EXPECT_EQ(cut.resets, 0) << seed;
  }
}

TEST(LiveLog, IdsOfElsewhereAreAnsweredByReset) {
  LiveLog log("boot");
  std::string fresh;
  log.Tell("status", "status", {{"devices", 1}}, false, &fresh);
  const std::string own = EventsOf(fresh)[0].id;
  EXPECT_EQ(log.Greeting(own), "");
  for (const std::string& other : {std::string("other-1"), own + "9", std::string("boot-"),
                                   std::string("boot--1"), std::string("x"), own + "x"}) {
    const std::vector<LiveEvent> events = EventsOf(log.Greeting(other));
    ASSERT_EQ(events.size(), 2U) << other;
    EXPECT_EQ(events[0].kind, "reset");
    EXPECT_EQ(events[1].data["devices"], 1);
  }
}

TEST(LiveLog, FinalReleasesAreForgottenInTheEnd) {
  LiveLog log("boot");
  std::string first;
  log.Tell("status", "status", {{"devices", 1}}, false, &first);
  const std::string begin = EventsOf(first)[0].id;
  std::string fresh;
  for (size_t i = 0; i <= kMaxLiveReleases; ++i) {
    if (i == kMaxLiveReleases) {
      EXPECT_EQ(EventsOf(log.Greeting(begin)).size(), kMaxLiveReleases);
    }
    log.Tell("release", fmt::format("r{}", i), {{"id", fmt::format("r{}", i)}}, true, &fresh);
  }
  // What it does not remember whole it does not tell in part.
  const std::vector<LiveEvent> events = EventsOf(log.Greeting(begin));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, "reset");
  EXPECT_EQ(EventsOf(log.Greeting("")).size(), 1U);
}

// Hears until `enough`; the text.
std::string Hear(RightsFixture& fixture, const httplib::Headers& headers,
                 const std::function<bool(const std::string&)>& enough) {
  httplib::Client client = fixture.Client();
  std::string heard;
  client.Get("/api/v1/live", headers, [&](const char* data, size_t size) {
    heard.append(data, size);
    return !enough(heard);
  });
  return heard;
}

std::string MakeRelease(RightsFixture& fixture) {
  NewRelease plan;
  plan.package = "digits";
  plan.version = "1.0.0";
  const Result<ReleaseRow> row = fixture.rollout->Create(plan);
  EXPECT_TRUE(row.ok()) << row.status().ToString();
  return row.ok() ? row->id : "";
}

TEST(Live, AReconnectHearsWhatChangedSince) {
  RightsFixture fixture;
  const auto has_verify = [](const std::string& text) {
    return text.find("event: verify") != std::string::npos && text.ends_with("\n\n");
  };
  const std::string first = Hear(fixture, fixture.Bearer(), has_verify);
  EXPECT_THAT(first, StartsWith("retry: "));
  const std::vector<LiveEvent> events = EventsOf(first);
  ASSERT_GE(events.size(), 2U);
  EXPECT_EQ(events[0].kind, "status");
  EXPECT_EQ(events[0].data["devices"], 6);
  EXPECT_FALSE(events[0].data.contains("releases"));
  const std::string id = MakeRelease(fixture);
  httplib::Headers again = fixture.Bearer();
  again.emplace("Last-Event-ID", events.back().id);
  const std::string second = Hear(fixture, again, [](const std::string& text) {
    return text.find("event: release") != std::string::npos && text.ends_with("\n\n");
  });
  EXPECT_THAT(second, HasSubstr(id));
  EXPECT_THAT(second, Not(HasSubstr("event: reset")));
  EXPECT_THAT(second, Not(HasSubstr("event: verify")));
  EXPECT_THAT(second, Not(HasSubstr("\"members\":[")));
  again = fixture.Bearer();
  again.emplace("Last-Event-ID", "0123-7");
  EXPECT_THAT(Hear(fixture, again, has_verify), HasSubstr("event: reset"));
}

// Connects and asks for live events; the socket.
int Listen(uint16_t port, const std::string& token) {
  const int line = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  timeval most{10, 0};
  setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
  EXPECT_EQ(connect(line, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  const std::string head =
      "GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n\r\n";
  EXPECT_EQ(send(line, head.data(), head.size(), 0), static_cast<ssize_t>(head.size()));
  return line;
}

std::string FirstLine(int line) {
  std::string text(4096, ' ');
  const ssize_t size = recv(line, text.data(), text.size(), 0);
  return size > 0 ? text.substr(0, text.find('\r')) : "";
}

// More streams than the door has workers: calls are answered, and so is each stream.
TEST(Live, StreamsHoldNoWorkers) {
  RightsFixture fixture;
  std::vector<int> lines;
  while (lines.size() < size_t{kHttpThreads} + 12) {
    const std::string token = *MakeAdminToken(fixture.options, "test");
    for (size_t i = 0; i < kMaxSessionStreams; ++i) {
      lines.push_back(Listen(fixture.server->port(), token));
      EXPECT_EQ(FirstLine(lines.back()), "HTTP/1.1 200 OK") << lines.size();
    }
    const int over = Listen(fixture.server->port(), token);
    EXPECT_EQ(FirstLine(over), "HTTP/1.1 503 Service Unavailable");
    close(over);
  }
  EXPECT_EQ(fixture.Client().Get("/api/v1/status", fixture.Bearer())->status, 200);
  const std::string id = MakeRelease(fixture);
  for (const int line : lines) {
    std::string heard, piece(65536, ' ');
    while (heard.find(id) == std::string::npos) {
      const ssize_t size = recv(line, piece.data(), piece.size(), 0);
      ASSERT_GT(size, 0) << "the stream ended, or was silent for 10 s";
      heard.append(piece, 0, static_cast<size_t>(size));
    }
    close(line);
  }
}

TEST(Live, WhoLeavesGivesItsPlaceBack) {
  RightsFixture fixture;
  for (int round = 0; round < 3; ++round) {
    std::vector<int> lines;
    for (size_t i = 0; i < kMaxSessionStreams; ++i) {
      std::string line;
      // The door hears of the last round's ends by and by.
      for (int tries = 0; tries < 50 && line != "HTTP/1.1 200 OK"; ++tries) {
        if (tries > 0) usleep(50'000);
        const int made = Listen(fixture.server->port(), fixture.token);
        line = FirstLine(made);
        if (line == "HTTP/1.1 200 OK") {
          lines.push_back(made);
        } else {
          close(made);
        }
      }
      ASSERT_EQ(line, "HTTP/1.1 200 OK") << round << " " << i;
    }
    for (const int line : lines) close(line);
  }
}

// What nobody reads is not kept: the queue of one reader has an end, and others do not wait.
TEST(Live, ASlowReaderIsLetGo) {
  std::shared_ptr<Push> push;
  std::atomic<bool> begun{false};
  const auto server = *HttpServer::Start({}, [&](const HttpRequest&) {
    HttpResponse response;
    response.push = [&](std::shared_ptr<Push> made) {
      push = std::move(made);
      begun = true;
    };
    return response;
  });
  const int line = Listen(server->port(), "x");
  while (!begun) usleep(1'000);
  const auto piece = std::make_shared<const std::string>(64 << 10, 'x');
  size_t sent = 0;
  // The sockets' buffers take some megabytes.
  for (; sent < 4000 && push->Send(piece); ++sent) usleep(100);
  EXPECT_LT(sent, 4000U);
  EXPECT_FALSE(push->open());
  EXPECT_FALSE(push->Send(piece));
  // The connection ends, though its write was stuck.
  std::string read(1 << 20, ' ');
  ssize_t size = 1;
  while (size > 0) size = recv(line, read.data(), read.size(), 0);
  EXPECT_TRUE(size == 0 || errno == ECONNRESET) << errno;
  close(line);
}

TEST(Live, AReaderWhoReadsAllGetsAll) {
  std::shared_ptr<Push> push;
  std::atomic<bool> begun{false};
  const auto server = *HttpServer::Start({}, [&](const HttpRequest&) {
    HttpResponse response;
    response.push = [&](std::shared_ptr<Push> made) {
      push = std::move(made);
      begun = true;
    };
    return response;
  });
  const int line = Listen(server->port(), "x");
  while (!begun) usleep(1'000);
  std::string wanted;
  std::thread sender([&] {
    for (int i = 0; i < 300; ++i) {
      const std::string text = fmt::format("<{}:{}>", i, std::string(static_cast<size_t>(i), 'y'));
      wanted += text;
      EXPECT_TRUE(push->Send(std::make_shared<const std::string>(text)));
    }
  });
  sender.join();
  std::string heard, piece(65536, ' ');
  while (heard.find("<299:") == std::string::npos || !heard.ends_with(">\r\n")) {
    const ssize_t size = recv(line, piece.data(), piece.size(), 0);
    ASSERT_GT(size, 0);
    heard.append(piece, 0, static_cast<size_t>(size));
  }
  // Chunks: a size in hex, the bytes.
  std::string body;
  for (size_t at = heard.find("\r\n\r\n") + 4; at < heard.size();) {
    const size_t end = heard.find("\r\n", at);
    const size_t size = std::stoul(heard.substr(at, end - at), nullptr, 16);
    body += heard.substr(end + 2, size);
    at = end + 2 + size + 2;
  }
  EXPECT_TRUE(body == wanted);
  push->Close();
  EXPECT_EQ(recv(line, piece.data(), piece.size(), 0), 0);
  close(line);
}

// Whoever has the queue may keep it longer than the server lives.
TEST(Live, AServerEndsBesideItsStreams) {
  std::shared_ptr<Push> push;
  std::atomic<bool> begun{false};
  auto server = *HttpServer::Start({}, [&](const HttpRequest&) {
    HttpResponse response;
    response.push = [&](std::shared_ptr<Push> made) {
      push = std::move(made);
      begun = true;
    };
    return response;
  });
  const int line = Listen(server->port(), "x");
  while (!begun) usleep(1'000);
  std::atomic<bool> done{false};
  std::thread sender([&] {
    const auto piece = std::make_shared<const std::string>(100, 'x');
    while (!done) push->Send(piece);
  });
  std::thread reader([&] {
    std::string read(1 << 16, ' ');
    while (recv(line, read.data(), read.size(), 0) > 0) {
    }
  });
  usleep(50'000);
  server.reset();
  done = true;
  sender.join();
  EXPECT_FALSE(push->open());
  reader.join();
  close(line);
}

}  // namespace
}  // namespace ferry::server
