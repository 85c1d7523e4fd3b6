// Modes changed in mid-sentence, links that go and come back, refusals. In virtual time.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/split/scenes.h"

namespace ferry::split {
namespace {

using llm::SplitMode;
using llm::TokenSource;

Scene QuietScene(uint64_t seed) {
  Scene scene;
  scene.seed = seed;
  scene.draft = TinyDraft(0.1);
  scene.prompt = RandomPrompt(seed, 20);
  scene.options.sampler.temperature = 1;
  scene.options.key = llm::PrfKey::FromSeed(seed);
  scene.options.max_new = 200;
  scene.options.stop_at_end_token = false;
  scene.link.round_trip_ms = 30;
  scene.draft_ms = 3;
  scene.step_ms = 15;
  return scene;
}

// Each emitted token is what its source says at its place, given all before it: none lost, none
// doubled, none from the wrong model.
void ExpectTrueToSources(Stage& stage, const Scene& scene) {
  std::vector<llm::TokenId> sequence = scene.prompt;
  sequence.insert(sequence.end(), stage.ids.begin(), stage.ids.end());
  ASSERT_EQ(stage.session().tokens(), sequence);
  const auto from = static_cast<int64_t>(scene.prompt.size());
  const auto target = ChoicesIn(*scene.target, sequence, from, scene.options);
  const auto draft = ChoicesIn(*scene.draft, sequence, from, scene.options);
  for (size_t i = 0; i < stage.ids.size(); ++i) {
    const size_t p = scene.prompt.size() + i;
    const bool device = stage.sources[i] == TokenSource::kDevice;
    ASSERT_EQ(stage.ids[i], device ? draft[p] : target[p])
        << "token " << i << " from " << (device ? "device" : "cloud");
  }
}

int64_t CountOf(const Stage& stage, TokenSource source) {
  return std::count(stage.sources.begin(), stage.sources.end(), source);
}

TEST(ModeTest, RandomChangesLoseAndDoubleNothing) {
  int64_t from_device = 0, verified = 0, streamed = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Scene scene = RandomScene(seed + 9000, seed % 2 == 0);
    scene.options.fallback = seed % 3 == 0;
    scene.options.max_new = 120;
    scene.draft_ms = 1;
    scene.step_ms = 5;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, Describe(scene)));
    Stage stage(scene);
    sys::SeededRandom random(seed);
    const SplitMode modes[] = {SplitMode::kDeviceOnly, SplitMode::kSplit, SplitMode::kCloudOnly};
    // From within callbacks and from outside.
    stage.on_tokens = [&] {
      if (random.Below(12) == 0) stage.session().SetMode(modes[random.Below(3)]);
    };
    stage.Start();
    for (int i = 0; i < 400 && !stage.end; ++i) {
      stage.world().RunFor(static_cast<int64_t>(random.Below(120)));
      if (random.Below(4) == 0 && !stage.end) stage.session().SetMode(modes[random.Below(3)]);
    }
    stage.on_tokens = nullptr;
    ASSERT_TRUE(stage.Run());
    ASSERT_TRUE(stage.end->ok()) << stage.end->status().ToString();
    EXPECT_TRUE(**stage.end == llm::FinishReason::kLength ||
                **stage.end == llm::FinishReason::kEndToken);
    ExpectTrueToSources(stage, scene);
    if (HasFatalFailure()) return;
    from_device += CountOf(stage, TokenSource::kDevice);
    verified += CountOf(stage, TokenSource::kVerified);
    streamed += CountOf(stage, TokenSource::kCloud);
  }
  EXPECT_GT(from_device, 500);
  EXPECT_GT(verified, 500);
  EXPECT_GT(streamed, 500);
}

TEST(ModeTest, AChangeIsToldAndHoldsFromTheNextTokenOn) {
  Scene scene = QuietScene(1);
  Stage stage(scene);
  stage.Start();
  stage.RunUntil([&] { return stage.ids.size() >= 20; });
  const size_t at = stage.ids.size();
  stage.session().SetMode(SplitMode::kDeviceOnly);
  EXPECT_EQ(stage.session().mode(), SplitMode::kDeviceOnly);
  ASSERT_EQ(stage.modes.size(), 1u);
  EXPECT_EQ(stage.modes[0].mode, SplitMode::kDeviceOnly);
  EXPECT_TRUE(stage.modes[0].why.ok());
  stage.RunUntil([&] { return stage.ids.size() >= at + 20; });
  EXPECT_TRUE(std::all_of(stage.sources.begin() + static_cast<ptrdiff_t>(at), stage.sources.end(),
                          [](auto source) { return source == TokenSource::kDevice; }));
  const size_t back = stage.ids.size();
  stage.session().SetMode(SplitMode::kCloudOnly);
  stage.RunUntil([&] { return stage.ids.size() >= back + 10; });
  stage.session().SetMode(SplitMode::kSplit);
  ASSERT_TRUE(stage.Run());
  EXPECT_EQ(stage.sources[back], TokenSource::kCloud);
  EXPECT_EQ(stage.sources.back(), TokenSource::kVerified);
  ExpectTrueToSources(stage, scene);
}

// Silent for max(3 round trips, 500 ms): gone; alone within 100 ms of that; verified again later.
void ExpectFallback(int64_t round_trip_ms, bool pipelined) {
  Scene scene = QuietScene(2);
  scene.options.pipelined = pipelined;
  scene.options.max_new = 400;
  scene.link.round_trip_ms = round_trip_ms;
  Stage stage(scene);
  stage.Start();
  stage.RunUntil([&] { return stage.ids.size() >= 40; });
  const int64_t cut_ms = stage.NowMs();
  stage.Cut(false);
  ASSERT_TRUE(stage.RunUntil([&] { return !stage.modes.empty(); }, 5000));
  const int64_t gone_ms = std::max<int64_t>(3 * round_trip_ms, llm::kLinkGoneMs);
  // The last frame was heard up to a round before the cut.
  const int64_t took_ms = stage.modes[0].at_ms - cut_ms;
  EXPECT_LE(took_ms, gone_ms + 100 + round_trip_ms + 40);
  EXPECT_GE(took_ms, gone_ms - round_trip_ms - 100);
  EXPECT_EQ(stage.modes[0].mode, SplitMode::kDeviceOnly);
  EXPECT_EQ(stage.modes[0].why.code(), Code::kUnavailable);
  EXPECT_EQ(stage.session().mode(), SplitMode::kDeviceOnly);
  const size_t alone_from = stage.ids.size();
  ASSERT_TRUE(stage.RunUntil([&] { return stage.ids.size() >= alone_from + 20; }, 100));
  EXPECT_EQ(stage.sources.back(), TokenSource::kDevice);
  stage.Join(false);
  ASSERT_TRUE(stage.RunUntil([&] { return stage.modes.size() >= 2; }, 5000));
  EXPECT_EQ(stage.modes[1].mode, SplitMode::kSplit);
  EXPECT_TRUE(stage.modes[1].why.ok());
  ASSERT_TRUE(stage.Run());
  EXPECT_EQ(stage.sources.back(), TokenSource::kVerified);
  ExpectTrueToSources(stage, scene);
  EXPECT_EQ(stage.session().stats().fallbacks, 1);
}

TEST(ModeTest, FallbackSync) {
  ExpectFallback(30, false);
}
TEST(ModeTest, FallbackPipelined) {
  ExpectFallback(30, true);
}
TEST(ModeTest, FallbackOnALongLine) {
  ExpectFallback(240, false);
}

TEST(ModeTest, ABrokenConnectionIsNoticedAtOnce) {
  Scene scene = QuietScene(3);
  Stage stage(scene);
  stage.Start();
  stage.RunUntil([&] { return stage.ids.size() >= 40; });
  const int64_t cut_ms = stage.NowMs();
  stage.Cut(true);
  ASSERT_TRUE(stage.RunUntil([&] { return !stage.modes.empty(); }, 5000));
  EXPECT_LE(stage.modes[0].at_ms - cut_ms, 100);
  const size_t before = stage.ids.size();
  ASSERT_TRUE(stage.RunUntil([&] { return stage.ids.size() > before; }, 100));
  EXPECT_EQ(stage.sources.back(), TokenSource::kDevice);
  stage.Join(true);
  ASSERT_TRUE(stage.Run());
  EXPECT_EQ(stage.sources.back(), TokenSource::kVerified);
  ExpectTrueToSources(stage, scene);
}

TEST(ModeTest, NeverThereMeansAlone) {
  Scene scene = QuietScene(4);
  scene.options.max_new = 60;
  Stage stage(scene);
  stage.Cut(false);
  stage.Start();
  ASSERT_TRUE(stage.Run(5000));
  EXPECT_LE(stage.modes[0].at_ms, llm::kLinkGoneMs + 100);
  EXPECT_EQ(CountOf(stage, TokenSource::kDevice), 60);
  ExpectTrueToSources(stage, scene);
}

// A target that takes long is not a link that is gone.
TEST(ModeTest, ASlowTargetIsWaitedFor) {
  for (bool pipelined : {false, true}) {
    Scene scene = QuietScene(5);
    scene.options.pipelined = pipelined;
    scene.options.max_new = 30;
    scene.step_ms = 2500;
    Stage stage(scene);
    stage.Start();
    ASSERT_TRUE(stage.Run());
    EXPECT_TRUE(stage.modes.empty());
    EXPECT_EQ(CountOf(stage, TokenSource::kVerified), 30);
  }
}

TEST(ModeTest, WithoutFallbackItWaits) {
  Scene scene = QuietScene(6);
  scene.options.fallback = false;
  scene.options.max_new = 60;
  Stage stage(scene);
  stage.Start();
  stage.RunUntil([&] { return stage.ids.size() >= 20; });
  stage.Cut(false);
  stage.world().RunFor(60'000);
  EXPECT_TRUE(stage.modes.empty());
  EXPECT_FALSE(stage.end);
  stage.Join(false);
  ASSERT_TRUE(stage.Run(5000));
  EXPECT_EQ(stage.ids, CloudOnly(*scene.target, scene.prompt, scene.options));
}

// Nobody to go on alone: it waits, and does nothing meanwhile.
TEST(ModeTest, CloudOnlyWithoutADraftWaits) {
  Scene scene = QuietScene(10);
  scene.draft = nullptr;
  scene.options.mode = SplitMode::kCloudOnly;
  Stage stage(scene);
  stage.Start();
  ASSERT_TRUE(stage.RunUntil([&] { return stage.ids.size() >= 20; }));
  stage.Cut(false);
  const int64_t asked_before = stage.session().stats().bytes_up;
  stage.world().RunFor(60'000);
  EXPECT_LE(stage.session().stats().bytes_up - asked_before, 20'000);
  EXPECT_TRUE(stage.modes.empty());
  EXPECT_FALSE(stage.end);
  stage.Join(false);
  ASSERT_TRUE(stage.Run(10'000));
  EXPECT_EQ(stage.ids, CloudOnly(*scene.target, scene.prompt, scene.options));
}

// The cloud hears of every end, so that it computes and keeps nothing for who has gone.
TEST(ModeTest, EachEndClosesTheSessionInTheCloud) {
  for (const bool dropped : {true, false}) {
    Scene scene = QuietScene(11);
    Stage stage(scene);
    stage.Start();
    ASSERT_TRUE(stage.RunUntil([&] { return stage.ids.size() >= 20; }));
    ASSERT_EQ(stage.view().sessions.size(), 1u);
    if (dropped) {
      stage.DropSession();
    } else {
      stage.session().SetMode(SplitMode::kDeviceOnly);
      ASSERT_TRUE(stage.Run());
    }
    stage.world().RunFor(1000);
    EXPECT_TRUE(stage.view().sessions.empty());
  }
}

TEST(ModeTest, CancelEndsAtOnce) {
  for (int place = 0; place < 3; ++place) {
    Scene scene = QuietScene(7);
    Stage stage(scene);
    if (place == 0) stage.on_tokens = [&] { stage.session().Cancel(); };
    stage.Start();
    if (place == 1) stage.RunUntil([&] { return stage.ids.size() >= 20; });
    const size_t before = stage.ids.size();
    if (place != 0) stage.session().Cancel();
    ASSERT_TRUE(stage.Run(1000));
    EXPECT_EQ(**stage.end, llm::FinishReason::kStopped);
    if (place != 0) {
      EXPECT_EQ(stage.ids.size(), before);
    }
    stage.world().RunFor(1000);
    EXPECT_TRUE(stage.view().sessions.empty());  // it was closed, or never came to be
  }
}

TEST(ModeTest, EndsAsGenerateDoes) {
  // The target's context is full before max_new.
  Scene scene = QuietScene(8);
  scene.prompt = RandomPrompt(8, 490);
  for (bool pipelined : {false, true}) {
    for (SplitMode mode : {SplitMode::kSplit, SplitMode::kCloudOnly, SplitMode::kDeviceOnly}) {
      scene.options.pipelined = pipelined;
      scene.options.mode = mode;
      Stage stage(scene);
      stage.Start();
      ASSERT_TRUE(stage.Run());
      ASSERT_TRUE(stage.end->ok()) << stage.end->status().ToString();
      EXPECT_EQ(**stage.end, llm::FinishReason::kContext) << llm::SplitModeName(mode);
      const auto& alone = mode == SplitMode::kDeviceOnly ? scene.draft : scene.target;
      EXPECT_EQ(stage.ids, CloudOnly(*alone, scene.prompt, scene.options));
    }
  }
}

TEST(ModeTest, RefusalsNameTheReason) {
  // A quota that is used up: with fallback the device goes on alone, without it waits.
  Scene scene = QuietScene(9);
  scene.limits.tokens_per_minute = 60;
  Stage alone(scene);
  alone.Start();
  ASSERT_TRUE(alone.Run());
  ASSERT_FALSE(alone.modes.empty());
  EXPECT_EQ(alone.modes[0].mode, SplitMode::kDeviceOnly);
  EXPECT_EQ(alone.modes[0].why.code(), Code::kLimitExceeded);
  EXPECT_GT(CountOf(alone, TokenSource::kDevice), 0);
  ExpectTrueToSources(alone, scene);
  scene.options.fallback = false;
  scene.options.max_new = 100;
  Stage waits(scene);
  waits.Start();
  ASSERT_TRUE(waits.Run());
  EXPECT_GT(waits.NowMs(), 60'000);
  EXPECT_EQ(waits.ids, CloudOnly(*scene.target, scene.prompt, scene.options));
  // A target that the server does not have: no use to wait.
  scene.options.target = "other";
  Stage unknown(scene);
  unknown.Start();
  ASSERT_TRUE(unknown.Run());
  EXPECT_FALSE(unknown.end->ok());
  EXPECT_NE(unknown.end->status().message().find("other"), std::string::npos);
}

}  // namespace
}  // namespace ferry::split
