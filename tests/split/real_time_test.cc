// The same code on a real thread and the machine's clock.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/split/harness.h"

namespace ferry::split {
namespace {

// A device that takes its time: its executor is busy nearly always.
class SlowDrafter : public llm::Drafter {
 public:
  Result<llm::TokenId> Propose(std::span<const llm::TokenId> sequence) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    return static_cast<llm::TokenId>(sequence.size() % 200);
  }
};

struct RealTimeTest : testing::Test {
  // Runs `task` on the executor and waits for it.
  void Do(const std::function<void()>& task) {
    bool done = false;
    executor->Post([&] {
      task();
      std::lock_guard lock(mutex);
      done = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done; });
  }
  bool WaitFor(const std::function<bool()>& condition, int64_t limit_ms) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::milliseconds(limit_ms), condition);
  }

  std::unique_ptr<sys::Executor> executor = sys::StartThreadExecutor("split");
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<llm::SplitMode> modes;  // under mutex
  bool ended = false;                 // under mutex
  size_t emitted = 0;                 // under mutex
};

TEST_F(RealTimeTest, ABusyDeviceFindsTheLinkAgain) {
  std::unique_ptr<llm::SimLink> link;
  std::unique_ptr<server::Verifier> verifier;
  std::unique_ptr<llm::SplitSession> session;
  SlowDrafter drafter;
  Do([&] {
    link = std::make_unique<llm::SimLink>(*executor, *executor, sys::SystemRandom(),
                                          llm::SimLinkOptions{.round_trip_ms = 4});
    server::VerifyOptions options;
    options.executor = executor.get();
    options.clock = &sys::SystemClock();
    verifier = std::make_unique<server::Verifier>(options);
    ASSERT_TRUE(verifier->SetTarget({"tiny", "1", TinyTarget(), int64_t{64} << 20}).ok());
    verifier->Accept(link->MakeServerEnd(), "device");
    link->SetCut(true, false);
    llm::SplitParts parts;
    parts.executor = executor.get();
    parts.clock = &sys::SystemClock();
    parts.random = &sys::SystemRandom();
    parts.link = &link->device();
    parts.drafter = &drafter;
    llm::SplitOptions split;
    split.max_new = 60;
    split.stop_at_end_token = false;
    split.draft_tokens = 2;
    llm::SplitEvents events;
    events.on_tokens = [&](std::span<const llm::TokenId> ids, llm::TokenSource) {
      std::lock_guard lock(mutex);
      emitted += ids.size();
      changed.notify_all();
    };
    events.on_mode = [&](llm::SplitMode mode, const Status&) {
      std::lock_guard lock(mutex);
      modes.push_back(mode);
      changed.notify_all();
    };
    events.on_end = [&](const Result<llm::FinishReason>& end) {
      EXPECT_TRUE(end.ok()) << end.status().ToString();
      std::lock_guard lock(mutex);
      ended = true;
      changed.notify_all();
    };
    auto made = llm::SplitSession::Create(TinyDraft(0.1), nullptr, parts, split, std::move(events));
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    session = std::move(*made);
    ASSERT_TRUE(session->Start(RandomPrompt(1, 12)).ok());
  });
  EXPECT_TRUE(WaitFor([&] { return !modes.empty(); }, 10'000));
  EXPECT_TRUE(WaitFor([&] { return emitted >= 10; }, 10'000));
  Do([&] { link->SetCut(false, false); });
  EXPECT_TRUE(WaitFor([&] { return modes.size() >= 2; }, 10'000)) << "still alone";
  EXPECT_TRUE(WaitFor([&] { return ended; }, 60'000));
  Do([&] {
    const std::vector<llm::SplitMode> expected = {llm::SplitMode::kDeviceOnly,
                                                  llm::SplitMode::kSplit};
    EXPECT_EQ(modes, expected);
    session.reset();
    verifier.reset();
    link.reset();
  });
}

}  // namespace
}  // namespace ferry::split
