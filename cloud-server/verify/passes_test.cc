// Passes on a thread of their own, in real time: connections are served beside them, and the text
// is what the target alone says.
#include <chrono>
#include <future>
#include <thread>

#include "cloud-server/verify/test_verify.h"
#include "device-runtime/llm/testing/gate.h"

namespace ferry::server {
namespace {

constexpr std::chrono::seconds kMostWait(60);

class PassesTest : public testing::Test {
 protected:
  void StartPasses(sys::Clock& clock, sys::Parallel* parallel) {
    On([&] {
      VerifyOptions options;
      options.executor = executor_.get();
      options.passes = passes_.get();
      options.clock = &clock;
      options.parallel = parallel;
      options.ping_ms = 0;
      options.limits.tokens_per_minute = int64_t{1} << 40;
      verifier_ = std::make_unique<Verifier>(options);
      ASSERT_TRUE(verifier_->SetTarget({"pair", "1", Models().target, 64 << 20}).ok());
    });
  }
  void TearDown() override {
    On([&] {
      verifier_.reset();
      scripts_.clear();
      links_.clear();
    });
  }
  void On(const std::function<void()>& task) {
    std::promise<void> done;
    executor_->Post([&] {
      task();
      done.set_value();
    });
    ASSERT_EQ(done.get_future().wait_for(kMostWait), std::future_status::ready);
  }
  // Until `done`, which is asked on the executor.
  bool Until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + kMostWait;
    bool is = false;
    while (!is && std::chrono::steady_clock::now() < end) {
      On([&] { is = done(); });
      if (!is) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return is;
  }
  // A device with one session, whose context the verifier begins to read.
  Script& Open(const std::string& device, const std::vector<TokenId>& prompt) {
    Script* made = nullptr;
    On([&] {
      links_.push_back(
          std::make_unique<llm::SimLink>(*executor_, *executor_, random_, llm::SimLinkOptions()));
      verifier_->Accept(links_.back()->MakeServerEnd(), device);
      scripts_.push_back(
          std::make_unique<Script>(links_.back()->device(), Models().target->config().vocabulary));
      made = scripts_.back().get();
      made->Send(0, OpenFor(prompt));
      made->Context(1, 0, prompt);
    });
    EXPECT_TRUE(
        Until([&] { return !made->controls.empty() && made->controls.back().has_ready(); }));
    return *made;
  }
  void Stream(Script& script, size_t from, uint8_t count) {
    On([&] {
      llm::SplitFrame ask;
      ask.kind = llm::FrameKind::kStream;
      ask.epoch = 1;
      ask.position = static_cast<uint16_t>(from);
      ask.count = count;
      script.Send(ask);
    });
  }
  static std::vector<TokenId> Streamed(const Script& script) {
    std::vector<TokenId> ids;
    for (const llm::SplitFrame& frame : script.rounds)
      ids.insert(ids.end(), frame.ids.begin(), frame.ids.end());
    return ids;
  }

  sys::SeededRandom random_{8};
  std::unique_ptr<sys::Executor> executor_ = sys::StartThreadExecutor("verify");
  std::unique_ptr<sys::Executor> passes_ = sys::StartThreadExecutor("passes");
  std::unique_ptr<Verifier> verifier_;
  std::vector<std::unique_ptr<llm::SimLink>> links_;
  std::vector<std::unique_ptr<Script>> scripts_;
};

TEST_F(PassesTest, ConnectionsAreServedWhileAPassIsComputed) {
  llm::testing::Gate gate(*passes_);
  StartPasses(gate, nullptr);
  Script& reading = Open("phone", Prompt(3, 100));
  ASSERT_TRUE(gate.WaitUntilReached());
  reading.controls.clear();
  On([&] {
    proto::SplitControl ping;
    ping.mutable_ping()->set_value(9);
    reading.Send(0, ping);
  });
  EXPECT_TRUE(Until([&] { return !reading.controls.empty() && reading.controls[0].has_pong(); }));
  // Another session begins, and operators see both.
  Open("tablet", Prompt(4, 20));
  EXPECT_TRUE(Until([&] { return verifier_->View().sessions.size() == 2; }));
  gate.Open();
  Stream(reading, 100, 20);
  EXPECT_TRUE(Until([&] { return Streamed(reading).size() >= 20; }));
  EXPECT_EQ(Streamed(reading), Reference(Prompt(3, 100), {}, 0, 20));
}

TEST_F(PassesTest, StreamsBesideALongPromptAreBitExact) {
  const auto parallel = sys::StartThreadPool(2);
  StartPasses(sys::SystemClock(), parallel.get());
  constexpr size_t kStreams = 4;
  std::vector<Script*> streams;
  for (size_t i = 0; i < kStreams; ++i) {
    streams.push_back(&Open(fmt::format("phone {}", i), Prompt(i, 20 + i)));
    Stream(*streams.back(), 20 + i, 100);
  }
  Script& late = Open("reader", Prompt(9, 400));
  Stream(late, 400, 50);
  EXPECT_TRUE(Until([&] { return Streamed(late).size() >= 50; }));
  EXPECT_EQ(Streamed(late), Reference(Prompt(9, 400), {}, 0, 50));
  for (size_t i = 0; i < kStreams; ++i) {
    EXPECT_TRUE(Until([&] { return Streamed(*streams[i]).size() >= 100; }));
    EXPECT_EQ(Streamed(*streams[i]), Reference(Prompt(i, 20 + i), {}, 0, 100)) << i;
  }
}

}  // namespace
}  // namespace ferry::server
