// The split over real TLS on loopback: the device's line and sessions on one side, the server's
// door and verifier on the other. The text must be the target's, whatever happens to the line.
#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "cloud-server/verify/verify.h"
#include "common/net/certificate.h"
#include "common/net/client.h"
#include "common/net/server.h"
#include "common/sys/random.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/agent/split/split_line.h"
#include "device-runtime/api/runtime/wait.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/speculative/device.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry {
namespace {

using api::RunOn;

constexpr char kToken[] = "letmein";
constexpr auto kLimit = std::chrono::seconds(60);

std::shared_ptr<const llm::Model> Tiny(double noise) {
  sys::SimFileSystem fs;
  llm::testing::TinyModelOptions options;
  options.noise = noise;
  EXPECT_TRUE(llm::testing::WriteTinyModel(fs, "tiny", options).ok());
  auto model = llm::Model::Load(fs, "tiny");
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return *model;
}

// The server: door and verifier, which can be stopped and started on their port.
class Cloud {
 public:
  explicit Cloud(std::shared_ptr<const llm::Model> target) : target_(std::move(target)) {
    certificate_ = *net::MakeServerCertificate(authority_, {"127.0.0.1"}, 30);
  }
  ~Cloud() {
    StopDoor();
    StopVerifier();
  }

  void StartVerifier() {
    RunOn(*executor_, [this] {
      server::VerifyOptions options;
      options.executor = executor_.get();
      options.clock = &sys::SystemClock();
      options.limits.tokens_per_minute = int64_t{1} << 40;
      options.authenticate = [](const std::string& token) -> Result<std::string> {
        if (token == kToken) return std::string("device-1");
        return Status(Code::kUnauthenticated, "who are you");
      };
      verifier_ = std::make_unique<server::Verifier>(options);
      ASSERT_TRUE(verifier_->SetTarget({"pair-target", "1.0.0", target_}).ok());
    });
  }
  void StopVerifier() {
    RunOn(*executor_, [this] { verifier_.reset(); });
  }
  void StartDoor() {
    net::ServerOptions options;
    options.listen.port = port_;
    // Below the range of outgoing connections, so that no redial takes the port meanwhile.
    if (port_ == 0)
      options.listen.port = static_cast<uint16_t>(20'000 + sys::SystemRandom().Below(12'000));
    options.certificate_pem = certificate_.certificate_pem;
    options.private_key_pem = certificate_.private_key_pem;
    options.split = {executor_.get(),
                     [this](std::unique_ptr<sys::FrameChannel> channel, sys::Executor&) {
                       ++accepted;
                       if (verifier_ != nullptr) verifier_->Accept(std::move(channel));
                     }};
    Result<std::unique_ptr<net::TlsServer>> server(Status(Code::kUnavailable, "not tried"));
    for (int tries = 0; tries < 100 && server.code() == Code::kUnavailable; ++tries) {
      if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      server = net::TlsServer::Start(io_, {executor_.get()}, options, nullptr,
                                     [](std::unique_ptr<sys::FrameChannel>, sys::Executor&) {});
    }
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = std::move(*server);
    port_ = server_->port();
  }
  void StopDoor() { server_.reset(); }

  sys::Endpoint endpoint() const { return {"127.0.0.1", port_}; }
  const std::string& authority() const { return authority_.certificate_pem; }
  std::atomic<int> accepted = 0;

 private:
  std::shared_ptr<const llm::Model> target_;
  net::CertificateAndKey authority_ = *net::MakeAuthority("Ferry test authority", 30);
  net::CertificateAndKey certificate_;
  uint16_t port_ = 0;
  net::IoThreads io_;
  std::unique_ptr<sys::Executor> executor_ = sys::StartThreadExecutor("verify");
  std::unique_ptr<server::Verifier> verifier_;
  std::unique_ptr<net::TlsServer> server_;
};

// What one session put out, on the device's executor; the test waits for counts.
struct Talk {
  std::unique_ptr<agent::SplitStream> stream;
  std::unique_ptr<llm::SplitSession> session;
  std::mutex mutex;
  std::condition_variable grown;
  std::vector<llm::TokenId> ids;
  std::vector<llm::TokenSource> sources;
  std::vector<llm::SplitMode> modes;
  std::optional<Result<llm::FinishReason>> end;
  llm::SplitStats stats;

  bool Until(const std::function<bool()>& done) {
    std::unique_lock lock(mutex);
    return grown.wait_for(lock, kLimit, done);
  }
  bool UntilTokens(size_t count) {
    return Until([&] { return ids.size() >= count; });
  }
  bool UntilEnd() {
    return Until([&] { return end.has_value(); });
  }
};

class SplitTls : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    target_ = Tiny(0);
    draft_ = Tiny(0.15);
  }
  static void TearDownTestSuite() {
    target_.reset();
    draft_.reset();
  }
  void SetUp() override {
    cloud_.StartVerifier();
    cloud_.StartDoor();
    net::ClientOptions client;
    client.authority = cloud_.authority();
    client.protocol = net::kSplitFrameProtocol;
    dialer_ = *net::MakeTlsDialer(io_, *device_, client);
    pool_ = *llm::KvPool::Create(draft_->config());
    RunOn(*device_, [this] {
      agent::SplitLineParts parts;
      parts.executor = device_.get();
      parts.clock = &sys::SystemClock();
      parts.random = &sys::SystemRandom();
      parts.dialer = dialer_.get();
      parts.endpoint = cloud_.endpoint();
      parts.ask_token = [](const std::function<void(std::string)>& answer) { answer(kToken); };
      parts.backoff = {50, 300};
      line_ = std::make_unique<agent::SplitLine>(parts);
      line_->Start();
    });
  }
  void TearDown() override {
    RunOn(*device_, [this] {
      for (auto& talk : talks_) {
        talk->session.reset();
        talk->stream.reset();
      }
      line_.reset();
      dialer_.reset();
    });
  }

  static llm::SplitOptions Options(uint64_t seed, float temperature, bool pipelined = false) {
    llm::SplitOptions options;
    options.pipelined = pipelined;
    options.fallback = false;
    options.key = llm::PrfKey::FromSeed(seed);
    options.sampler.temperature = temperature;
    if (seed % 3 == 1) options.sampler.top_k = 40;
    if (seed % 3 == 2) options.sampler.top_p = 0.9f;
    options.max_new = 48;
    return options;
  }
  static std::vector<llm::TokenId> Prompt(uint64_t seed) {
    std::vector<llm::TokenId> ids;
    for (uint64_t k = 0; k < 4 + seed % 9; ++k)
      ids.push_back(static_cast<llm::TokenId>((seed * 37 + k * 11) % 250));
    return ids;
  }
  static std::vector<llm::TokenId> CloudOnly(const std::vector<llm::TokenId>& prompt,
                                             const llm::SplitOptions& options) {
    auto session = llm::Session::Create(target_);
    EXPECT_TRUE((*session)->Append(prompt).ok());
    llm::Sampler sampler(options.sampler, options.key, target_->config().vocabulary);
    llm::GenerateOptions generate;
    generate.max_new = options.max_new;
    generate.stop_at_end_token = options.stop_at_end_token;
    return llm::Generate(**session, sampler, generate)->ids;
  }
  Talk& Begin(const std::vector<llm::TokenId>& prompt, const llm::SplitOptions& options) {
    Talk& talk = *talks_.emplace_back(std::make_unique<Talk>());
    RunOn(*device_, [&] {
      talk.stream = std::move(*line_->Open());
      llm::SplitParts parts;
      parts.executor = device_.get();
      parts.clock = &sys::SystemClock();
      parts.random = &sys::SystemRandom();
      parts.link = talk.stream.get();
      parts.stream = talk.stream->id();
      llm::SplitEvents events;
      const auto note = [&talk](const std::function<void()>& body) {
        const std::lock_guard lock(talk.mutex);
        body();
        talk.grown.notify_all();
      };
      events.on_tokens = [&talk, note](std::span<const llm::TokenId> ids, llm::TokenSource source) {
        note([&] {
          talk.ids.insert(talk.ids.end(), ids.begin(), ids.end());
          talk.sources.insert(talk.sources.end(), ids.size(), source);
        });
      };
      events.on_mode = [&talk, note](llm::SplitMode mode, const Status&) {
        note([&] { talk.modes.push_back(mode); });
      };
      events.on_end = [&talk, note](Result<llm::FinishReason> end) {
        note([&] {
          talk.stats = talk.session->stats();
          talk.end = std::move(end);
        });
      };
      auto session = llm::SplitSession::Create(draft_, pool_, parts, options, events);
      ASSERT_TRUE(session.ok()) << session.status().ToString();
      talk.session = std::move(*session);
      ASSERT_TRUE(talk.session->Start(prompt).ok());
    });
    return talk;
  }

  // Gives its stream back.
  void Drop(Talk& talk) {
    RunOn(*device_, [&] {
      talk.session.reset();
      talk.stream.reset();
    });
  }

  static inline std::shared_ptr<const llm::Model> target_, draft_;
  Cloud cloud_{target_};
  net::IoThreads io_;
  std::unique_ptr<sys::Executor> device_ = sys::StartThreadExecutor("device");
  std::unique_ptr<sys::Dialer> dialer_;
  std::shared_ptr<llm::KvPool> pool_;
  std::unique_ptr<agent::SplitLine> line_;
  std::vector<std::unique_ptr<Talk>> talks_;
};

TEST_F(SplitTls, TheTextIsTheTargetsAlsoBesideOtherSessions) {
  int64_t accepted = 0, compared = 0;
  for (uint64_t seed = 0; seed < 36; seed += 4) {
    std::vector<Talk*> talks;
    const auto options = [&](uint64_t k) {
      constexpr float kTemperatures[] = {0, 0.7f, 1, 1};
      llm::SplitOptions out = Options(seed + k, kTemperatures[k], k % 2 == 1);
      if (k == 3) out.mode = llm::SplitMode::kCloudOnly;
      return out;
    };
    for (uint64_t k = 0; k < 4; ++k) talks.push_back(&Begin(Prompt(seed + k), options(k)));
    for (uint64_t k = 0; k < 4; ++k) {
      SCOPED_TRACE(fmt::format("seed {}", seed + k));
      ASSERT_TRUE(talks[k]->UntilEnd());
      ASSERT_TRUE(talks[k]->end->ok()) << talks[k]->end->status().ToString();
      EXPECT_EQ(talks[k]->ids, CloudOnly(Prompt(seed + k), options(k)));
      EXPECT_THAT(talks[k]->sources,
                  testing::Each(k == 3 ? llm::TokenSource::kCloud : llm::TokenSource::kVerified));
      accepted += talks[k]->stats.accepted;
      compared += talks[k]->stats.compared;
      Drop(*talks[k]);
    }
  }
  EXPECT_EQ(cloud_.accepted, 1);  // all on one connection
  EXPECT_GT(compared, 100);
  EXPECT_GT(accepted, compared / 10);  // and the drafts were of use
}

// The line breaks while tokens flow; the device dials again and goes on where it was.
TEST_F(SplitTls, ReconnectsAreHarmless) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    llm::SplitOptions options = Options(seed, seed % 2 == 0 ? 1.0f : 0.7f, seed % 2 == 1);
    options.stop_at_end_token = false;
    options.draft_cost_ms = [] { return 2.0; };
    Talk& talk = Begin(Prompt(seed), options);
    for (const size_t at : {size_t{8}, size_t{24}}) {
      ASSERT_TRUE(talk.UntilTokens(at));
      cloud_.StopDoor();
      cloud_.StartDoor();
    }
    ASSERT_TRUE(talk.UntilEnd());
    ASSERT_TRUE(talk.end->ok()) << talk.end->status().ToString();
    EXPECT_EQ(talk.ids, CloudOnly(Prompt(seed), options));
    EXPECT_GE(talk.stats.reopens, 1);
  }
}

// The verifier dies with all it knew; the one that comes after is told the text so far.
TEST_F(SplitTls, AVerifierThatStartsAnewIsTold) {
  for (uint64_t seed = 10; seed < 14; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    llm::SplitOptions options = Options(seed, 1, seed % 2 == 1);
    options.stop_at_end_token = false;
    options.draft_cost_ms = [] { return 2.0; };
    Talk& talk = Begin(Prompt(seed), options);
    ASSERT_TRUE(talk.UntilTokens(10));
    cloud_.StopDoor();
    cloud_.StopVerifier();
    cloud_.StartVerifier();
    cloud_.StartDoor();
    ASSERT_TRUE(talk.UntilEnd());
    ASSERT_TRUE(talk.end->ok()) << talk.end->status().ToString();
    EXPECT_EQ(talk.ids, CloudOnly(Prompt(seed), options));
    EXPECT_GE(talk.stats.reopens, 1);
  }
}

// With fallback the device goes on alone, marked, and the cloud takes over again when it is back.
TEST_F(SplitTls, GoesOnAloneWhileTheServerIsGone) {
  llm::SplitOptions options = Options(3, 1);
  options.fallback = true;
  options.stop_at_end_token = false;
  options.max_new = 400;
  options.draft_cost_ms = [] { return 4.0; };
  Talk& talk = Begin(Prompt(3), options);
  ASSERT_TRUE(talk.UntilTokens(10));
  cloud_.StopDoor();
  const auto alone = [&] {
    return std::count(talk.sources.begin(), talk.sources.end(), llm::TokenSource::kDevice);
  };
  ASSERT_TRUE(talk.Until([&] { return alone() >= 10; }));
  cloud_.StartDoor();
  ASSERT_TRUE(talk.Until(
      [&] { return !talk.modes.empty() && talk.modes.back() == llm::SplitMode::kSplit; }));
  ASSERT_TRUE(talk.UntilEnd());
  ASSERT_TRUE(talk.end->ok()) << talk.end->status().ToString();
  EXPECT_EQ(talk.ids.size(), 400u);
  EXPECT_THAT(talk.modes,
              testing::ElementsAre(llm::SplitMode::kDeviceOnly, llm::SplitMode::kSplit));
  EXPECT_EQ(talk.sources.front(), llm::TokenSource::kVerified);
  EXPECT_EQ(talk.sources.back(), llm::TokenSource::kVerified);
  EXPECT_GE(talk.stats.fallbacks, 1);
}

}  // namespace
}  // namespace ferry
