// Content from mirrors: it is sealed and checked, so that a bad one costs time and nothing else.
#include "common/base/json.h"
#include "common/trust/documents/mirror.h"
#include "device-runtime/agent/line/link.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

const sys::Endpoint kMirror{"mirror", 443}, kOther{"other", 80};

// Gives the gateway's files as `bend` makes them.
class Mirror : public sys::ContentSource {
 public:
  explicit Mirror(FakeGateway& gateway) : gateway_(gateway) {}

  Result<sys::Content> Open(const std::string& path, const std::string& authorization) override {
    ++asked;
    authorizations += authorization;
    if (gone) return Status(Code::kNotFound, "not here");
    FERRY_ASSIGN_OR_RETURN(Bytes bytes, sys::ReadFile(gateway_.disk, path));
    if (bend) bend(&bytes);
    FERRY_TRY(disk_.MakeDirectories("/content"));
    FERRY_TRY(sys::WriteFileAtomically(disk_, path, bytes));
    FERRY_ASSIGN_OR_RETURN(auto file, disk_.OpenForRead(path));
    FERRY_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
    return sys::Content{std::move(file), size};
  }

  std::function<void(Bytes*)> bend;
  bool gone = false;
  int asked = 0;
  std::string authorizations;

 private:
  FakeGateway& gateway_;
  sys::SimFileSystem disk_;
};

struct Mirrors : testing::Test {
  void SetUp() override {
    f.network.Listen(kMirror, *f.server_executor, nullptr, &mirror);
    f.gateway.mirrors = {"mirror:443"};
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Sign();
  }
  void TearDown() override { f.network.StopListening(kMirror); }
  void Installs() {
    f.gateway.Assign("1.0.0");
    ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0", 3'600'000));
  }
  uint64_t Length() { return f.gateway.targets.entries["digits/1.0.0/full"].length; }
  uint64_t Pulled() { return f.agent->StatusJson()["bytes"]["full"].get<uint64_t>(); }
  // What the report that the file is here says of where it came from.
  std::string Told() {
    std::string told;
    for (const proto::Report& report : f.gateway.reports)
      if (report.step() == proto::Report::PULLED) told = report.error_text();
    return told;
  }

  Fixture f;
  Mirror mirror{f.gateway};
};

TEST_F(Mirrors, AreAskedFirstAndWithoutTheToken) {
  Installs();
  EXPECT_EQ(mirror.asked, 1);
  EXPECT_EQ(mirror.authorizations, "");
  EXPECT_EQ(f.gateway.bytes_served, 0u);
  EXPECT_EQ(Pulled(), Length());
}

TEST_F(Mirrors, OneThatLacksItOrIsAwayIsPassedOver) {
  mirror.gone = true;
  f.gateway.mirrors = {"mirror:443", "nowhere:1", "not an address"};
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  Installs();
  EXPECT_EQ(mirror.asked, 1);
  EXPECT_EQ(f.gateway.bytes_served, Length());
}

TEST_F(Mirrors, WhatOneBeganTheServerEnds) {
  mirror.bend = [](Bytes* bytes) { bytes->resize(bytes->size() / 3); };
  Installs();
  EXPECT_EQ(Pulled(), Length()) << "no byte twice";
  EXPECT_GT(f.gateway.bytes_served, 0u);
}

TEST_F(Mirrors, WhatOneSpoiltComesFromTheServer) {
  mirror.bend = [](Bytes* bytes) { (*bytes)[bytes->size() / 2] ^= 1; };
  Installs();
  EXPECT_EQ(Pulled(), 2 * Length());
  EXPECT_EQ(f.gateway.bytes_served, Length());
  EXPECT_EQ(f.gateway.Failure(), nullptr);
}

TEST_F(Mirrors, OneThatSendsWithoutEndIsCutOff) {
  mirror.bend = [](Bytes* bytes) { bytes->resize(bytes->size() * 50); };
  Installs();
  EXPECT_LE(Pulled(), 3 * Length());
  EXPECT_EQ(f.gateway.Failure(), nullptr);
}

TEST_F(Mirrors, WrongBytesNameTheMirrorWhichThenRests) {
  Mirror other{f.gateway};
  f.network.Listen(kOther, *f.server_executor, nullptr, &other);
  f.gateway.mirrors = {"mirror:443", "http://other", "http://nobody:9/models/"};
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  // Whichever is asked first is wrong, and the next one right.
  bool spoilt = false;
  std::string first;
  for (Mirror* one : {&mirror, &other})
    one->bend = [&spoilt, &first, one, this](Bytes* bytes) {
      if (!spoilt) (*bytes)[bytes->size() / 2] ^= 1;
      if (!spoilt) first = one == &mirror ? "mirror mirror:443" : "mirror http://other";
      spoilt = true;
    };
  Installs();
  f.network.StopListening(kOther);
  EXPECT_EQ(Told(), first + " gave wrong bytes");
  EXPECT_LE(f.gateway.bytes_served, Length()) << "at most the second try";
  const int asked = first == "mirror mirror:443" ? mirror.asked : other.asked;
  f.gateway.Publish("1.1.0", 2, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.1.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.1.0", kMirrorRestMs / 2));
  EXPECT_EQ(first == "mirror mirror:443" ? mirror.asked : other.asked, asked) << "it rests";
}

// The server sends devices on to a bucket.
struct SentOn : Mirrors {
  void SetUp() override {
    Mirrors::SetUp();
    f.network.Listen(kOther, *f.server_executor, nullptr, &bucket);
    f.gateway.mirrors.clear();
    f.gateway.elsewhere = "http://other";
    f.Kill();
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  }
  void TearDown() override {
    f.network.StopListening(kOther);
    Mirrors::TearDown();
  }
  Mirror bucket{f.gateway};
};

TEST_F(SentOn, FollowsWithoutTheToken) {
  Installs();
  EXPECT_EQ(bucket.asked, 1);
  EXPECT_EQ(bucket.authorizations, "");
  EXPECT_EQ(f.gateway.bytes_served, 0u);
  EXPECT_EQ(Pulled(), Length());
}

TEST_F(SentOn, WhatIsNotThereComesFromTheServer) {
  bucket.gone = true;
  Installs();
  EXPECT_EQ(bucket.asked, 1);
  EXPECT_EQ(f.gateway.bytes_served, Length());
  EXPECT_EQ(f.gateway.Failure(), nullptr);
}

TEST_F(SentOn, AlsoWhenNobodyAnswersThere) {
  f.network.StopListening(kOther);
  Installs();
  EXPECT_EQ(f.gateway.bytes_served, Length());
}

TEST_F(SentOn, WhatWasSpoiltThereComesFromTheServer) {
  bucket.bend = [](Bytes* bytes) { (*bytes)[bytes->size() / 2] ^= 1; };
  Installs();
  EXPECT_EQ(Pulled(), 2 * Length());
  EXPECT_EQ(f.gateway.bytes_served, Length());
  EXPECT_EQ(f.gateway.Failure(), nullptr);
  EXPECT_EQ(Told(), "mirror http://other gave wrong bytes");
}

TEST_F(SentOn, WhatBeganThereTheServerEnds) {
  bucket.bend = [](Bytes* bytes) { bytes->resize(bytes->size() / 3); };
  Installs();
  EXPECT_EQ(Pulled(), Length()) << "no byte twice";
}

TEST(MirrorTexts, AreAddressesOrUrls) {
  const trust::Mirror url = *trust::MirrorFromText("http://cdn.example/models//");
  EXPECT_EQ(url.at.host, "cdn.example");
  EXPECT_EQ(url.at.port, 80);
  EXPECT_EQ(url.at.kind, sys::Endpoint::Kind::kPlainWeb);
  EXPECT_EQ(url.prefix, "/models");
  const trust::Mirror six = *trust::MirrorFromText("http://[::1]:8080");
  EXPECT_EQ(six.at.host, "::1");
  EXPECT_EQ(six.at.port, 8080);
  EXPECT_EQ(trust::MirrorFromText("http://[::1]/a")->at.port, 80);
  EXPECT_EQ(trust::MirrorFromText("https://cdn.example/a")->at.port, 443);
  EXPECT_EQ(trust::MirrorFromText("cdn.example:443")->at.kind, sys::Endpoint::Kind::kServer);
  for (const char* bad : {"", "cdn.example", "http://", "http:///a", "http://a/b c", "http://a/?q",
                          "http://u@h/", "http://h:0/", "ftp://h:1/", "http://h/\r\nX: 1"})
    EXPECT_EQ(trust::MirrorFromText(bad).code(), Code::kMalformed) << bad;
}

}  // namespace
}  // namespace ferry::agent
