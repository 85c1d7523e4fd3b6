// The REST interface over real loopback HTTP. Most tests are texts: cases/*.txt, each a
// conversation with a server that holds six devices and one published package.
//
//   > METHOD PATH [as WHO]      a call; WHO is "admin" (unless told) or "nobody"
//   JSON                        its body, on lines up to the next "<"
//   < STATUS                    the expected status
//   JSON                        members that the answer must have with these values (objects are
//                               compared member by member, arrays item by item; "*" fits anything)
#include "cloud-server/admin/admin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cloud-server/admin/access.h"
#include "cloud-server/admin/http/reply.h"
#include "cloud-server/admin/login/password.h"
#include "cloud-server/admin/test_admin.h"
#include "cloud-server/rollout/new_release.h"
#include "common/base/json.h"
#include "common/trust/join.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

// Whether `found` has all that `expected` asks for; the difference in words otherwise.
std::string Difference(const Json& expected, const Json& found, const std::string& at) {
  if (expected == "*") return {};
  if (expected.is_object() && found.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      if (!found.contains(key)) return at + "." + key + " is missing";
      std::string difference = Difference(value, found[key], at + "." + key);
      if (!difference.empty()) return difference;
    }
    return {};
  }
  if (expected.is_array() && found.is_array() && expected.size() == found.size()) {
    for (size_t i = 0; i < expected.size(); ++i) {
      std::string difference = Difference(expected[i], found[i], fmt::format("{}[{}]", at, i));
      if (!difference.empty()) return difference;
    }
    return {};
  }
  if (expected == found) return {};
  return fmt::format("{}: expected {}, found {}", at, WriteJson(expected), WriteJson(found));
}

// Reads lines up to one that starts with `<` or `>`, which stays.
std::string Block(const std::vector<std::string>& lines, size_t* at) {
  std::string text;
  while (*at < lines.size() && !lines[*at].starts_with("<") && !lines[*at].starts_with(">")) {
    if (!lines[*at].starts_with("#")) text += lines[*at] + "\n";
    ++*at;
  }
  return text.find_first_not_of(" \n") == std::string::npos ? "" : text;
}

void RunCase(const std::filesystem::path& path) {
  SCOPED_TRACE(path.filename().string());
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  AdminFixture fixture;
  httplib::Client client = fixture.Client();
  size_t at = 0;
  int calls = 0;
  Block(lines, &at);
  while (at < lines.size()) {
    const size_t line = at + 1;
    std::istringstream head(lines[at++].substr(1));
    std::string method, target, as, who;
    head >> method >> target >> as >> who;
    const std::string body = Block(lines, &at);
    ASSERT_LT(at, lines.size()) << "line " << line << ": no answer follows";
    const int status = std::stoi(lines[at++].substr(1));
    const std::string expected_text = Block(lines, &at);
    httplib::Result answer =
        Send(client, method, target, who == "nobody" ? httplib::Headers() : fixture.Bearer(), body);
    ASSERT_TRUE(answer) << "line " << line << ": no answer";
    // Devices hear of what a call changed when they ask.
    for (const char* device : {"d1", "d2", "d3", "d4", "d5", "d6"})
      EXPECT_TRUE(fixture.rollout->Epoch(device).ok()) << device;
    EXPECT_EQ(answer->status, status) << "line " << line << ": " << answer->body;
    ++calls;
    if (expected_text.empty()) continue;
    Result<Json> expected = ParseJson(expected_text);
    Result<Json> found = ParseJson(answer->body);
    ASSERT_TRUE(expected.ok()) << "line " << line << ": " << expected.status().ToString();
    ASSERT_TRUE(found.ok()) << "line " << line << ": " << answer->body;
    EXPECT_EQ(Difference(*expected, *found, "answer"), "") << "line " << line;
  }
  EXPECT_GT(calls, 0);
}

TEST(AdminCases, AllConversations) {
  const std::filesystem::path folder = FERRY_SOURCE_DIR "/cloud-server/admin/cases";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    RunCase(entry.path());
    ++count;
  }
  EXPECT_GE(count, 5);
}

TEST(Admin, LogsInByOneTimePasswordOnce) {
  AdminFixture fixture;
  httplib::Client client = fixture.Client();
  const std::string password = *MakeOneTimePassword(fixture.options);
  const std::string body = WriteJson({{"password", password}});
  httplib::Result first = client.Post("/api/v1/login", body, "application/json");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->status, 200);
  Result<std::string> token = GetString(*ParseJson(first->body), "token");
  ASSERT_TRUE(token.ok());
  httplib::Headers headers = {{"Authorization", "Bearer " + *token}};
  EXPECT_EQ(client.Get("/api/v1/status", headers)->status, 200);
  EXPECT_EQ(client.Post("/api/v1/login", body, "application/json")->status, 401);
  EXPECT_EQ(client.Post("/api/v1/logout", headers, "", "application/json")->status, 200);
  EXPECT_EQ(client.Get("/api/v1/status", headers)->status, 401);
}

TEST(Admin, PasswordsExpireAndAreLimited) {
  AdminFixture fixture;
  EXPECT_EQ(SetAdminPassword(fixture.options, "short").code(), Code::kInvalidArgument);
  const std::string once = *MakeOneTimePassword(fixture.options);
  fixture.clock.now_ms += kOneTimePasswordLifeMs + 1;
  LoginTries tries;
  const auto log_in = [&](const std::string& password) {
    return LogIn(fixture.options, tries, "192.0.2.1", password).code();
  };
  EXPECT_EQ(log_in(once), Code::kUnauthenticated);
  for (int i = 1; i < kMaxLoginFailures; ++i) EXPECT_EQ(log_in("wrong"), Code::kUnauthenticated);
  ASSERT_TRUE(SetAdminPassword(fixture.options, "correct horse battery").ok());
  EXPECT_EQ(log_in("correct horse battery"), Code::kUnavailable);
  fixture.clock.now_ms += 60'000;
  for (int i = 0; i < 2 * kMaxLoginFailures; ++i)
    EXPECT_EQ(log_in("correct horse battery"), Code::kOk);
}

// Whoever guesses locks out himself, not who knows the password.
TEST(Admin, WrongPasswordsOfOneAddressLockNobodyElseOut) {
  AdminFixture fixture;
  ASSERT_TRUE(SetAdminPassword(fixture.options, "correct horse battery").ok());
  const auto log_in = [&](const char* from, const char* password) {
    httplib::Client client = fixture.Client();
    client.set_interface(from);
    const std::string body = WriteJson({{"password", password}});
    const httplib::Result answer = client.Post("/api/v1/login", body, "application/json");
    return answer ? answer->status : 0;
  };
  for (int i = 0; i < kMaxLoginFailures; ++i) EXPECT_EQ(log_in("127.0.0.3", "wrong"), 401);
  EXPECT_EQ(log_in("127.0.0.3", "correct horse battery"), 503);
  EXPECT_EQ(log_in("127.0.0.4", "correct horse battery"), 200);
}

TEST(Admin, SessionsExpire) {
  AdminFixture fixture;
  EXPECT_TRUE(NameOfBearer(fixture.options, "Bearer " + fixture.token).ok());
  EXPECT_EQ(NameOfBearer(fixture.options, fixture.token).code(), Code::kUnauthenticated);
  fixture.clock.now_ms += kSessionLifeMs;
  EXPECT_EQ(NameOfBearer(fixture.options, "Bearer " + fixture.token).code(),
            Code::kUnauthenticated);
}

TEST(Admin, TokensAreListedAndRevoked) {
  AdminFixture fixture;
  fixture.clock.now_ms += 1000;
  const std::string other = "Bearer " + *MakeAdminToken(fixture.options, "other");
  const int64_t made_ms = fixture.clock.now_ms;
  EXPECT_EQ(AdminTokens(fixture.options)->at(1).last_used_ms, 0);
  EXPECT_TRUE(NameOfBearer(fixture.options, other).ok());
  fixture.clock.now_ms += kLastUsedStepMs - 1;
  EXPECT_TRUE(NameOfBearer(fixture.options, other).ok());
  EXPECT_EQ(AdminTokens(fixture.options)->at(1).last_used_ms, made_ms);
  fixture.clock.now_ms += 1;
  EXPECT_TRUE(NameOfBearer(fixture.options, other).ok());
  const std::vector<AdminToken> tokens = *AdminTokens(fixture.options);
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_EQ(tokens[1].name, "other");
  EXPECT_EQ(tokens[1].created_ms, made_ms);
  EXPECT_EQ(tokens[1].last_used_ms, made_ms + kLastUsedStepMs);
  EXPECT_EQ(RevokeAdminToken(fixture.options, "").code(), Code::kNotFound);
  ASSERT_TRUE(RevokeAdminToken(fixture.options, tokens[1].id).ok());
  EXPECT_EQ(RevokeAdminToken(fixture.options, tokens[1].id).code(), Code::kNotFound);
  EXPECT_EQ(NameOfBearer(fixture.options, other).code(), Code::kUnauthenticated);
  EXPECT_TRUE(NameOfBearer(fixture.options, "Bearer " + fixture.token).ok());
  fixture.clock.now_ms += kSessionLifeMs;
  EXPECT_TRUE(AdminTokens(fixture.options)->empty());
}

// Whoever had found out the old password has nothing left of it.
TEST(Admin, ANewPasswordEndsTokensAndOneTimePasswords) {
  AdminFixture fixture;
  LoginTries tries;
  const auto log_in = [&](const std::string& password) {
    return LogIn(fixture.options, tries, "192.0.2.1", password);
  };
  ASSERT_TRUE(SetAdminPassword(fixture.options, "correct horse battery").ok());
  const std::string token = "Bearer " + log_in("correct horse battery")->token;
  const std::string once = *MakeOneTimePassword(fixture.options);
  EXPECT_TRUE(NameOfBearer(fixture.options, token).ok());
  ASSERT_TRUE(SetAdminPassword(fixture.options, "another horse battery").ok());
  EXPECT_EQ(NameOfBearer(fixture.options, token).code(), Code::kUnauthenticated);
  EXPECT_TRUE(AdminTokens(fixture.options)->empty());
  EXPECT_EQ(log_in(once).code(), Code::kUnauthenticated);
  EXPECT_EQ(log_in("correct horse battery").code(), Code::kUnauthenticated);
  EXPECT_TRUE(log_in("another horse battery").ok());
}

TEST(Admin, OnlyTheFirstStartMakesAPassword) {
  AdminFixture fixture;
  const std::optional<std::string> first = *MakeFirstPassword(fixture.options);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(MakeFirstPassword(fixture.options)->has_value());
  LoginTries tries;
  EXPECT_TRUE(LogIn(fixture.options, tries, "192.0.2.1", *first).ok());
  EXPECT_FALSE(MakeFirstPassword(fixture.options)->has_value());
}

TEST(Admin, PasswordHashesFollowTheirFormat) {
  // PBKDF2-HMAC-SHA-256 of "password", "salt": the vectors of RFC 7914's companions.
  EXPECT_EQ(
      Pbkdf2Password("password", AsBytes("salt"), 1),
      "pbkdf2-sha256$1$73616c74$120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b");
  EXPECT_EQ(
      Pbkdf2Password("password", AsBytes("salt"), 2),
      "pbkdf2-sha256$2$73616c74$ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43");
  EXPECT_TRUE(MatchesPassword("password", Pbkdf2Password("password", AsBytes("x"), 3)));
  // argon2id of the library's authors' own vectors.
  const std::string known =
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  EXPECT_TRUE(MatchesPassword("password", known));
  EXPECT_FALSE(MatchesPassword("passwore", known));
  const std::string fresh = *HashPassword("password", Bytes(kPasswordSaltBytes, 7));
  EXPECT_THAT(fresh, testing::StartsWith("$argon2id$v=19$m=19456,t=2,p=1$"));
  EXPECT_TRUE(MatchesPassword("password", fresh));
  EXPECT_FALSE(MatchesPassword("passwore", fresh));
  EXPECT_FALSE(IsOldHash(fresh));
  for (const std::string& old : {known, Pbkdf2Password("password", AsBytes("x"), 3)})
    EXPECT_TRUE(IsOldHash(old)) << old;
  for (const char* bad :
       {"", "$", "$argon2id$", "$argon2id$v=19$m=1,t=1,p=1$$", "pbkdf2-sha256$$$",
        "pbkdf2-sha256$-1$00$00", "pbkdf2-sha256$99999999999$00$00", "md5$1$00$00"})
    EXPECT_FALSE(MatchesPassword("password", bad)) << bad;
}

TEST(Admin, UploadsContentAndAPublication) {
  AdminFixture fixture;
  httplib::Client client = fixture.Client();
  Bytes bytes(1'000'000, 9);
  const std::string sha256 = crypto::Sha256Hex(bytes);
  const std::string path = "/api/v1/content/" + sha256;
  EXPECT_EQ(client.Get(path, fixture.Bearer())->status, 404);
  Bytes wrong = bytes;
  wrong[5] ^= 1;
  httplib::Result refused = client.Put(path, fixture.Bearer(), std::string(AsText(wrong)), "x/y");
  EXPECT_EQ(refused->status, 400);
  EXPECT_THAT(refused->body, HasSubstr("corrupt_content"));
  EXPECT_EQ(client.Put(path, fixture.Bearer(), std::string(AsText(bytes)), "x/y")->status, 200);
  httplib::Result again = client.Put(path, fixture.Bearer(), std::string(AsText(bytes)), "x/y");
  EXPECT_THAT(again->body, HasSubstr("\"existed\":true"));
  EXPECT_EQ(client.Get(path, fixture.Bearer())->status, 200);

  fixture.publisher.Add("2.0.0", 2, "package two", "1.0.0");
  Publication publication = fixture.publisher.Make();
  Json keys = Json::array();
  for (const Publication::Key& key : publication.keys)
    keys.push_back({{"path", key.path},
                    {"enc", ToBase64(key.wrapped.enc)},
                    {"sealed", ToBase64(key.wrapped.sealed)}});
  Json body = {{"targets", ToBase64(publication.targets)}, {"keys", keys}};
  httplib::Result published =
      client.Post("/api/v1/packages", fixture.Bearer(), WriteJson(body), "application/json");
  ASSERT_EQ(published->status, 200) << published->body;
  EXPECT_THAT(published->body, HasSubstr("\"version\":\"2.0.0\""));
  publication.targets[publication.targets.size() / 2] ^= 1;
  body["targets"] = ToBase64(publication.targets);
  httplib::Result flipped =
      client.Post("/api/v1/packages", fixture.Bearer(), WriteJson(body), "application/json");
  EXPECT_EQ(flipped->status, 400) << flipped->body;
}

TEST(Admin, BodiesHaveALimit) {
  AdminFixture fixture;
  httplib::Client client = fixture.Client();
  const std::string body = "{\"x\":\"" + std::string(kMaxAdminBodyBytes, 'y') + "\"}";
  httplib::Result answer =
      client.Post("/api/v1/releases", fixture.Bearer(), body, "application/json");
  // The server may close before the whole body was sent.
  if (answer) {
    EXPECT_EQ(answer->status, 413) << answer->body;
  }
}

// A blocking socket that waits 5 s for an answer.
int ConnectTo(uint16_t port) {
  const int line = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  timeval most{5, 0};
  setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
  EXPECT_EQ(connect(line, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  return line;
}

// The body of a refused call must not be taken for the next call of its connection.
TEST(Admin, ARefusedBodyIsNotTheNextCall) {
  AdminFixture fixture;
  const std::string last = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const std::string path : {"/api/v1/releases", "/api/v1/nothing", "/page"}) {
    const int line = ConnectTo(fixture.server->port());
    const std::string head = fmt::format(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", path, hidden.size());
    ASSERT_EQ(send(line, head.data(), head.size(), 0), static_cast<ssize_t>(head.size()));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ASSERT_EQ(send(line, hidden.data(), hidden.size(), 0), static_cast<ssize_t>(hidden.size()));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ASSERT_EQ(send(line, last.data(), last.size(), 0), static_cast<ssize_t>(last.size()));
    std::string answer, piece(4096, ' ');
    for (ssize_t size; (size = recv(line, piece.data(), piece.size(), 0)) > 0;)
      answer.append(piece, 0, static_cast<size_t>(size));
    close(line);
    EXPECT_THAT(answer, testing::Not(HasSubstr("/hidden"))) << path;
    EXPECT_THAT(answer, HasSubstr("200 OK")) << path;
  }
}

// More than anyone drains: the connection ends after the answer.
TEST(Admin, AHugeRefusedBodyEndsTheConnection) {
  AdminFixture fixture;
  const int line = ConnectTo(fixture.server->port());
  const std::string head =
      "POST /api/v1/releases HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n";
  ASSERT_EQ(send(line, head.data(), head.size(), 0), static_cast<ssize_t>(head.size()));
  const std::string piece(1 << 20, 'x');
  errno = 0;
  bool cut = false;
  for (int i = 0; i < 95 && !cut; ++i)
    cut = send(line, piece.data(), piece.size(), MSG_NOSIGNAL) < 0;
  std::string answer(1000, ' ');
  while (!cut) cut = recv(line, answer.data(), answer.size(), 0) <= 0;
  EXPECT_NE(errno, EAGAIN);
  close(line);
}

// As `curl -X POST` asks; cpp-httplib's client would send a length of 0.
TEST(Admin, ACallWithoutABodyNeedsNoLength) {
  AdminFixture fixture;
  const int line = ConnectTo(fixture.server->port());
  const std::string call =
      "POST /api/v1/join-tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
      fixture.token + "\r\nConnection: close\r\n\r\n";
  ASSERT_EQ(send(line, call.data(), call.size(), 0), static_cast<ssize_t>(call.size()));
  std::string answer(1000, ' ');
  const ssize_t size = recv(line, answer.data(), answer.size(), 0);
  close(line);
  ASSERT_GT(size, 0) << "no answer within 5 s";
  EXPECT_THAT(answer, HasSubstr("200 OK"));
}

// Also whoever is not logged in, so that a wrong clock is found before a login fails by it.
TEST(Admin, AnswersSayTheTime) {
  AdminFixture fixture;
  const int line = ConnectTo(fixture.server->port());
  const std::string call = "GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n";
  ASSERT_EQ(send(line, call.data(), call.size(), 0), static_cast<ssize_t>(call.size()));
  std::string answer(1000, ' ');
  ASSERT_GT(recv(line, answer.data(), answer.size(), 0), 0);
  close(line);
  EXPECT_THAT(answer, HasSubstr("401"));
  EXPECT_THAT(answer, HasSubstr("\r\nDate: " + HttpDate(fixture.clock.NowUnixMs()) + "\r\n"));
  EXPECT_EQ(HttpDate(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(HttpDate(1'795'780'799'999), "Fri, 27 Nov 2026 11:59:59 GMT");
}

TEST(Admin, JoinTokensPinRootAndAuthority) {
  AdminFixture fixture;
  NewJoinToken made = *MakeJoinToken(fixture.options, 3, 1000);
  Result<trust::JoinToken> token = trust::JoinTokenFromText(made.text);
  ASSERT_TRUE(token.ok()) << token.status().ToString();
  EXPECT_EQ(token->port, 7443);
  EXPECT_EQ(token->root_sha256, crypto::Sha256(fixture.publisher.RootDocument()));
  EXPECT_EQ(ToHex(crypto::Sha256(token->secret)), made.row.secret_sha256);
  EXPECT_EQ(MakeJoinToken(fixture.options, 0, 1000).code(), Code::kInvalidArgument);
}

TEST(Admin, LiveTellsWhatChanges) {
  AdminFixture fixture;
  httplib::Client client = fixture.Client();
  std::string heard;
  bool released = false;
  httplib::Result answer =
      client.Get("/api/v1/live", fixture.Bearer(), [&](const char* data, size_t size) {
        heard.append(data, size);
        if (!released && heard.find("event: status") != std::string::npos) {
          released = true;
          NewRelease plan;
          plan.package = "digits";
          plan.version = "1.0.0";
          Result<ReleaseRow> row = fixture.rollout->Create(plan);
          EXPECT_TRUE(row.ok()) << row.status().ToString();
        }
        return heard.find("event: release") == std::string::npos;
      });
  EXPECT_THAT(heard, HasSubstr("digits-1.0.0-1"));
  EXPECT_THAT(heard, HasSubstr("event: verify\ndata: {"));
  // A token in an address would be in logs and histories.
  EXPECT_EQ(fixture.Client().Get("/api/v1/live?token=" + fixture.token)->status, 401);
}

TEST(Admin, LiveEndsWithTheSession) {
  AdminFixture fixture;
  httplib::Client client = fixture.Client();
  bool left = false;
  httplib::Result answer = client.Get("/api/v1/live", fixture.Bearer(), [&](const char*, size_t) {
    if (left) return true;
    left = true;
    EXPECT_EQ(fixture.Client().Post("/api/v1/logout", fixture.Bearer(), "", "")->status, 200);
    return true;
  });
  EXPECT_TRUE(left);  // and Get has returned
}

// A page of another site that the operator's browser shows.
TEST(Admin, ForeignPagesCannotUseUpTheTries) {
  AdminFixture fixture;
  const std::string password = *MakeOneTimePassword(fixture.options);
  httplib::Client client = fixture.Client();
  for (int i = 0; i < 2 * kMaxLoginFailures; ++i) {
    const httplib::Headers from = {{"Sec-Fetch-Site", i % 2 == 0 ? "cross-site" : "same-site"}};
    EXPECT_EQ(client.Post("/api/v1/login", from, R"({"password":"wrong"})", "text/plain")->status,
              403);
  }
  const std::string body = WriteJson({{"password", password}});
  const httplib::Headers own = {{"Sec-Fetch-Site", "same-origin"}};
  EXPECT_EQ(client.Post("/api/v1/login", own, body, "application/json")->status, 200);
  EXPECT_EQ(client.Get("/", {{"Sec-Fetch-Site", "cross-site"}})->status, 200);
}

TEST(Admin, ServesTheConsoleWithoutLogin) {
  AdminFixture fixture;
  httplib::Client client = fixture.Client();
  httplib::Result page = client.Get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("'self'"));
  EXPECT_EQ(client.Get("/no-such-page")->status, 404);
  EXPECT_EQ(client.Get("/../../etc/passwd")->status, 404);
}

}  // namespace
}  // namespace ferry::server
