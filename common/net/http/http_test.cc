#include "common/net/http/range.h"
#include "common/net/test_support.h"
#include "common/sys/random.h"

namespace ferry::net {
namespace {

TEST(Range, Answers) {
  struct Case {
    const char* header;
    uint64_t size;
    int status;
    uint64_t begin, end;
  };
  for (const Case& c : {
           Case{"", 10, 200, 0, 10},
           Case{"bytes=0-", 10, 206, 0, 10},
           Case{"bytes=3-", 10, 206, 3, 10},
           Case{"bytes=3-5", 10, 206, 3, 6},
           Case{"bytes=3-500", 10, 206, 3, 10},
           Case{"bytes=9-9", 10, 206, 9, 10},
           Case{"bytes=10-", 10, 416, 0, 0},
           Case{"bytes=0-", 0, 416, 0, 0},
           Case{"bytes=-4", 10, 206, 6, 10},
           Case{"bytes=-40", 10, 206, 0, 10},
           Case{"bytes=-0", 10, 416, 0, 0},
           Case{"bytes=5-3", 10, 200, 0, 10},
           Case{"bytes=1-2,4-5", 10, 200, 0, 10},
           Case{"bytes=a-b", 10, 200, 0, 10},
           Case{"bytes=-", 10, 200, 0, 10},
           Case{"bytes=99999999999999999999-", 10, 200, 0, 10},
           Case{"items=0-1", 10, 200, 0, 10},
           Case{"bytes", 10, 200, 0, 10},
       }) {
    const RangeAnswer got = AnswerRange(c.header, c.size);
    EXPECT_EQ(got.status, c.status) << c.header;
    EXPECT_EQ(got.begin, c.begin) << c.header;
    EXPECT_EQ(got.end, c.end) << c.header;
  }
}

TEST(Range, ContentRanges) {
  EXPECT_EQ(*ParseContentRange("bytes 3-9/10")->begin, 3u);
  EXPECT_EQ(ParseContentRange("bytes */10")->size, 10u);
  EXPECT_FALSE(ParseContentRange("bytes */10")->begin.has_value());
  for (const char* bad : {"", "bytes", "bytes ", "bytes /", "/", "bytes 3-9/9", "bytes 9-3/10",
                          "bytes 3/10", "bytes 3-9/*", "items 3-9/10", "bytes a-b/c"}) {
    EXPECT_FALSE(ParseContentRange(bad).has_value()) << bad;
  }
}

TEST(Range, RandomHeadersNeverLeaveTheContent) {
  sys::SeededRandom random(3);
  const std::string alphabet = "bytes=-0123456789,/* ";
  for (int i = 0; i < 2000; ++i) {
    std::string header = random.Below(2) == 0 ? "bytes=" : "bytes ";
    for (uint64_t n = random.Below(12); n > 0; --n) {
      header += alphabet[random.Below(alphabet.size())];
    }
    const uint64_t size = random.Below(100);
    const RangeAnswer got = AnswerRange(header, size);
    ASSERT_LE(got.begin, got.end) << header;
    ASSERT_LE(got.end, size) << header;
    ASSERT_TRUE(got.status != 206 || got.begin < got.end) << header;
    (void)ParseContentRange(header);
  }
}

class HttpTest : public NetTest {
 protected:
  void Put(const std::string& path, const Bytes& bytes) {
    ASSERT_TRUE(sys::WriteFileAtomically(content_.fs, path, bytes).ok());
  }
  Bytes RandomBytes(size_t size) {
    sys::SeededRandom random(7);
    Bytes bytes(size);
    random.Fill(bytes);
    return bytes;
  }
};

TEST_F(HttpTest, WholeBodiesOfEverySize) {
  StartServer();
  MakeDialer();
  for (const size_t size : {0, 1, 65'535, 65'536, 300'000}) {
    const Bytes body = RandomBytes(size);
    Put("/c", body);
    Bytes got;
    const Status status = Fetch("/c", 0, &got);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(got == body) << size;
  }
}

TEST_F(HttpTest, ResumesFromEveryOffset) {
  StartServer();
  MakeDialer();
  const Bytes body = RandomBytes(100'000);
  Put("/c", body);
  for (const uint64_t offset : {1, 50'000, 99'999, 100'000}) {
    Bytes got(body.begin(), body.begin() + static_cast<ptrdiff_t>(offset));
    const Status status = Fetch("/c", offset, &got);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(got == body) << offset;
  }
  Bytes got(100'001);
  EXPECT_EQ(Fetch("/c", 100'001, &got).code(), Code::kOutOfRange);
}

TEST_F(HttpTest, ABrokenLineIsTruncatedContentAndResumes) {
  StartServer();
  MakeDialer();
  const Bytes body = RandomBytes(200'000);
  Put("/c", body);
  content_.promise_too_much = 100'000;
  Bytes got;
  const Status status = Fetch("/c", 0, &got);
  EXPECT_EQ(status.code(), Code::kTruncatedContent) << status.ToString();
  EXPECT_TRUE(got == body);
  content_.promise_too_much = 0;
  got.resize(70'000);
  EXPECT_TRUE(Fetch("/c", got.size(), &got).ok());
  EXPECT_TRUE(got == body);
}

TEST_F(HttpTest, ErrorsByStatus) {
  StartServer();
  MakeDialer();
  Put("/c", RandomBytes(10));
  Bytes got;
  EXPECT_EQ(Fetch("/none", 0, &got).code(), Code::kNotFound);
  EXPECT_EQ(Fetch("/c", 0, &got, "Bearer wrong").code(), Code::kUnauthenticated);
  EXPECT_EQ(Fetch("/c", 0, &got, "").code(), Code::kUnauthenticated);
  EXPECT_EQ(Fetch("/c\r\nX: y", 0, &got).code(), Code::kInvalidArgument);
  EXPECT_EQ(Fetch("/c", 0, &got, "a\r\nb").code(), Code::kInvalidArgument);
  EXPECT_TRUE(got.empty());
  fail_data_ = true;
  EXPECT_EQ(Fetch("/c", 0, &got).code(), Code::kDiskFull);
}

TEST_F(HttpTest, DroppingTheDialerCancelsQuietly) {
  StartServer();
  MakeDialer();
  Put("/c", RandomBytes(1'000'000));
  On(client_executor_, [&] {
    dialer_->Fetch(
        endpoint_, "/c", 0, "Bearer t", [](uint64_t, ByteView) { return OkStatus(); },
        [](Status) { ADD_FAILURE(); }, {});
    dialer_->Dial(endpoint_, [](Result<std::unique_ptr<sys::FrameChannel>>) { ADD_FAILURE(); });
    dialer_.reset();
  });
}

// Its line stands, and who asked for it is to be told, when the dialer goes.
TEST_F(HttpTest, WhatWaitsToBeToldIsDroppedWithTheDialer) {
  StartServer();
  MakeDialer();
  Put("/c", RandomBytes(10));
  On(client_executor_, [&] {
    dialer_->Fetch(
        endpoint_, "/c", 0, "Bearer t",
        [](uint64_t, ByteView) {
          ADD_FAILURE();
          return OkStatus();
        },
        [](Status) { ADD_FAILURE(); }, {});
    dialer_->Dial(endpoint_, [](Result<std::unique_ptr<sys::FrameChannel>>) { ADD_FAILURE(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    dialer_.reset();
  });
  On(client_executor_, [] {});
}

TEST_F(HttpTest, KeepAliveHeadAndStatusLines) {
  StartServer();
  Put("/c", ToBytes("0123456789"));
  RawClient raw(endpoint_, kHttpProtocol);
  ASSERT_TRUE(raw.connected());
  const std::string token = "Host: x\r\nAuthorization: Bearer t\r\n";
  ASSERT_TRUE(raw.Write("HEAD /c HTTP/1.1\r\n" + token + "\r\n"));
  const std::string head = raw.Read("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n")) << head;
  EXPECT_NE(head.find("Content-Length: 10\r\n"), std::string::npos) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
  ASSERT_TRUE(raw.Write("GET /c?x=1 HTTP/1.1\r\n" + token + "Range: bytes=2-4\r\n\r\n"));
  const std::string part = raw.Read("234");
  EXPECT_TRUE(part.starts_with("HTTP/1.1 206 ")) << part;
  EXPECT_NE(part.find("Content-Range: bytes 2-4/10\r\n"), std::string::npos) << part;
  EXPECT_NE(part.find("Content-Length: 3\r\n"), std::string::npos) << part;
  ASSERT_TRUE(raw.Write("GET /c HTTP/1.1\r\n" + token + "Range: bytes=10-\r\n\r\n"));
  const std::string out = raw.Read("out of range\n");
  EXPECT_TRUE(out.starts_with("HTTP/1.1 416 ")) << out;
  EXPECT_NE(out.find("Content-Range: bytes */10\r\n"), std::string::npos) << out;
  ASSERT_TRUE(raw.Write("POST /c HTTP/1.1\r\n" + token + "Connection: close\r\n\r\n"));
  EXPECT_TRUE(raw.Read().starts_with("HTTP/1.1 405 "));
}

TEST_F(HttpTest, BadRequests) {
  ServerLimits limits;
  limits.max_header_bytes = 1024;
  StartServer(limits);
  for (const auto& [text, status] : std::vector<std::pair<std::string, std::string>>{
           {"nonsense\r\n\r\n", "HTTP/1.1 400 "},
           {"GET / HTTP/1.1\r\nX: " + std::string(2000, 'x') + "\r\n\r\n", "HTTP/1.1 413 "},
           {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 413 "},
           {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 401 "},
       }) {
    RawClient raw(endpoint_, nullptr);  // no ALPN at all is HTTP
    ASSERT_TRUE(raw.connected());
    ASSERT_TRUE(raw.Write(text));
    const std::string answer = raw.Read("\n\r\n");
    EXPECT_TRUE(answer.starts_with(status)) << text.substr(0, 40) << " -> " << answer;
  }
}

TEST_F(HttpTest, SlowRequestsAreCut) {
  ServerLimits limits;
  limits.http_timeout_ms = 100;
  StartServer(limits);
  RawClient raw(endpoint_, kHttpProtocol);
  ASSERT_TRUE(raw.connected());
  ASSERT_TRUE(raw.Write("GET /c HT"));
  EXPECT_EQ(raw.Read(), "");
  EXPECT_TRUE(Eventually([&] { return server_->connections() == 0; }));
}

}  // namespace
}  // namespace ferry::net
